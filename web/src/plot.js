// SPDX-License-Identifier: BSD-2-Clause
// plot - the common part of all charts by uPlot: axes in the page's colours, updates of size and theme.
import {colour, onTheme} from './theme.js';

export const FONT = '12px system-ui, sans-serif';

const alive = new Map(); // plot -> its host

// Draws all plots again: for another theme, or for paper, which has another width.
onTheme(() => {
	for (const [plot, host] of alive) {
		follow(plot, host);
		plot.redraw(false, true);
	}
});

// Values: as uPlot's axes take them, (plot, ticks) -> texts.
export function axis(values, size, space, extra) {
	return {
		stroke: () => colour('faint'),
		grid: {stroke: () => colour('grid'), width: 1},
		ticks: {show: false},
		font: FONT,
		size,
		space,
		values,
		gap: 7,
		...extra,
	};
}

export function widthOf(host) {
	return Math.max(host.clientWidth, 120);
}

function follow(plot, host) {
	if (host.clientWidth && plot.width !== widthOf(host))
		plot.setSize({width: widthOf(host), height: plot.height});
}

// Keeps the plot as wide as its host, and in the theme's colours. Returns a function that removes it.
export function manage(plot, host) {
	const resized = new ResizeObserver(() => follow(plot, host));
	resized.observe(host);
	alive.set(plot, host);
	return () => {
		resized.disconnect();
		alive.delete(plot);
		plot.destroy();
	};
}

// Draws within the chart's area; paint is called with the context and the two scales in pixels.
export function within(plot, colourName, paint) {
	const {ctx, bbox} = plot;
	ctx.save();
	ctx.beginPath();
	ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
	ctx.clip();
	ctx.fillStyle = ctx.strokeStyle = colour(colourName);
	paint(
		ctx,
		(x) => plot.valToPos(x, 'x', true),
		(y) => plot.valToPos(y, 'y', true),
	);
	ctx.restore();
}
