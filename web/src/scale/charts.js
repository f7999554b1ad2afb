// SPDX-License-Identifier: BSD-2-Clause
// charts - predicted time over cores, how many threads were active, and when.
import uPlot from 'uplot';
import {FONT, axis, manage, widthOf, within} from '../plot.js';
import {colour} from '../theme.js';
import {duration} from '../format.js';

const HEIGHT = 260;
const ALPHA = 0.2;
const LABELS_MOST = 16;

function times(plot, ticks) {
	return ticks.map((tick) => (tick === null ? '' : tick ? duration(tick) : '0'));
}

function numbers(plot, ticks) {
	return ticks.map((tick) => (tick === null ? '' : String(tick)));
}

// As many as there is space to label.
function someOf(values) {
	const step = Math.ceil(values.length / LABELS_MOST);
	return values.filter((value, i) => i % step === 0);
}

// An axis of counts below the chart: a tick at each of these.
function counted(label, splits) {
	return axis(numbers, 30, 30, {
		label,
		labelSize: 20,
		labelFont: FONT,
		splits: () => splits,
	});
}

function begin(host, options, data) {
	const plot = new uPlot(
		{
			width: widthOf(host),
			height: HEIGHT,
			padding: [10, 20, 0, 0],
			legend: {show: false},
			cursor: {
				drag: {setScale: false, x: false, y: false},
				points: {show: false},
				...options.cursor,
			},
			...options,
		},
		data,
		host,
	);
	return manage(plot, host);
}

// Calls describe(index) with the point at the cursor, describe(null) without one.
function cursorHook(describe) {
	return [(plot) => describe(plot.cursor.idx ?? null)];
}

function drawInterval(plot, points) {
	within(plot, 'curve-1', (context, x, y) => {
		context.globalAlpha = ALPHA;
		context.beginPath();
		for (const point of points) context.lineTo(x(point.cores), y(point.high_ns));
		for (const point of points.slice().reverse())
			context.lineTo(x(point.cores), y(point.low_ns));
		context.fill();
	});
}

function drawPredictions(plot, points) {
	within(plot, 'curve-1', (context, x, y) => {
		context.lineWidth = 2 * devicePixelRatio;
		context.beginPath();
		for (const point of points) context.lineTo(x(point.cores), y(point.wall_ns));
		context.stroke();
		for (const point of points) {
			context.beginPath();
			context.arc(x(point.cores), y(point.wall_ns), 3.5 * devicePixelRatio, 0, 7);
			context.fill();
		}
	});
}

// A square, and a line from the shortest to the longest run.
function drawMeasured(plot, measured) {
	within(plot, 'curve-2', (context, x, y) => {
		const half = 5 * devicePixelRatio;
		context.lineWidth = 2 * devicePixelRatio;
		for (const one of measured) {
			const left = x(one.cores);
			context.beginPath();
			context.moveTo(left, y(one.least_ns));
			context.lineTo(left, y(one.most_ns));
			context.stroke();
			context.fillRect(left - half, y(one.wall_ns) - half, 2 * half, 2 * half);
		}
	});
}

// Predicted, by the chosen model: [{cores, wall_ns, low_ns, high_ns}]. Measured: [{cores, wall_ns, ...}].
export function predictionChart(host, points, measured, describe) {
	const cores = [...new Set([...points, ...measured].map((one) => one.cores))].sort(
		(a, b) => a - b,
	);
	const most = Math.max(
		...points.map((one) => one.high_ns),
		...measured.map((one) => one.most_ns),
	);
	return begin(
		host,
		{
			scales: {
				x: {
					time: false,
					distr: 3,
					log: 2,
					range: [cores[0] * 0.85, cores.at(-1) * 1.15],
				},
				y: {range: [0, most * 1.05]},
			},
			axes: [counted('cores', cores), axis(times, 62, 34)],
			series: [{}, {paths: () => null, points: {show: false}}],
			hooks: {
				drawClear: [(plot) => drawInterval(plot, points)],
				draw: [
					(plot) => {
						drawPredictions(plot, points);
						drawMeasured(plot, measured);
					},
				],
				setCursor: cursorHook((i) =>
					describe(i === null ? null : cores[i]),
				),
			},
		},
		[cores, cores.map(() => most)],
	);
}

// Levels: [{threads, wall_ns}]
export function levelChart(host, levels, describe) {
	const all = levels.reduce((sum, level) => sum + level.wall_ns, 0) || 1;
	const shares = levels.map((level) => level.wall_ns / all);
	const threads = levels.map((level) => level.threads);
	return begin(
		host,
		{
			cursor: {y: false},
			scales: {
				x: {time: false, range: [threads[0] - 0.6, threads.at(-1) + 0.6]},
				y: {range: [0, Math.max(...shares) * 1.08]},
			},
			axes: [
				counted('threads that were active', someOf(threads)),
				axis(
					(plot, ticks) =>
						ticks.map(
							(tick) =>
								`${Math.round(tick * 1000) / 10}%`,
						),
					52,
					30,
				),
			],
			series: [
				{},
				{
					paths: uPlot.paths.bars({size: [0.7, 60]}),
					fill: () => colour('curve-1'),
					stroke: () => colour('curve-1'),
					points: {show: false},
				},
			],
			hooks: {setCursor: cursorHook(describe)},
		},
		[threads, shares],
	);
}

// The value of a slice holds from its begin to its end.
export function timeSeriesChart(host, slices, cores, describe) {
	const end = slices.at(-1).begin_ns + slices.at(-1).wall_ns;
	const xs = [...slices.map((one) => one.begin_ns), end];
	const column = (key) => [...slices.map((one) => one[key]), slices.at(-1)[key]];
	const line = (name, width) => ({
		stroke: () => colour(name),
		width,
		paths: uPlot.paths.stepped({align: 1}),
		points: {show: false},
	});
	const most = Math.max(cores, ...slices.map((one) => one.active));
	return begin(
		host,
		{
			cursor: {y: false},
			scales: {
				x: {time: false, range: [xs[0], end]},
				y: {range: [0, most * 1.08]},
			},
			axes: [
				axis(times, 30, 70),
				axis((plot, ticks) => ticks.map(String), 46, 30),
			],
			series: [{}, line('curve-2', 1.5), line('curve-1', 2.5)],
			hooks: {
				drawClear: [
					(plot) =>
						within(plot, 'axis', (context, x, y) => {
							context.setLineDash([4, 4]);
							context.beginPath();
							context.moveTo(x(xs[0]), y(cores));
							context.lineTo(x(end), y(cores));
							context.stroke();
						}),
				],
				setCursor: cursorHook((i) =>
					describe(
						i === null ? null : Math.min(i, slices.length - 1),
					),
				),
			},
		},
		[xs, column('active'), column('running')],
	);
}
