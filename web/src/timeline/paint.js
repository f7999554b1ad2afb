// SPDX-License-Identifier: BSD-2-Clause
// paint - draws the tracks that are in view onto a canvas.
//
// Wide slices are drawn one by one, all others as strips of pixels, so the cost of drawing depends on
// the size of the canvas, not on the recording.
import {sanitize} from '../sanitize.js';
import {exact, fit} from '../format.js';
import {drawFlows, drawMarks, drawPath, drawWakes} from './arrows.js';
import {LABEL, ROW, extentOf} from './layout.js';
import {countUpTo} from './lane.js';
import {LEFT} from './model.js';
import {Strip, stripSlices} from './pixel_strip.js';

export const AXIS = 24;
const FONT = '11px system-ui, sans-serif';
const PALETTE = 8;
const TEXT_LEAST = 30;
const LABEL_MOST = 120;
const WIDE = 3; // pixels: slices at least as wide are drawn one by one, with a free pixel between them

export const COLOURS = [
	'ink',
	'faint',
	'grid',
	'axis',
	'card',
	'accent',
	'flow',
	'class-ink',
	'class-user',
	'class-I',
	'class-L',
	'class-S',
	'class-B',
	...Array.from({length: PALETTE}, (_, i) => `slice-${i + 1}`),
];

const OF_STATE = {
	[LEFT.io]: 'class-I',
	[LEFT.lock]: 'class-L',
	[LEFT.runnable]: 'class-S',
	[LEFT.other]: 'class-B',
};

function paletteColour(number) {
	return `slice-${(number % PALETTE) + 1}`;
}

// Names get the colours in this order; those of cores' first threads come late.
const SPAN_COLOURS = [7, 4, 5, 6, 3, 2, 1, 8];

export class Painter {
	#context;
	#timeline;
	#view; // {from, to, width, height, scroll, scale}
	#colours;
	#selected;
	#strips = []; // one, and one more for each row of spans of a core
	#grain; // {perPixel, wide, endOfPixel}: of the device, for stripSlices()

	constructor(context, timeline, colours) {
		this.#context = context;
		this.#timeline = timeline;
		this.#colours = colours;
	}

