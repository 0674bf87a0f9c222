/*
 * Draws the charts of a report: <div class="plot" data-chart="curve-0"> becomes an SVG by
 * Vega from the page's JSON (its format is in charts.c). Colours are the style's variables,
 * so that light, dark and paper need no second drawing. Nothing is computed here that is
 * in a table; without this script the tables still stand.
 */
(function () {
	'use strict';

	var data = JSON.parse(document.getElementById('data').textContent);
	var FONT = 'system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif';
	var SHAPES = ['circle', 'square', 'triangle-up', 'cross', 'diamond', 'triangle-down',
		'triangle-right', 'triangle-left'];
	var COUNT = "datum.value >= 1000 ? upper(format(datum.value, '~s')) : format(datum.value, '~r')"; /* 150K */
	var LEFT = 58; /* room of the labels on the left: equal in all panels, so that they align */

	function colour(drive) {
		return 'var(--s' + drive % 8 + ')';
	}

	function shape(drive) {
		return SHAPES[drive % 8];
	}

	/* Numbers as people read them: 1,234; 12.3; 0.123. */
	function number(value) {
		var digits = Math.abs(value) >= 100 || value === 0 ? 0 : Math.abs(value) >= 10 ? 1 :
			Math.abs(value) >= 1 ? 2 : 3;

		return value.toFixed(digits).replace(/\B(?=(\d{3})+(?!\d))(?<!\.\d*)/g, ',');
	}

	function latency(us) {
		if (us === null)
			return 'n/a';
		if (us >= 1e6)
			return number(us / 1e6) + ' s';
		return us >= 1e3 ? number(us / 1e3) + ' ms' : number(us) + ' \u00b5s';
	}

	function tick(us) {
		if (us >= 1e6)
			return us / 1e6 + ' s';
		return us >= 1e3 ? us / 1e3 + ' ms' : us + ' \u00b5s';
	}

	function known(values) {
		return values.filter(function (value) { return value !== null && value > 0; });
	}

	/* A log scale for these values: whole steps of 1, 2, 5 around them, labelled sparsely. */
	function logScale(values, most) {
		var low = Math.min.apply(null, values), high = Math.max.apply(null, values);
		var steps = [], first, last, labels;

		for (var power = -3; power < 13; power++)
			[1, 2, 5].forEach(function (digit) { steps.push(+(digit + 'e' + power)); });
		first = steps.filter(function (step) { return step <= low * 1.001; }).pop() || steps[0];
		last = steps.filter(function (step) { return step >= high / 1.001; })[0];
		if (last === first)
			last = steps[steps.indexOf(first) + 1];
		steps = steps.filter(function (step) { return step >= first && step <= last; });
		labels = steps;
		if (labels.length > most)
			labels = steps.filter(function (step) { return /^[1]/.test(step.toExponential()); });
		return { domain: [first, last], ticks: labels };
	}

	function axisStyle() {
		return {
			labelFont: FONT, titleFont: FONT, labelColor: 'var(--muted)',
			titleColor: 'var(--ink)', titleFontWeight: 500, labelFontSize: 12,
			titleFontSize: 12, domainColor: 'var(--line)', tickColor: 'var(--line)',
			gridColor: 'var(--grid)', labelOverlap: true, labelPadding: 5
		};
	}

	function extend(into) {
		for (var i = 1; i < arguments.length; i++)
			Object.assign(into, arguments[i]);
		return into;
	}

	function xAxis(title) {
		return extend(axisStyle(), {
			orient: 'bottom', scale: 'x', title: title, grid: true, tickCount: 6,
			titlePadding: 8, encode: { labels: { update: { text: { signal: COUNT } } } }
		});
	}

	function yAxis(title, ticks) {
		var axis = extend(axisStyle(), {
			orient: 'left', scale: 'y', grid: true, minExtent: LEFT, maxExtent: LEFT, labelOverlap: false,
			titleAnchor: 'start', titleAngle: 0, titleAlign: 'left', titleBaseline: 'bottom',
			titleX: -LEFT, titleY: -9, title: title, tickCount: 5, ticks: false,
			encode: { labels: { update: { text: { signal: COUNT } } } }
		});

		if (ticks) {
			axis.values = ticks;
			axis.tickCount = ticks.length; /* fewer would drop every other value */
			axis.encode = { labels: { update: { text: { signal:
				"datum.value >= 1e6 ? format(datum.value / 1e6, '~r') + ' s' : " +
				"datum.value >= 1e3 ? format(datum.value / 1e3, '~r') + ' ms' : " +
				"format(datum.value, '~r') + ' \u00b5s'" } } } };
		}
		return axis;
	}

	function spec(width, height, description) {
		return {
			width: width, height: height, padding: { left: 2, right: 14, top: 26, bottom: 2 },
			autosize: { type: 'fit', contains: 'padding' }, description: description,
			data: [], scales: [], axes: [], marks: [],
			config: { style: {}, background: null }
		};
	}

	function line(name, field, drive, dash, width, opacity, description) {
		return {
			type: 'line', name: 'mark-' + name, from: { data: name }, clip: true,
			description: description, aria: true,
			encode: { update: {
				x: { scale: 'x', field: 'x' }, y: { scale: 'y', field: field },
				defined: { signal: 'isValid(datum.' + field + ')' },
				stroke: { value: colour(drive) }, strokeWidth: { value: width },
				strokeDash: { value: dash }, strokeOpacity: { value: opacity },
				strokeJoin: { value: 'round' }
			} }
		};
	}

	/*
	 * Where the IOPS axis ends. A burst far beyond the curve would squeeze it into a corner:
	 * it is drawn at the edge, with its figure.
	 */
	function farthest(chart) {
		var points = 1, maximum = 1;

		chart.series.forEach(function (series) {
			series.points.forEach(function (p) { points = Math.max(points, p[2]); });
			if (series.maximum)
				maximum = Math.max(maximum, series.maximum[0]);
		});
		return (maximum > 1.5 * points ? points * 1.35 : Math.max(points, maximum)) * 1.05;
	}

	function maximumMark(name, drive, label) {
		return {
			type: 'symbol', name: 'mark-' + name, from: { data: name },
			description: label + ', maximum run', aria: true,
			encode: { update: {
				x: { scale: 'x', field: 'x' }, y: { scale: 'y', field: 'y' },
				shape: { signal: "datum.off ? 'M-1,-1L1,0L-1,1' : 'M-1,-1L1,1M-1,1L1,-1'" },
				size: { signal: 'datum.off ? 90 : 220' }, fill: { value: 'none' },
				stroke: { value: colour(drive) }, strokeWidth: { value: 2 },
				tooltip: { field: 'tip' }, description: { field: 'tip' }
			} }
		};
	}

	function maximumWords(name, drive) {
		return {
			type: 'text', name: 'mark-' + name + '-words', from: { data: name }, aria: false,
			encode: { update: {
				x: { scale: 'x', field: 'x', offset: -10 }, y: { scale: 'y', field: 'y', offset: { field: 'down' } },
				text: { signal: "datum.off ? datum.words : ''" }, font: { value: FONT },
				fontSize: { value: 12 }, align: { value: 'right' }, baseline: { value: 'middle' },
				fill: { value: colour(drive) }
			} }
		};
	}

	/* The words of several maximum runs at the edge, moved down to where none covers another. */
	function stackWords(edge, domain, height) {
		var below = -Infinity;

		function pixels(m) {
			return height * Math.log(domain[1] / m.y) / Math.log(domain[1] / domain[0]);
		}

		edge.sort(function (a, b) { return b.y - a.y; });
		edge.forEach(function (m, i) {
			var room = height - 18 * (edge.length - i); /* for those below it */
			var at = Math.max(below, edge.length > 1 ? Math.min(pixels(m), room) : pixels(m));

			if (edge.length > 5)
				m.words = ''; /* they would fill the chart; the tooltip and the table tell */
			m.down = at - pixels(m);
			below = at + 18;
		});
	}

	/* Latency against IOPS. */
	function curveSpec(chart, width, height) {
		var out = spec(width, height, chart.title + ': latency against IOPS, ' +
			chart.series.length + (chart.series.length === 1 ? ' drive' : ' drives') +
			'. The table below has every point.');
		var latencies = [], edge = [], most = farthest(chart), scale;

		chart.series.forEach(function (series) {
			var label = data.drives[series.drive], base = 'd' + series.drive;
			var points = series.points.map(function (p) {
				return { x: p[2], mean: p[3], p99: p[4], good: p[6], peak: p[7],
					tip: label + '\n' + p[0] + ' % offered: ' + number(p[2]) + ' IOPS\nmean ' +
						latency(p[3]) + ', p99 ' + latency(p[4]) + (p[5] === null ? '' :
						'\nfrom due p99 ' + latency(p[5])) +
						(p[7] ? '\npeak' : '') + (p[6] ? '' : '\noverloaded or not sustained') };
			});
			var maximum = series.maximum ? [{ x: Math.min(series.maximum[0], most),
				y: series.maximum[1], off: series.maximum[0] > most,
				words: (chart.series.length > 1 ? label + ', ' : '') + 'maximum run: ' +
					number(series.maximum[0]) + ' IOPS', down: 0,
				tip: label + '\nmaximum run: ' + number(series.maximum[0]) + ' IOPS\nmean ' +
					latency(series.maximum[1]) + ', p99 ' + latency(series.maximum[2]) }] : [];

			points.forEach(function (p) {
				latencies.push(p.mean, p.p99);
			});
			maximum.forEach(function (m) {
				latencies.push(m.y);
				if (m.off)
					edge.push(m);
			});
			out.data.push({ name: base + '-mean', values: points },
				{ name: base + '-p99', values: points },
				{ name: base + '-points', values: points.slice().sort(function (a, b) {
					return a.peak - b.peak; /* the peak lies on top */
				}) },
				{ name: base + '-maximum', values: maximum });
			out.marks.push(
				line(base + '-p99', 'p99', series.drive, [5, 4], 1.5, .85, label + ', p99'),
				line(base + '-mean', 'mean', series.drive, [], 2, 1, label + ', mean'),
				symbols(base + '-points', 'mean', series.drive, label + ', points'),
				maximumMark(base + '-maximum', series.drive, label),
				maximumWords(base + '-maximum', series.drive));
		});
		scale = logScale(known(latencies), height < 260 ? 7 : 10);
		stackWords(edge, scale.domain, height - 75);
		out.scales = [
			{ name: 'x', type: 'linear', domain: [0, most], range: 'width' },
			{ name: 'y', type: 'log', domain: scale.domain, range: 'height' }
		];
		out.axes = [extend(xAxis('IOPS achieved'), { tickCount: width < 450 ? 4 : 8 }),
			yAxis('Latency from submission, log scale', scale.ticks)];
		return out;
	}

	function symbols(name, field, drive, description) {
		return {
			type: 'symbol', name: 'mark-' + name, from: { data: name }, description: description, aria: true,
			encode: { update: {
				x: { scale: 'x', field: 'x' }, y: { scale: 'y', field: field },
				shape: { value: shape(drive) }, size: { signal: 'datum.peak ? 150 : 42' },
				fill: { signal: "datum.good ? '" + colour(drive) + "' : 'var(--paper)'" },
				stroke: { value: colour(drive) }, strokeWidth: { value: 1.5 },
				tooltip: { field: 'tip' }, description: { field: 'tip' }
			} }
		};
	}

	/* One panel of a series: some columns of the samples against time or drive writes. */
	function panelSpec(chart, panel, x, width, height) {
		var out = spec(width, height, chart.title + ': ' + panel.title + ' against ' + x.words);
		var all = [], right = 0, many = chart.series.length > 1, scale;

		chart.series.forEach(function (series) {
			var label = data.drives[series.drive], base = 'd' + series.drive;

			series.samples.forEach(function (s) {
				if (s[x.column] !== null)
					right = Math.max(right, s[x.column] / x.unit);
			});
			panel.lines.forEach(function (which) {
				var name = base + '-' + which.name;

				if (many && which.alone)
					return;
				out.data.push({ name: name, values: series.samples.map(function (s) {
					all.push(s[which.column]);
					return { x: s[x.column] / x.unit, y: s[which.column] };
				}) });
				out.marks.push(line(name, 'y', series.drive, which.dash, which.width, which.opacity,
					label + ', ' + which.name));
			});
			if (series.steady && series.steady[x.from] !== null)
				addSteady(out, series, base, x, panel, label);
		});
		all = known(all);
		scale = panel.log ? logScale(all.length ? all : [1], 6) : null;
		out.scales = [
			{ name: 'x', type: 'linear', domain: [0, right || 1], range: 'width' },
			scale ? { name: 'y', type: 'log', domain: scale.domain, range: 'height' } :
				{ name: 'y', type: 'linear', domain: [0, Math.max.apply(null, all.concat([1e-9]))],
					nice: true, range: 'height' }
		];
		out.axes = [extend(xAxis(panel.last ? x.title : ''), {
			labels: panel.last, tickCount: width < 450 ? 5 : 8, ticks: panel.last }),
		extend(yAxis(panel.title, scale && scale.ticks), panel.log ? {} : { tickCount: panel.ticks })];
		if (!panel.last)
			delete out.axes[0].title;
		return out;
	}

	/* The window of the verdict, shaded; its line where the panel shows the judged value. */
	function addSteady(out, series, base, x, panel, label) {
		var steady = series.steady;
		var from = steady[x.from] / x.unit, to = steady[x.to] / x.unit, round = (to - from) / 5;

		out.data.push({ name: base + '-window', values: [{ from: from, to: to }] });
		out.marks.unshift({
			type: 'rect', name: 'mark-' + base + '-window', from: { data: base + '-window' },
			description: label + (steady.ok ? ', steady-state window' : ', last five rounds, not steady'),
			encode: { update: {
				x: { scale: 'x', field: 'from' }, x2: { scale: 'x', field: 'to' },
				y: { value: 0 }, y2: { signal: 'height' },
				fill: { value: steady.ok ? 'var(--ok-band)' : 'var(--bad-band)' }
			} }
		});
		if (!panel.judged)
			return;
		out.data.push({ name: base + '-fit', values: [{
			x: from + round / 2, x2: to - round / 2, y: steady.first, y2: steady.last }] });
		out.marks.push({
			type: 'rule', name: 'mark-' + base + '-fit', from: { data: base + '-fit' },
			description: label + ', least-squares line of the rounds judged',
			encode: { update: {
				x: { scale: 'x', field: 'x' }, x2: { scale: 'x', field: 'x2' },
				y: { scale: 'y', field: 'y' }, y2: { scale: 'y', field: 'y2' },
				stroke: { value: 'var(--ink)' }, strokeWidth: { value: 1.5 },
				strokeDash: { value: [2, 2] }
			} }
		});
	}

	var AXES = {
		time: function (chart) {
			var end = 0, unit = 1, name = 's';

			chart.series.forEach(function (series) {
				series.samples.forEach(function (s) { end = Math.max(end, s[0]); });
			});
			if (end > 3 * 3600) {
				unit = 3600;
				name = 'h';
			} else if (end > 300) {
				unit = 60;
				name = 'min';
			}
			return { column: 0, unit: unit, words: 'time', title: 'Time (' + name + ')',
				from: 'from', to: 'to' };
		},
		written: function () {
			return { column: 1, unit: 1, words: 'capacity written', from: 'from_written',
				to: 'to_written', title: 'Drive writes (capacities written)' };
		}
	};

	var PANELS = [
		{ title: 'IOPS', judged: true, ticks: 5, height: 190, lines: [
			{ name: 'IOPS', column: 2, dash: [], width: 1.75, opacity: 1 }] },
		{ title: 'Latency from submission, log scale', log: true, height: 190, lines: [
			{ name: 'max', column: 5, dash: [1, 2], width: 1.25, opacity: .8, alone: true },
			{ name: 'p99', column: 4, dash: [5, 4], width: 1.5, opacity: .85 },
			{ name: 'mean', column: 3, dash: [], width: 2, opacity: 1 }] },
		{ title: 'Write amplification (NAND / host bytes)', ticks: 3, height: 120, lines: [
			{ name: 'WAF', column: 6, dash: [], width: 1.75, opacity: 1 }] }
	];

	function hasColumn(chart, column) {
		return chart.series.some(function (series) {
			return series.samples.some(function (s) { return s[column] !== null; });
		});
	}

	/* Nines: 90 % is 1, 99.9 % is 3. */
	function nines(millionths) {
		return -Math.log10(1 - millionths / 1e6);
	}

	var NINES = "datum.value < 0.5 ? '50 %' : datum.value < 1.5 ? '90 %' : datum.value < 2.5 ? '99 %' : " +
		"datum.value < 3.5 ? '99.9 %' : datum.value < 4.5 ? '99.99 %' : '99.999 %'";

	/* Latency by percentile; both axes logarithmic, so that each nine has the same room. */
	function percentileSpec(chart, width, height) {
		var out = spec(width, height, chart.title + ': latency by percentile. The table below has the figures.');
		var all = [], right = 1, scale;

		chart.series.forEach(function (series) {
			var label = data.drives[series.drive], base = 'd' + series.drive;

			out.data.push({ name: base + '-percentiles', values: series.points.map(function (p) {
				all.push(p[1]);
				right = Math.max(right, nines(p[0]));
				return { x: nines(p[0]), y: p[1], good: 1, peak: 0, tip: label + ', peak (' + series.at +
					', ' + number(series.iops) + ' IOPS)\np' + p[0] / 1e4 + ': ' + latency(p[1]) };
			}) });
			out.marks.push(line(base + '-percentiles', 'y', series.drive, [], 2, 1, label),
				symbols(base + '-percentiles', 'y', series.drive, label + ', percentiles'));
			out.marks[out.marks.length - 1].name += '-points';
		});
		scale = logScale(known(all), 8);
		out.scales = [
			{ name: 'x', type: 'linear', domain: [0.25, Math.ceil(right)], range: 'width' },
			{ name: 'y', type: 'log', domain: scale.domain, range: 'height' }
		];
		out.axes = [extend(xAxis('Share of requests that take no longer'), {
			values: [-Math.log10(0.5), 1, 2, 3, 4, 5].filter(function (x) { return x <= Math.ceil(right); }),
			encode: { labels: { update: { text: { signal: NINES } } } } }),
		yAxis('Latency from submission, log scale', scale.ticks)];
		return out;
	}

	/* Bands between the percentiles of the windows, the darker the more requests. */
	var BANDS = [[7, 4, .34, 'p50 to p99'], [4, 8, .2, 'p99 to p99.9'], [8, 5, .1, 'p99.9 to the longest']];

	function bandSpec(chart, x, width, height) {
		var out = spec(width, height, chart.title + ': latency between percentiles against ' + x.words);
		var series = chart.series[0], all = [], right = 0, scale;

		BANDS.forEach(function (band, i) {
			var name = 'd' + series.drive + '-band' + i;

			out.data.push({ name: name, values: series.samples.filter(function (s) {
				return s[x.column] !== null && s[4] && (s[band[0]] || i === 2) && s[band[1]];
			}).map(function (s) {
				var low = s[band[0]] || s[4]; /* a window with too few for its p99.9 has none */

				all.push(low, s[band[1]]);
				right = Math.max(right, s[x.column] / x.unit);
				return { x: s[x.column] / x.unit, low: low, high: Math.max(low, s[band[1]]) };
			}) });
			out.marks.push({ type: 'area', name: 'mark-' + name, from: { data: name }, clip: true, aria: true,
				description: data.drives[series.drive] + ', ' + band[3], encode: { update: {
					x: { scale: 'x', field: 'x' }, y: { scale: 'y', field: 'low' },
					y2: { scale: 'y', field: 'high' }, fill: { value: colour(series.drive) },
					fillOpacity: { value: band[2] * 1.6 } } } });
		});
		scale = logScale(all.length ? all : [1], 6);
		out.scales = [{ name: 'x', type: 'linear', domain: [0, right || 1], range: 'width' },
			{ name: 'y', type: 'log', domain: scale.domain, range: 'height' }];
		out.axes = [extend(xAxis(x.title), { tickCount: width < 450 ? 5 : 8 }),
			yAxis('Where requests lie: p50 to p99 (dark), to p99.9, to the longest (light)', scale.ticks)];
		return out;
	}

	function hasBands(chart) {
		return chart.series.length === 1 && chart.series[0].samples.filter(function (s) {
			return s[7] && s[4];
		}).length > 1;
	}

	/* Errors in percent, a row of dots a drive: full when predicted, a ring when fitted to. */
	function errorSpec(chart, width) {
		var points = [], most = 10, out;

		chart.series.forEach(function (series) {
			series.points.forEach(function (p) {
				most = Math.max(most, Math.abs(p[3]));
				points.push({ drive: data.drives[series.drive], x: p[3], fitted: p[4],
					colour: colour(series.drive), words: data.drives[series.drive] + ', ' + p[0] +
					': ' + number(p[1]) + ' published, ' + number(p[2]) + ' modelled, ' +
					(p[3] > 0 ? '+' : '') + p[3].toFixed(1) + ' %' });
			});
		});
		out = spec(width, 60 + 44 * data.drives.length, 'Error of every judged figure by drive, in percent');
		out.padding.top = 8;
		out.data.push({ name: 'errors', values: points }, { name: 'exact', values: [{ x: 0 }] });
		out.scales.push({ name: 'x', type: 'linear', domain: [-most, most], range: 'width', nice: true },
			{ name: 'y', type: 'point', domain: data.drives, range: 'height', padding: .6 });
		out.axes.push(extend(xAxis('Error, %: modelled above published is to the right'),
			{ tickCount: 8, encode: {} }),
			extend(axisStyle(), { orient: 'left', scale: 'y', grid: true, ticks: false,
				labelLimit: width * .3 }));
		out.marks.push({ type: 'rule', from: { data: 'exact' }, encode: { update: {
			x: { scale: 'x', field: 'x' }, y: { value: 0 }, y2: { signal: 'height' },
			stroke: { value: 'var(--ink)' }, strokeWidth: { value: 1 } } } },
		{ type: 'symbol', name: 'mark-errors', from: { data: 'errors' }, aria: true,
			encode: { update: {
				x: { scale: 'x', field: 'x' }, y: { scale: 'y', field: 'drive' },
				size: { value: 80 }, strokeWidth: { value: 2 },
				stroke: { field: 'colour' }, fill: { field: 'colour' }, opacity: { value: .85 },
				fillOpacity: [{ test: 'datum.fitted', value: 0 }, { value: .6 }],
				tooltip: { field: 'words' }, description: { field: 'words' } } } });
		return out;
	}

	/* The specs of a chart, in the order of their panels. */
	function specs(chart, width) {
		var panels, x;

		if (chart.kind === 'errors')
			return [errorSpec(chart, width)];
		if (chart.kind === 'percentiles')
			return [percentileSpec(chart, width, Math.min(340, Math.max(240, width * .5)))];
		if (chart.kind === 'curve')
			return [curveSpec(chart, width, Math.min(400, Math.max(260, width * .6)))];
		x = AXES[chart.against](chart);
		panels = PANELS.filter(function (panel) {
			return panel.lines.some(function (which) { return hasColumn(chart, which.column); });
		});
		return panels.map(function (panel, i) {
			var last = i === panels.length - 1;

			return panelSpec(chart, extend({}, panel, { last: last }), x, width,
				panel.height + (last ? 46 : 26));
		}).concat(hasBands(chart) ? [bandSpec(chart, x, width, 250)] : []);
	}

	/* Drives that the reader switched off. */
	var hidden = {};

	function shown(chart) {
		return extend({}, chart, { series: chart.series.filter(function (series) {
			return !hidden[series.drive];
		}) });
	}

	function draw(plot) {
		var chart = data.charts[plot.dataset.chart];
		var width = Math.floor(plot.clientWidth), off = Object.keys(hidden).join();

		if (!chart || width < 50 ||
			(plot.drawn === width && plot.against === chart.against && plot.off === off))
			return;
		plot.off = off;
		chart = shown(chart);
		(plot.views || []).forEach(function (view) { view.finalize(); });
		plot.textContent = '';
		plot.drawn = width;
		plot.against = chart.against;
		plot.views = (chart.series.length ? specs(chart, width) : []).map(function (one) {
			var box = plot.appendChild(document.createElement('div'));
			var view = new vega.View(vega.parse(one, null, { ast: true }), {
				renderer: 'svg', container: box, hover: false, expr: vega.expressionInterpreter,
				logLevel: vega.Warn
			});

			view.runAsync().catch(function (error) { console.error(error); });
			return view;
		});
	}

	function drawAll() {
		document.querySelectorAll('.plot').forEach(draw);
	}

	/* "Against: time, drive writes" above a series that knows both. */
	function offerChoice(plot) {
		var chart = data.charts[plot.dataset.chart], set, both;

		if (!chart || chart.kind !== 'series')
			return;
		both = hasColumn(chart, 1);
		chart.against = both && chart.series.length > 1 ? 'written' : 'time';
		if (!both)
			return;
		set = document.createElement('fieldset');
		set.className = 'choice';
		set.innerHTML = '<legend>Against</legend>';
		[['time', 'time'], ['written', 'drive writes']].forEach(function (pair) {
			var label = set.appendChild(document.createElement('label'));
			var input = label.appendChild(document.createElement('input'));

			input.type = 'radio';
			input.name = plot.dataset.chart;
			input.checked = chart.against === pair[0];
			input.addEventListener('change', function () {
				chart.against = pair[0];
				draw(plot);
			});
			label.appendChild(document.createTextNode(' ' + pair[1]));
		});
		plot.parentNode.insertBefore(set, plot);
	}

	/* A switch for each drive, above the charts. */
	function offerDrives() {
		var before = document.getElementById('curves'), set;

		if (data.drives.length < 2 || !before)
			return;
		set = document.createElement('fieldset');
		set.className = 'choice drives';
		set.innerHTML = '<legend>Drives</legend>';
		data.drives.forEach(function (name, drive) {
			var label = set.appendChild(document.createElement('label'));
			var input = label.appendChild(document.createElement('input'));

			input.type = 'checkbox';
			input.checked = true;
			input.addEventListener('change', function () {
				if (input.checked)
					delete hidden[drive];
				else
					hidden[drive] = true;
				drawAll();
			});
			label.appendChild(document.createTextNode(' ' + name));
		});
		before.parentNode.insertBefore(set, before.nextSibling);
	}

	function openAll() {
		document.querySelectorAll('details').forEach(function (one) { one.open = true; });
		drawAll();
	}

	offerDrives();
	document.querySelectorAll('.plot').forEach(offerChoice);
	drawAll();
	document.querySelectorAll('details').forEach(function (one) {
		one.addEventListener('toggle', drawAll);
	});
	window.addEventListener('resize', function () { window.requestAnimationFrame(drawAll); });
	window.addEventListener('beforeprint', openAll);
	if (location.hash === '#open')
		openAll();
	document.documentElement.dataset.drawn = 'yes';
})();
