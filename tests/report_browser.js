/*
 * Goes to the end of a page under test: is everything there that its data promise? Tells
 * the frame around it, which report_browser.sh makes as wide as the window to be tested.
 */
(function () {
	'use strict';

	var wrong = [], data = JSON.parse(document.getElementById('data').textContent);
	var drawn = 0;

	function expect(condition, words) {
		if (!condition)
			wrong.push(words);
	}

	/* A line is a path with at least two points; a symbol mark has a path for each point. */
	function line(plot, name) {
		var path = plot.querySelector('.' + name + ' path');

		return path && /^M.*L/.test(path.getAttribute('d'));
	}

	function known(series, column) {
		return series.samples.some(function (sample) { return sample[column] !== null; });
	}

	function checkCurve(plot, id, series) {
		var mark = 'mark-d' + series.drive;

		expect(line(plot, mark + '-mean'), id + ': no mean of drive ' + series.drive);
		expect(line(plot, mark + '-p99'), id + ': no p99 of drive ' + series.drive);
		expect(plot.querySelectorAll('.' + mark + '-points path').length === series.points.length,
			id + ': not all points of drive ' + series.drive);
		expect(!series.maximum || plot.querySelector('.' + mark + '-maximum path'),
			id + ': no maximum run of drive ' + series.drive);
	}

	function checkPercentiles(plot, id, series) {
		var mark = 'mark-d' + series.drive + '-percentiles';

		expect(line(plot, mark), id + ': no line of drive ' + series.drive);
		expect(plot.querySelectorAll('.' + mark + '-points path').length === series.points.length,
			id + ': not all percentiles of drive ' + series.drive);
	}

	function checkSeries(plot, id, series) {
		var mark = 'mark-d' + series.drive;

		expect(line(plot, mark + '-IOPS'), id + ': no IOPS of drive ' + series.drive);
		expect(line(plot, mark + '-mean'), id + ': no latency of drive ' + series.drive);
		expect(!known(series, 6) || line(plot, mark + '-WAF'), id + ': no WAF of drive ' + series.drive);
		expect(!series.steady || plot.querySelector('.' + mark + '-window path'),
			id + ': no window of drive ' + series.drive);
	}

	/* A drive that is switched off is in no chart any more, and comes back. */
	function checkSwitches() {
		var input = document.querySelector('.drives input');
		var mark = '.plot [class*="mark-d0-"]';

		expect(!!input === data.drives.length > 1, 'switches: wrong number');
		if (!input)
			return;
		expect(document.querySelector(mark), 'switches: drive 0 is not drawn to begin with');
		input.click();
		expect(!document.querySelector(mark), 'switches: drive 0 is drawn though it is off');
		input.click();
	}

	function check() {
		Object.keys(data.charts).forEach(function (id) {
			var plot = document.querySelector('[data-chart="' + id + '"]');

			expect(plot && plot.querySelector('svg'), id + ': not drawn');
			if (!plot)
				return;
			drawn++;
			expect(plot.querySelector('[role="graphics-document"][aria-label]'), id + ': has no label');
			data.charts[id].series.forEach(function (series) {
				({ curve: checkCurve, percentiles: checkPercentiles, series: checkSeries })[
					data.charts[id].kind](plot, id, series);
			});
		});
		checkSwitches();
		expect(drawn > 0, 'no charts');
		expect(performance.getEntriesByType('resource').length === 0, 'something was fetched');
		expect(document.documentElement.scrollWidth <= window.innerWidth,
			'wider than the window: ' + document.documentElement.scrollWidth + ' in ' + window.innerWidth);
		window.parent.postMessage('verdict: ' +
			(wrong.length ? wrong.join('\nverdict: ') : 'sound'), '*');
	}

	setTimeout(check, 3000);
})();