	#x(time) {
		const {from, to, width} = this.#view;
		return ((time - from) / (to - from)) * width;
	}

	draw(layout, view, selected) {
		const context = this.#context;
		this.#view = view;
		this.#selected = selected;
		const {from} = view,
			perPixel = (view.to - from) / (view.width * view.scale);
		this.#grain = {
			perPixel,
			wide: WIDE * perPixel * view.scale,
			endOfPixel: (time) =>
				from + (Math.floor((time - from) / perPixel) + 1) * perPixel,
		};
		context.clearRect(0, 0, view.width, view.height);
		context.font = FONT;
		context.textBaseline = 'middle';
		this.#drawAxis();
		context.save();
		context.beginPath();
		context.rect(0, AXIS, view.width, view.height - AXIS);
		context.clip();
		const shown = layout.tracks
			.map((track) => ({track, y: AXIS + track.top - view.scroll}))
			.filter(({track, y}) => y + track.height > AXIS && y < view.height);
		for (const {track, y} of shown) this.#drawTrack(track, y);
		const sheet = {
			context,
			view,
			timeline: this.#timeline,
			colours: this.#colours,
			x: (time) => this.#x(time),
			tops: topsOf(layout, AXIS - view.scroll),
		};
		drawPath(sheet);
		drawWakes(sheet);
		drawFlows(sheet);
		for (const {track, y} of shown) {
			if (track.kind === 'thread') drawMarks(sheet, track, y + LABEL, selected);
			this.#drawName(track, y);
		}
		context.restore();
	}

	#fill(name, x, y, width, height) {
		this.#context.fillStyle = this.#colours[name];
		this.#context.fillRect(x, y, width, height);
	}

	#write(text, x, y, width, name) {
		const letters = Math.floor((width - 6) / 6);
		if (letters < 3) return;
		this.#context.fillStyle = this.#colours[name];
		this.#context.fillText(fit(sanitize(text), letters), x + 3, y, width - 4);
	}

	#drawAxis() {
		const {from, to, width, height} = this.#view;
		const step = stepOf((to - from) / Math.max(width / 110, 1));
		for (let tick = Math.ceil(from / step) * step; tick <= to; tick += step) {
			const x = this.#x(tick);
			this.#fill('grid', x, AXIS - 5, 1, height);
			this.#write(exact(tick), x, 9, 110, 'faint');
		}
	}

	#drawTrack(track, y) {
		this.#fill('grid', 0, y, this.#view.width, 1);
		const top = y + LABEL;
		if (track.kind === 'core') this.#drawCore(track, top);
		else if (track.kind === 'thread') this.#drawThread(track, top);
		else this.#drawCounter(track, top);
	}

	// Covers the arrows that cross it.
	#drawName({kind, number}, y) {
		const timeline = this.#timeline;
		const name = {
			core: () => timeline.cores[number].name,
			thread: () => timeline.threadName(number),
			counter: () => timeline.texts[timeline.counters[number].name],
		}[kind]();
		const text = fit(sanitize(name), LABEL_MOST);
		const {width} = this.#context.measureText(text);
		this.#fill('card', 0, y + 1, width + 7, LABEL - 1);
		this.#context.fillStyle = this.#colours.ink;
		this.#context.fillText(text, 3, y + LABEL / 2 + 1);
	}

	// Steps from 0; where there are more values than pixels, the last one of each pixel.
	#drawCounter(track, y) {
		const {at, value, least, most} = this.#timeline.counters[track.number];
		const {from, to, width} = this.#view;
		const base = y + track.first;
		const heightOf = (i) => ((value[i] - least) / (most - least)) * (track.first - 2);
		for (let x = 0, i = -1; x < width; x++) {
			const end = from + ((x + 1) / width) * (to - from);
			i = countUpTo(at, end, Math.max(i, 0)) - 1;
			if (i < 0) continue;
			const height = Math.max(heightOf(i), 1);
			this.#fill('slice-1', x, base - height, 1, height);
		}
		const one = this.#selected;
		if (one?.kind === 'value' && one.counter === track.number)
			this.#outline(at[one.number], at[one.number + 1] ?? to, y, track.first);
	}

	#strip(number = 0) {
		const {width, scale} = this.#view;
		return (this.#strips[number] ??= new Strip(Math.round(width * scale)));
	}

	#pixelOf(time) {
		return Math.floor((time - this.#view.from) / this.#grain.perPixel);
	}

	#shade(strip, name, [from, to], busy) {
		const {perPixel} = this.#grain;
		// Their middle is in the pixel, however the ends are rounded.
		strip.add(this.#pixelOf((from + to) / 2), this.#colours[name], busy / perPixel);
	}

	// Style: {colour, text} of a slice.
	#drawLane(lane, y, height, style, strip, within = [this.#view.from, this.#view.to]) {
		stripSlices(lane, within, this.#grain, {
			wide: (i) =>
				this.#drawSlice(
					[
						Math.max(lane.starts[i], within[0]),
						Math.min(lane.ends[i], within[1]),
					],
					y,
					height,
					style.colour(i),
					style.text(i),
				),
			thin: (i, from, to, busy) =>
				this.#shade(strip, style.colour(i), [from, to], busy),
		});
	}

	#drawSlice([from, to], y, height, colour, text) {
		const {left, width} = this.#box(from, to, y, height, colour);
		const start = Math.max(left, 0);
		if (width >= TEXT_LEAST)
			this.#write(
				text,
				start,
				y + height / 2 + 0.5,
				Math.min(width, this.#view.width - start),
				'class-ink',
			);
	}

	#blit(strip, y, height) {
		strip.draw(this.#context, y, height, this.#view.scale);
	}

	#drawCore(track, y) {
		const {lane, thread} = this.#timeline.cores[track.number];
		const {from: first, to: last} = this.#view;
		const rows = Array.from({length: track.spans}, (_, depth) => depth);
		stripSlices(lane, [first, last], this.#grain, {
			wide: (i) => {
				const interval = [
					Math.max(lane.starts[i], first),
					Math.min(lane.ends[i], last),
				];
				const name = this.#timeline.threadName(thread[i]);
				this.#drawSlice(
					interval,
					y,
					ROW - 2,
					paletteColour(thread[i]),
					name,
				);
				for (const depth of rows)
					this.#drawSpans(
						thread[i],
						depth,
						y + ROW * (depth + 1),
						this.#strip(depth + 1),
						interval,
					);
			},
			thin: (i, from, to, busy) => {
				this.#shade(
					this.#strip(),
					paletteColour(thread[i]),
					[from, to],
					busy,
				);
				for (const depth of rows)
					this.#shadeSpan(
						thread[i],
						depth,
						(lane.starts[i] + lane.ends[i]) / 2,
						[from, to],
						busy,
					);
			},
		});
		this.#blit(this.#strip(), y, ROW - 2);
		for (const depth of rows)
			this.#blit(this.#strip(depth + 1), y + ROW * (depth + 1), ROW - 2);
		this.#outlineOnCore(track, y);
	}

	// Below runs that are thinner than a pixel: the span in the middle of one of them.
	#shadeSpan(thread, depth, middle, interval, busy) {
		const row = this.#timeline.tracks[thread].spans[depth];
		const number = row ? row.lane.at(middle) : -1;
		if (number >= 0)
			this.#shade(
				this.#strip(depth + 1),
				this.#spanColour(row.name[number]),
				interval,
				busy,
			);
	}

	#outlineOnCore(track, y) {
		const one = this.#selected;
		if (one?.kind !== 'run' && one?.kind !== 'span') return;
		const {lane, core} = this.#timeline.tracks[one.thread];
		if (one.kind === 'run') {
			if (core[one.run] === track.number)
				this.#outline(lane.starts[one.run], lane.ends[one.run], y, ROW - 2);
			return;
		}
		if (one.depth >= track.spans) return;
		const spans = this.#timeline.tracks[one.thread].spans[one.depth].lane;
		const from = Math.max(spans.starts[one.number], this.#view.from),
			to = Math.min(spans.ends[one.number], this.#view.to);
		stripSlices(lane, [from, to], this.#grain, {
			wide: (run) => {
				if (core[run] === track.number)
					this.#outline(
						Math.max(lane.starts[run], from),
						Math.min(lane.ends[run], to),
						y + ROW * (one.depth + 1),
						ROW - 2,
					);
			},
			thin: () => {},
		});
	}

	#drawSpans(thread, depth, y, strip, within) {
		const row = this.#timeline.tracks[thread].spans[depth];
		if (!row) return;
		const style = {
			colour: (i) => this.#spanColour(row.name[i]),
			text: (i) => this.#timeline.texts[row.name[i]],
		};
		this.#drawLane(row.lane, y, ROW - 2, style, strip, within);
	}

	#spanColour(name) {
		return `slice-${SPAN_COLOURS[this.#timeline.orderOfName(name) % PALETTE]}`;
	}

	#drawThread(track, y) {
		const {lane, core} = this.#timeline.tracks[track.number];
		const height = track.first - 2,
			strip = this.#strip();
		this.#drawGaps(track, y, height, strip);
		this.#blit(strip, y, height);
		const style = {
			colour: () => 'class-user',
			text: (i) => this.#timeline.cores[core[i]].name,
		};
		this.#drawLane(lane, y, height, style, strip);
		this.#blit(strip, y, height);
		for (let depth = 0; depth < track.spans; depth++) {
			const top = y + track.first + depth * ROW;
			this.#drawSpans(track.number, depth, top, strip);
			this.#blit(strip, top, ROW - 2);
		}
		this.#outlineOnThread(track, y);
	}

	#outlineOnThread(track, y) {
		const one = this.#selected;
		if (!one || one.thread !== track.number) return;
		const [from, to] = extentOf(this.#timeline, one);
		if (one.kind === 'run' || one.kind === 'gap')
			this.#outline(from, to, y, track.first - 2);
		else if (one.kind === 'span')
			this.#outline(from, to, y + track.first + one.depth * ROW, ROW - 2);
	}

	// The thread's states off the cores, below its runs, which leave this space free.
	#drawGaps(track, y, height, strip) {
		const {from, to} = this.#view;
		const own = this.#timeline.tracks[track.number];
		const {lane} = own;
		for (let run = Math.max(lane.after(from) - 1, 0); run < lane.count; ) {
			const start = lane.ends[run],
				end = lane.starts[run + 1] ?? this.#timeline.duration;
			if (start >= to) return;
			if (end > from && end - start < this.#grain.wide) {
				run = this.#shadeGap(own, run, Math.max(start, from), end, strip);
				continue;
			}
			for (const gap of this.#timeline.gapAfter(own, run))
				if (gap.to > from && gap.from < to)
					this.#box(gap.from, gap.to, y, height, OF_STATE[gap.state]);
			run++;
		}
	}

	// Draws a thin gap; returns the run whose gap is next.
	#shadeGap(own, run, start, end, strip) {
		const state = this.#timeline.mostlyAfter(own, run);
		if (state)
			for (let x = this.#pixelOf(start); x <= this.#pixelOf(end); x++)
				strip.add(x, this.#colours[OF_STATE[state]], 1);
		const next = own.lane.after(this.#grain.endOfPixel(end)) - 1;
		return Math.max(run + 1, next);
	}

	#box(from, to, y, height, name) {
		const left = Math.max(this.#x(from), -2),
			right = Math.min(this.#x(to), this.#view.width + 2);
		const width = right - left;
		this.#fill(name, left, y, width > WIDE ? width - 1 : Math.max(width, 0.5), height);
		return {left, width};
	}

	#outline(from, to, y, height) {
		const left = Math.max(this.#x(from), 1),
			right = Math.min(this.#x(to), this.#view.width - 1);
		if (right < 0 || left > this.#view.width) return;
		this.#context.strokeStyle = this.#colours.ink;
		this.#context.lineWidth = 2;
		this.#context.strokeRect(left, y, Math.max(right - left, 2), height);
	}
}

// By thread: the top of its track.
function topsOf({tracks}, offset) {
	const tops = new Map();
	for (const {kind, number, top} of tracks)
		if (kind === 'thread') tops.set(number, offset + top);
	return tops;
}

// 1, 2 or 5 times a power of ten, at least `least` and at least 1 ns.
export function stepOf(least) {
	const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
	return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least) ?? 10 * power;
}
