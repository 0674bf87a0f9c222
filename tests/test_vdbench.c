#include "wire/vdbench.h"

#include <errno.h>
#include <string.h>

#include "base/fail.h"
#include "tap.h"

#define SD "sd=sd1,lun=/dev/sdb\n"
#define RD "rd=rd1,wd=wd1,iorate=max\n"

static struct vdb_file *file;

static void parse(const char *text)
{
	vdb_free(file);
	file = NULL;
	if (vdb_parse("t.vdb", text, strlen(text), &file))
		tap_fail("%s", fail_message());
}

static void refused(const char *text, const char *sentence)
{
	struct vdb_file *none = NULL;
	int err = vdb_parse("t.vdb", text, strlen(text), &none);

	if (err != -EINVAL || none || strcmp(fail_message(), sentence))
		tap_fail("%d, %s", err, err ? fail_message() : "accepted");
}

TEST(statements_lines_and_comments_are_told_apart)
{
	parse("* c\n\n" SD "# c\nwd=wd1,sd=sd1,\n  xfersize=8k, * goes on\n/ c\nrdpct=30\n" RD);
	check_equal(file->sd_count, 1);
	check_equal(file->wd_count, 1);
	check_equal(file->rd_count, 1);
	check_equal(file->wds[0].sizes.shares[0].bytes, 8192);
	check_equal(file->wds[0].read_percent, 30);
	check_equal(file->rds[0].line, 9);
	check_equal(file->note_count, 1); /* the lun */
	refused("xfersize=4k\n", "t.vdb:1: 'xfersize=4k' begins no statement: general=, hd=, sd=, wd= or rd= must "
		"stand there, or a comma at the end of the line before");
	refused("sd=sd1 threads=4\n", "t.vdb:1: 'threads=4' stands behind a blank, which makes a comment of it; "
		"take the blank away, or begin it with *");
	refused(SD, "t.vdb: has no run: rd=... must say what to do");
}

TEST(defaults_hold_for_those_behind_them)
{
	parse("sd=s0\nsd=default,threads=3\nsd=s1\nsd=s2,threads=5\nwd=default,rdpct=10\nwd=wd1\n"
	      "rd=default,elapsed=5m,wd=wd1\nrd=rd1\n");
	check_equal(file->sds[0].threads, 8);
	check_equal(file->sds[1].threads, 3);
	check_equal(file->sds[2].threads, 5);
	check_equal(file->wds[0].read_percent, 10);
	check_equal(file->rds[0].elapsed_s, 300);
	check(!strcmp(file->rds[0].wds[0], "wd1"));
}

TEST(keys_may_be_cut_short_where_only_one_begins_so)
{
	parse(SD "wd=wd1,xf=64k,see=0,rd=20\nrd=r,wd=wd1,io=500,el=2,int=1\n");
	check_equal(file->wds[0].sizes.shares[0].bytes, 65536);
	check_equal(file->wds[0].seek_percent, 0);
	check_equal(file->wds[0].read_percent, 20);
	check_equal(file->rds[0].rates.values[0], 500);
	refused(SD "wd=wd1,st=1\n", "t.vdb:2: st=1: could be stride or streams");
	refused(SD "wd=wd1,xfersiez=4k\n", "t.vdb:2: xfersiez=4k: no such key is known (did you mean 'xfersize'?)");
}

TEST(sizes_are_one_or_a_mix_or_a_spread)
{
	parse(SD "wd=wd1,xfersize=(4k,75,8k,25)\n" RD);
	check_equal(file->wds[0].sizes.count, 2);
	check_equal(file->wds[0].sizes.shares[1].weight, 25);
	parse(SD "wd=wd1,xfersize=(4k,16k,4k)\n" RD);
	check_equal(file->wds[0].sizes.count, 4);
	check_equal(file->wds[0].sizes.shares[3].bytes, 16384);
	refused(SD "wd=wd1,xfersize=(4k,75,8k,20)\n",
		"t.vdb:2: xfersize=(4k,...): the percentages add up to 95, not to 100");
	refused(SD "wd=wd1,xfersize=528\n",
		"t.vdb:2: xfersize=528: a request of 528 is not a multiple of 512 bytes up to 1 GiB");
	refused(SD "wd=wd1,xfersize=(4k,1m,4k)\n",
		"t.vdb:2: xfersize=(4k,...): more than 32 sizes lie between; a larger align would do");
}

TEST(rates_are_most_a_curve_or_a_list)
{
	parse(SD "wd=wd1\nrd=a,wd=wd1,iorate=max\nrd=b,wd=wd1,iorate=curve,curve=(50,100)\n"
	      "rd=c,wd=wd1,iorate=(100-500,200)\nrd=d,wd=wd1,iorate=(10,1k)\n");
	check_equal(file->rds[0].rate, VDB_MAX);
	check_equal(file->rds[1].rate, VDB_CURVE);
	check_equal(file->rds[1].curve.count, 2);
	check_equal(file->rds[2].rates.count, 3);
	check_equal(file->rds[2].rates.values[2], 500);
	check_equal(file->rds[3].rates.values[1], 1000);
	refused(SD "wd=wd1\nrd=a,wd=wd1,iorate=max,curve=(50)\n", "t.vdb:3: rd=a: curve= is for iorate=curve");
}

TEST(loops_are_lists_and_may_double)
{
	parse(SD "wd=wd1\nrd=a,wd=wd1,forthreads=(1-64,d),forxfersize=(4k,1m),forrdpct=(0,50,100)\n");
	check_equal(file->rds[0].threads.count, 7);
	check_equal(file->rds[0].threads.values[6], 64);
	check_equal(file->rds[0].xfers.values[1], 1 << 20);
	check_equal(file->rds[0].reads.count, 3);
	refused(SD "wd=wd1\nrd=a,wd=wd1,forthreads=(1-100,1)\n",
		"t.vdb:3: forthreads=(1-100,...): more than 64 values");
}

TEST(what_would_be_another_load_is_refused)
{
	refused("fsd=a\n", "t.vdb:1: fsd=a: file systems and replays of vdbench are not measured; sd=, wd= and rd= "
		"are");
	refused(SD "wd=wd1,rhpct=50\n", "t.vdb:2: rhpct=50: hits in a cache are not supported; leave it out");
	refused(SD "wd=wd1,sd=(a,b)\n", "t.vdb:2: sd=(a,...): names several sds, and one TARGET is measured; give each "
		"a run of its own");
	refused("sd=sd1,range=(20,10)\n", "t.vdb:1: range=(20,...): 10 is not between 21 and 100");
	refused(SD "wd=wd1,xfersize=(4k\n", "t.vdb:2: a bracket is not closed");
	refused(SD "wd=wd1\nrd=a\n", "t.vdb:3: rd=a: does not say which workload: wd=...");
}

TEST(a_star_stands_for_the_rest_of_a_name)
{
	check(vdb_matches("wd*", "wd12"));
	check(vdb_matches("*", "anything"));
	check(!vdb_matches("wd*", "w"));
	check(!vdb_matches("wd1", "wd12"));
}

int main(void)
{
	return tap_run();
}
