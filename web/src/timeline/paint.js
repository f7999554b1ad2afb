// SPDX-License-Identifier: BSD-2-Clause
// paint - draws the tracks that are in view onto a canvas.
//
// A lane with more slices in view than there are pixels is drawn a pixel at a time, as dense as it is
// busy there: so that a redraw costs what is seen, and not what was recorded.
import {clean} from '../clean.js';
import {exact, fit} from '../words.js';
import {GAP, LABEL, ROW} from './layout.js';
import {countUpTo} from './lane.js';
import {LEFT} from './model.js';

export const AXIS = 24;
const FONT = '11px system-ui, sans-serif';
const PALETTE = 8;
const DENSE = 2; // slices a pixel
const SHADES = 8;
const TEXT_LEAST = 30;
const ARROWS_MOST = 300;
const LABEL_MOST = 120;

export const COLOURS = [
	'ink',
	'faint',
	'grid',
	'axis',
	'card',
	'accent',
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

export class Painter {
	#context;
	#timeline;
	#view; // {from, to, width, height, scroll}
	#colours;
	#selected;

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
		context.clearRect(0, 0, view.width, view.height);
		context.font = FONT;
		context.textBaseline = 'middle';
		this.#drawAxis();
		context.save();
		context.beginPath();
		context.rect(0, AXIS, view.width, view.height - AXIS);
		context.clip();
		for (const track of layout.tracks) {
			const y = AXIS + track.top - view.scroll;
			if (y + track.height > AXIS && y < view.height) this.#drawTrack(track, y);
		}
		this.#drawArrows(layout);
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
		this.#context.fillText(fit(clean(text), letters), x + 3, y, width - 4);
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
		const timeline = this.#timeline;
		const name = {
			core: (number) => `core ${timeline.cores[number].cpu}`,
			thread: (number) => timeline.threadName(number),
			counter: (number) => timeline.texts[timeline.counters[number].name],
		}[track.kind](track.number);
		this.#fill('grid', 0, y, this.#view.width, 1);
		this.#context.fillStyle = this.#colours.ink;
		this.#context.fillText(fit(clean(name), LABEL_MOST), 3, y + LABEL / 2 + 1);
		const top = y + LABEL;
		if (track.kind === 'core') this.#drawCore(track, top);
		else if (track.kind === 'thread') this.#drawThread(track, top);
		else this.#drawCounter(track, top);
	}

	// Steps from 0; where there are more values than pixels, the last one of each pixel.
	#drawCounter(track, y) {
		const {at, value, least, most} = this.#timeline.counters[track.number];
		const {from, to, width} = this.#view;
		const base = y + track.first;
		const heightOf = (i) => ((value[i] - least) / (most - least)) * (track.first - 2);
		for (let x = 0; x < width; x++) {
			const end = from + ((x + 1) / width) * (to - from);
			const i = countUpTo(at, end) - 1;
			if (i < 0) continue;
			const height = Math.max(heightOf(i), 1);
			this.#fill('slice-1', x, base - height, 1, height);
		}
		const one = this.#selected;
		if (one?.kind === 'value' && one.counter === track.number)
			this.#outline(at[one.number], at[one.number + 1] ?? to, y, track.first);
	}

	// Marks of single moments, with their names while there is room for them.
	#drawInstants(track, y) {
		const {at, name} = this.#timeline.tracks[track.number].instants;
		const first = countUpTo(at, this.#view.from - 0.5),
			end = countUpTo(at, this.#view.to);
		if (end === first) return;
		const step = Math.max(Math.floor((end - first) / this.#view.width), 1);
		const room = this.#view.width / (end - first);
		for (let i = first; i < end; i += step) {
			const x = this.#x(at[i]);
			this.#context.fillStyle = this.#colours.ink;
			this.#context.beginPath();
			this.#context.moveTo(x - 3.5, y - 6);
			this.#context.lineTo(x + 3.5, y - 6);
			this.#context.lineTo(x, y);
			this.#context.fill();
			if (room > LABEL_MOST / 2 && x > LABEL_MOST)
				this.#write(
					this.#timeline.texts[name[i]],
					x + 3,
					y - 6,
					room,
					'ink',
				);
		}
	}

	#drawCore(track, y) {
		const core = this.#timeline.cores[track.number];
		const isDense = this.#drawLane(core.lane, y, ROW - 2, {
			colour: (i) => paletteColour(core.thread[i]),
			text: (i) => this.#timeline.threadName(core.thread[i]),
			isSelected: (i) => {
				const one = this.#selected;
				return (
					one?.kind === 'run' &&
					one.thread === core.thread[i] &&
					this.#timeline.tracks[one.thread].run[one.run] === i &&
					this.#timeline.tracks[one.thread].core[one.run] ===
						track.number
				);
			},
		});
		if (isDense || !track.spans) return;
		const {lane, thread} = core;
		for (let i = lane.after(this.#view.from); i < lane.count; i++) {
			if (lane.starts[i] >= this.#view.to) break;
			this.#clipped(lane.starts[i], lane.ends[i], y, () => {
				for (let depth = 0; depth < track.spans; depth++)
					this.#drawSpans(thread[i], depth, y + ROW * (depth + 1), [
						lane.starts[i],
						lane.ends[i],
					]);
			});
		}
	}

	// Spans stand on a core only while their thread ran there.
	#clipped(from, to, y, action) {
		const context = this.#context,
			left = this.#x(from);
		context.save();
		context.beginPath();
		context.rect(left, y, Math.max(this.#x(to) - left, 0.5), this.#view.height);
		context.clip();
		action();
		context.restore();
	}

	#drawSpans(thread, depth, y, within) {
		const row = this.#timeline.tracks[thread].spans[depth];
		if (!row) return;
		this.#drawLane(
			row.lane,
			y,
			ROW - 2,
			{
				colour: (i) => paletteColour(row.name[i] + 3),
				text: (i) => this.#timeline.texts[row.name[i]],
				isSelected: (i) =>
					this.#selected?.kind === 'span' &&
					this.#selected.thread === thread &&
					this.#selected.depth === depth &&
					this.#selected.number === i,
			},
			within,
		);
	}

	#drawThread(track, y) {
		const {lane} = this.#timeline.tracks[track.number];
		if (!this.#isDense(lane, [this.#view.from, this.#view.to]))
			this.#drawGaps(track, y);
		else this.#drawDenseGaps(track, y);
		this.#drawLane(lane, y, track.first - 2, {
			colour: () => 'class-user',
			text: (i) => `core ${this.#timeline.cores[this.#coreOf(track, i)].cpu}`,
			isSelected: (i) =>
				this.#selected?.kind === 'run' &&
				this.#selected.thread === track.number &&
				this.#selected.run === i,
		});
		for (let depth = 0; depth < track.spans; depth++)
			this.#drawSpans(track.number, depth, y + track.first + depth * ROW, [
				this.#view.from,
				this.#view.to,
			]);
		this.#drawInstants(track, y);
	}

	#coreOf(track, run) {
		return this.#timeline.tracks[track.number].core[run];
	}

	#drawGaps(track, y) {
		const {from, to} = this.#view;
		const own = this.#timeline.tracks[track.number];
		for (let i = Math.max(own.lane.after(from) - 1, 0); i < own.lane.count; i++) {
			if (own.lane.starts[i] >= to) break;
			for (const gap of this.#timeline.gapAfter(own, i)) {
				if (gap.to <= from || gap.from >= to) continue;
				this.#box(
					gap.from,
					gap.to,
					y,
					track.first - 2,
					OF_STATE[gap.state],
				);
				const one = this.#selected;
				if (
					one?.kind === 'gap' &&
					one.thread === track.number &&
					one.from === gap.from
				)
					this.#outline(gap.from, gap.to, y, track.first - 2);
			}
		}
	}

	// The state in the middle of each pixel, below what the runs leave free.
	#drawDenseGaps(track, y) {
		const own = this.#timeline.tracks[track.number];
		const {from, to, width} = this.#view;
		for (let x = 0; x < width; x++) {
			const time = from + ((x + 0.5) / width) * (to - from);
			const run = own.lane.after(time) - 1;
			if (run < 0) continue;
			const gaps = this.#timeline.gapAfter(own, run);
			const gap = gaps.find((one) => time < one.to) ?? gaps.at(-1);
			if (gap) this.#fill(OF_STATE[gap.state], x, y, 1, track.first - 2);
		}
	}

	#box(from, to, y, height, name) {
		const left = Math.max(this.#x(from), -2),
			right = Math.min(this.#x(to), this.#view.width + 2);
		this.#fill(name, left, y, Math.max(right - left, 0.5), height);
		return {left, width: right - left};
	}

	#outline(from, to, y, height) {
		const left = Math.max(this.#x(from), 1),
			right = Math.min(this.#x(to), this.#view.width - 1);
		this.#context.strokeStyle = this.#colours.ink;
		this.#context.lineWidth = 2;
		this.#context.strokeRect(left, y, Math.max(right - left, 2), height);
	}

	#isDense(lane, [from, to]) {
		const count = countUpTo(lane.starts, to) - lane.after(from);
		return count > DENSE * Math.max(this.#x(to) - this.#x(from), 1);
	}

	// Look: {colour, text, isSelected} of a slice. Says whether it was drawn by pixels.
	#drawLane(lane, y, height, look, within = [this.#view.from, this.#view.to]) {
		const from = Math.max(within[0], this.#view.from),
			to = Math.min(within[1], this.#view.to);
		if (this.#isDense(lane, [from, to])) {
			this.#drawDense(lane, y, height, look, [from, to]);
			return true;
		}
		for (let i = lane.after(from); i < lane.count && lane.starts[i] < to; i++) {
			const {left, width} = this.#box(
				lane.starts[i],
				lane.ends[i],
				y,
				height,
				look.colour(i),
			);
			if (width >= TEXT_LEAST)
				this.#write(
					look.text(i),
					Math.max(left, 0),
					y + height / 2 + 0.5,
					Math.min(width, this.#view.width - Math.max(left, 0)),
					'class-ink',
				);
			if (look.isSelected(i))
				this.#outline(lane.starts[i], lane.ends[i], y, height);
		}
		return false;
	}

	#drawDense(lane, y, height, look, [from, to]) {
		const {width} = this.#view;
		const perPixel = (this.#view.to - this.#view.from) / width;
		const first = Math.max(Math.floor(this.#x(from)), 0),
			last = Math.min(Math.ceil(this.#x(to)), width);
		let before = lane.busyUntil(this.#view.from + first * perPixel);
		for (let x = first; x < last; x++) {
			const end = this.#view.from + (x + 1) * perPixel;
			const busy = lane.busyUntil(end);
			const share = (busy - before) / perPixel;
			before = busy;
			if (share <= 0) continue;
			const i = Math.min(lane.after(end - perPixel / 2), lane.count - 1);
			this.#context.globalAlpha = Math.ceil(share * SHADES) / SHADES;
			this.#fill(look.colour(i), x, y, 1, height);
		}
		this.#context.globalAlpha = 1;
	}

	// From the waker's track to the woken thread's, where there are few enough to be told apart.
	#drawArrows(layout) {
		const {wakes} = this.#timeline;
		const first = countUpTo(wakes.at, this.#view.from - 0.5),
			end = countUpTo(wakes.at, this.#view.to);
		if (end - first > ARROWS_MOST) return;
		const places = new Map();
		for (const track of layout.tracks)
			if (track.kind === 'thread')
				places.set(
					track.number,
					AXIS + track.top + LABEL - this.#view.scroll,
				);
		for (let i = first; i < end; i++)
			this.#drawArrow(
				this.#x(wakes.at[i]),
				places.get(wakes.waker[i] - 1),
				places.get(wakes.woken[i]),
			);
	}

	#drawArrow(x, from, to) {
		if (to === undefined) return;
		const context = this.#context;
		const start = from ?? to - GAP; // an interrupt: a short one
		const down = to >= start;
		const tip = down ? to : to + 11;
		context.strokeStyle = context.fillStyle = this.#colours.accent;
		context.lineWidth = 1;
		context.beginPath();
		context.moveTo(x, down ? start + (from === undefined ? 0 : 11) : start);
		context.lineTo(x, tip);
		context.stroke();
		context.beginPath();
		context.moveTo(x, tip);
		context.lineTo(x - 3, tip + (down ? -5 : 5));
		context.lineTo(x + 3, tip + (down ? -5 : 5));
		context.fill();
	}
}

// 1, 2 or 5 times a power of ten, at least `least` and at least 1 ns.
export function stepOf(least) {
	const power = 10 ** Math.floor(Math.log10(Math.max(least, 1)));
	return [1, 2, 5, 10].map((one) => one * power).find((one) => one >= least) ?? 10 * power;
}
