// SPDX-License-Identifier: BSD-2-Clause
// chart - curves of program speedup over the target's speedup, with bands and points, by uPlot.
//
// uPlot makes scales, axes and the cursor. Bands, lines and points are drawn here, since each curve
// has speedups of its own. A point's area grows with its number of experiments.
import uPlot from 'uplot';
import {element} from '../dom.js';
import {FONT, axis, manage, widthOf, within} from '../plot.js';
import {colour} from '../theme.js';
import {gain, plural, speedup} from '../format.js';

const DASHES = [[], [7, 4], [2, 3], [9, 3, 2, 3]];
const COLOURS = 8;

// Colour and dashes of the curve with this number. Curves are {label, points, colour, dashes}.
export function styleOf(number) {
	return {
		colour: `curve-${(number % COLOURS) + 1}`,
		dashes: DASHES[Math.floor(number / COLOURS) % DASHES.length],
	};
}

export function swatch(curve) {
	return element('i', {class: 'swatch', style: {background: `var(--${curve.colour})`}});
}

function draw(plot, curve, paint) {
	within(plot, curve.colour, paint);
}

function measured(curve) {
	return curve.points.filter((point) => Number.isFinite(point.program_speedup));
}

function drawBand(plot, curve) {
	const points = measured(curve).filter((point) => Number.isFinite(point.low + point.high));
	draw(plot, curve, (ctx, x, y) => {
		ctx.globalAlpha = 0.2;
		ctx.beginPath();
		ctx.moveTo(x(0), y(0));
		for (const point of points) ctx.lineTo(x(point.speedup), y(point.high));
		for (const point of points.slice().reverse())
			ctx.lineTo(x(point.speedup), y(point.low));
		ctx.fill();
	});
}

function drawLine(plot, curve) {
	draw(plot, curve, (ctx, x, y) => {
		ctx.lineWidth = 2 * devicePixelRatio;
		ctx.lineJoin = 'round';
		ctx.setLineDash(curve.dashes.map((length) => length * devicePixelRatio));
		ctx.beginPath();
		ctx.moveTo(x(0), y(0));
		for (const point of measured(curve))
			ctx.lineTo(x(point.speedup), y(point.program_speedup));
		ctx.stroke();
	});
}

function drawPoints(plot, curve, most) {
	draw(plot, curve, (ctx, x, y) => {
		for (const point of measured(curve)) {
			const radius =
				(1.5 + 2.5 * Math.sqrt(point.experiments / most)) *
				devicePixelRatio;
			ctx.beginPath();
			ctx.arc(x(point.speedup), y(point.program_speedup), radius, 0, 2 * Math.PI);
			ctx.fill();
		}
	});
}

function drawZero(plot) {
	const {ctx, bbox} = plot;
	const y = Math.round(plot.valToPos(0, 'y', true));
	ctx.save();
	ctx.strokeStyle = colour('axis');
	ctx.lineWidth = devicePixelRatio;
	ctx.beginPath();
	ctx.moveTo(bbox.left, y);
	ctx.lineTo(bbox.left + bbox.width, y);
	ctx.stroke();
	ctx.restore();
}

function options(size, range, hooks, isLarge) {
	const label = isLarge ? {labelFont: FONT, labelSize: 20} : {};
	return {
		...size,
		padding: [8, 22, 0, 0],
		legend: {show: false},
		cursor: {
			y: false,
			drag: {setScale: false, x: false, y: false},
			points: {show: false},
		},
		scales: {x: {time: false, range: [0, 1]}, y: {range}},
		axes: [
			axis(
				(plot, ticks) => ticks.map((tick) => `${Math.round(tick * 100)}%`),
				28,
				isLarge ? 50 : 40,
				{...label, label: isLarge ? 'the code is faster by' : undefined},
			),
			axis(
				(plot, ticks) =>
					ticks.map((tick) => `${Math.round(tick * 1000) / 10}%`),
				46,
				26,
				{...label, label: isLarge ? 'gain' : undefined},
			),
		],
		series: [{}, {paths: () => null, points: {show: false}}],
		hooks,
	};
}

export function pointText(point) {
	return (
		`${speedup(point.speedup)} faster: ${gain(point.program_speedup)} ` +
		`(${gain(point.low)} to ${gain(point.high)}), ${plural(point.experiments, 'experiment')}`
	);
}

// All speedups that were measured, ascending.
export function speedupsOf(curves) {
	return [
		...new Set(
			curves.flatMap((curve) => measured(curve).map((point) => point.speedup)),
		),
	].sort((a, b) => a - b);
}

function tell(curves, at) {
	return curves
		.map((curve) => {
			const point = curve.points.find((one) => one.speedup === at);
			return (
				point &&
				(curves.length > 1
					? `${curve.label}: ${pointText(point)}`
					: pointText(point))
			);
		})
		.filter((text) => text)
		.map((text) => element('span', {}, text));
}

// Arrow keys go from one measured speedup to the next.
function steer(plot, host, xs) {
	host.addEventListener('keydown', (event) => {
		const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
		if (!step) return;
		event.preventDefault();
		const now = plot.cursor.idx ?? (step > 0 ? 0 : xs.length);
		const next = Math.min(Math.max(now + step, 1), xs.length - 1);
		plot.setCursor({left: plot.valToPos(xs[next], 'x'), top: 0});
	});
}

// Draws into `host`; writes the values at the cursor into `output`. Options: {isLarge, range, width, height}.
// Returns a function that removes the chart.
export function chart(host, curves, output, style) {
	const xs = [0, ...speedupsOf(curves)];
	const most = Math.max(
		1,
		...curves.flatMap((curve) => curve.points.map((point) => point.experiments)),
	);
	const still = [...output.childNodes];
	const hooks = {
		drawClear: [
			(plot) => {
				drawZero(plot);
				for (const curve of curves) drawBand(plot, curve);
			},
		],
		draw: [
			(plot) => {
				for (const curve of curves) {
					drawLine(plot, curve);
					drawPoints(plot, curve, most);
				}
			},
		],
		setCursor: [
			(plot) => {
				output.replaceChildren(
					...(plot.cursor.idx > 0
						? tell(curves, xs[plot.cursor.idx])
						: still),
				);
			},
		],
	};
	const plot = new uPlot(
		options(
			{width: style.width ?? widthOf(host), height: style.height},
			style.range,
			hooks,
			style.isLarge,
		),
		[xs, xs.map(() => null)],
		host,
	);
	steer(plot, host, xs);
	return manage(plot, host);
}
