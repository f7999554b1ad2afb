// SPDX-License-Identifier: BSD-2-Clause
// view - the timeline: cores, threads and annotations on a canvas, and the figures of a slice.
import {element, labelled} from '../dom.js';
import {colour, onTheme} from '../theme.js';
import {duration, exact, plural, share} from '../format.js';
import {about} from '../header.js';
import {Tooltip} from './tooltip.js';
import {extentOf, layoutOf, neighbour, nextMark, sliceAt} from './layout.js';
import {Timeline} from './model.js';
import {listen, panned, zoomed} from './pan_zoom.js';
import {AXIS, COLOURS, Painter} from './paint.js';
import {figureTables} from './spans.js';
import {summaryOf, figuresOf} from './slice_details.js';

const HEIGHT_MOST = 0.72, // of the window
	PAPER_MOST = 900; // pixels: of a sheet
const REACH = 5; // pixels: greatest distance at which a mark is meant
const LEGEND = {
	'class-user': 'on a core',
	'class-S': 'waiting for a CPU',
	'class-L': 'waiting for a lock',
	'class-I': 'waiting for I/O',
	'class-B': 'waiting for other things',
};
const LEAST_TOLD = 0.01; // of the threads' time
const SIGNS = {ink: '\u2501 '};
const ARROWS = {accent: 'wakes', flow: 'flow of the program', ink: 'critical path'};

// Where the time of all threads goes, as in the legend: ": 50.0 % on a core, 29.2 % for a lock".
function timesOf({threads = []}) {
	const keys = {running: 'user', runnable: 'S', I: 'I', L: 'L', B: 'B'};
	const sums = Object.keys(keys).map((key) =>
		threads.reduce((sum, {time}) => sum + (time[key] ?? 0), 0),
	);
	const all = sums.reduce((sum, one) => sum + one, 0);
	const parts = Object.values(keys)
		.map((key, i) => [sums[i], LEGEND[`class-${key}`]])
		.filter(([sum]) => sum >= LEAST_TOLD * all && sum)
		.sort(([a], [b]) => b - a)
		.map(([sum, name]) => `${share(sum / all)} ${name}`);
	return parts.length ? `: ${parts.join(', ')}` : '';
}

class TimelineView {
	#report;
	#timeline;
	#canvas = element('canvas', {
		class: 'timeline',
		tabindex: '0',
		role: 'application',
		'aria-label':
			'Timeline. Arrow left and right move, plus and minus zoom, arrow up and down choose a track, ' +
			'Shift with left and right the slice before and after, comma and full stop the mark, ' +
			'Enter shows it as wide as the window.',
	});
	#spacer = element('div', {class: 'spacer'});
	#scroller = element('div', {class: 'tracks'}, this.#spacer);
	#said = element('output', {class: 'slice'});
	#shown = element('output', {class: 'interval'});
	#tooltip = new Tooltip();
	#layout;
	#view;
	#state = {cores: true, threads: true, query: ''};
	#track = 0; // chosen by keys
	#selected = null;
	#colours = null;
	#isAsked = false;

	constructor(report, data) {
		this.#report = report;
		this.#timeline = new Timeline(data);
		this.#view = {from: 0, to: this.#timeline.duration};
		this.#scroller.prepend(this.#canvas, this.#tooltip.node);
		this.#scroller.addEventListener('scroll', () => {
			this.#tooltip.hide();
			this.#ask();
		});
		onTheme(() => {
			this.#colours = null;
			this.#draw();
		});
		addEventListener('beforeprint', () => {
			this.#place(PAPER_MOST);
			this.#draw();
		});
		addEventListener('afterprint', () => this.#place());
		new ResizeObserver(() => this.#draw()).observe(this.#scroller);
		listen(this.#canvas, {
			duration: this.#timeline.duration,
			view: () => this.#view,
			show: (view) => this.#show(view),
			timeAt: (x) => this.#timeAt(x),
			click: (x, y) => this.#click(x, y),
			point: (place) => this.#point(place),
			key: (name) => this.#key(name),
		});
	}

	#timeAt(x) {
		const {from, to} = this.#view;
		return from + (x / this.#canvas.clientWidth) * (to - from);
	}

	#show(view) {
		this.#tooltip.hide();
		this.#view = view;
		this.#ask();
	}

	// Once for all events before the next frame.
	#ask() {
		if (this.#isAsked) return;
		this.#isAsked = true;
		requestAnimationFrame(() => {
			this.#isAsked = false;
			this.#draw();
		});
	}

	#place(most = Math.max(innerHeight * HEIGHT_MOST, 200)) {
		this.#layout = layoutOf(this.#timeline, this.#state);
		const height = Math.min(this.#layout.height + AXIS, most);
		this.#scroller.style.setProperty('height', `${height}px`);
		this.#spacer.style.setProperty(
			'height',
			`${this.#layout.height + AXIS - height}px`,
		);
		this.#canvas.style.setProperty('height', `${height}px`);
		this.#ask();
	}

	#draw() {
		const width = this.#scroller.clientWidth,
			height = this.#scroller.clientHeight;
		if (!width || !height || !this.#layout) return;
		performance.mark('draw-start');
		this.#colours ??= Object.fromEntries(COLOURS.map((name) => [name, colour(name)]));
		const scale = devicePixelRatio;
		const size = [Math.round(width * scale), Math.round(height * scale)];
		if (this.#canvas.width !== size[0]) this.#canvas.width = size[0];
		if (this.#canvas.height !== size[1]) this.#canvas.height = size[1];
		this.#canvas.style.setProperty('width', `${width}px`);
		const context = this.#canvas.getContext('2d');
		context.setTransform(scale, 0, 0, scale, 0, 0);
		new Painter(context, this.#timeline, this.#colours).draw(
			this.#layout,
			{...this.#view, width, height, scale, scroll: this.#scroller.scrollTop},
			this.#selected,
		);
		this.#shown.textContent =
			`${exact(this.#view.from)} to ${exact(this.#view.to)} ` +
			`(${exact(this.#view.to - this.#view.from)})`;
		performance.measure('draw', 'draw-start'); // for bench/page.mjs
		performance.clearMarks('draw-start');
	}

	#select(slice) {
		this.#selected = slice;
		this.#describe();
		this.#ask();
	}

	#describe() {
		if (!this.#selected) {
			this.#said.replaceChildren(
				element('p', {class: 'note'}, 'Click a slice for its figures.'),
			);
			return;
		}
		const {title, pairs} = figuresOf(this.#timeline, this.#selected);
		this.#said.replaceChildren(
			element('b', {class: 'name'}, title),
			element(
				'dl',
				{class: 'facts'},
				pairs
					.filter(([, value]) => value !== null)
					.map(([name, value]) =>
						element(
							'div',
							{},
							element('dt', {}, name),
							element(
								'dd',
								{},
								element('div', {}, String(value)),
							),
						),
					),
			),
		);
	}

	// The track's number and the slice at a position: {number, slice}; null outside of the tracks.
	#at(x, y) {
		const below = y - AXIS + this.#scroller.scrollTop;
		const number = this.#layout.tracks.findIndex(
			(one) => below >= one.top && below < one.top + one.height,
		);
		if (y < AXIS || number < 0) return null;
		const track = this.#layout.tracks[number],
			reach = this.#timeAt(REACH) - this.#timeAt(0);
		const slice = sliceAt(
			this.#timeline,
			track,
			this.#timeAt(x),
			below - track.top,
			reach,
		);
		return {number, slice};
	}

	#click(x, y) {
		const found = this.#at(x, y);
		if (!found) return;
		this.#track = found.number;
		this.#select(found.slice);
	}

	#point(place) {
		const slice = place && this.#at(place.x, place.y)?.slice;
		if (slice)
			this.#tooltip.show(summaryOf(this.#timeline, slice), this.#canvas, place);
		else this.#tooltip.hide();
	}

	#key(name) {
		const {tracks} = this.#layout;
		if (!tracks.length) return;
		this.#tooltip.hide();
		if (name === 'none') this.#select(null);
		else if (name === 'fit') this.#fit();
		else if (name === 'before') this.#step(-1, neighbour);
		else if (name === 'after') this.#step(1, neighbour);
		else if (name === 'mark before') this.#step(-1, nextMark);
		else if (name === 'next mark') this.#step(1, nextMark);
		else {
			const number = this.#track + (name === 'down' ? 1 : -1);
			this.#track = Math.min(Math.max(number, 0), tracks.length - 1);
			const {top} = tracks[this.#track];
			this.#scroller.scrollTop = Math.max(
				top - this.#scroller.clientHeight / 2,
				0,
			);
			const middle = (this.#view.from + this.#view.to) / 2;
			const next = (step) =>
				neighbour(this.#timeline, tracks[this.#track], middle, step);
			this.#select(next(-1) ?? next(1));
		}
	}

	// Goes to the slice or mark before or after, and brings it into view.
	#step(direction, find) {
		const start = this.#selected
			? extentOf(this.#timeline, this.#selected)[0]
			: this.#view.from;
		const track = this.#layout.tracks[this.#track];
		const slice = find(this.#timeline, track, start, direction);
		if (!slice) return;
		const [from, to] = extentOf(this.#timeline, slice);
		if (from < this.#view.from || to > this.#view.to) {
			const middle = (from + to) / 2 - (this.#view.from + this.#view.to) / 2;
			this.#view = panned(this.#view, middle, this.#timeline.duration);
		}
		this.#select(slice);
	}

	#fit() {
		if (!this.#selected) return;
		const [from, to] = extentOf(this.#timeline, this.#selected);
		const margin = Math.max((to - from) / 10, 1);
		this.#show(
			panned({from: from - margin, to: to + margin}, 0, this.#timeline.duration),
		);
	}

	#button(text, label, action) {
		return element(
			'button',
			{type: 'button', 'aria-label': label, on: {click: action}},
			text,
		);
	}

	#zoom(factor) {
		const middle = (this.#view.from + this.#view.to) / 2;
		this.#show(zoomed(this.#view, factor, middle, this.#timeline.duration));
	}

	#box(text, key) {
		const control = element('input', {
			type: 'checkbox',
			checked: true,
			on: {
				change: () => {
					this.#state[key] = control.checked;
					this.#place();
				},
			},
		});
		return labelled(text, control, 'check');
	}

	#toolbar() {
		const search = element('input', {
			type: 'search',
			placeholder: 'name',
			spellcheck: 'false',
			on: {
				input: () => {
					this.#state.query = search.value;
					this.#place();
				},
			},
		});
		return element(
			'form',
			{
				class: 'toolbar',
				role: 'search',
				on: {submit: (event) => event.preventDefault()},
			},
			labelled('Threads', search, 'query'),
			this.#box('Cores', 'cores'),
			this.#box('Threads', 'threads'),
			element(
				'div',
				{class: 'buttons'},
				this.#button('+', 'Zoom in', () => this.#zoom(1 / 2)),
				this.#button('\u2212', 'Zoom out', () => this.#zoom(2)),
				this.#button('All', 'Show all', () =>
					this.#show({from: 0, to: this.#timeline.duration}),
				),
			),
		);
	}

	#legend() {
		return element(
			'p',
			{class: 'legend states'},
			Object.entries(LEGEND).map(([name, text]) =>
				element(
					'span',
					{},
					element('i', {
						class: 'swatch',
						style: {background: `var(--${name})`},
					}),
					text,
				),
			),
			this.#arrows(),
		);
	}

	#arrows() {
		const {wakes, flows, path} = this.#timeline;
		return Object.entries({accent: wakes, flow: flows, ink: {at: path.start}})
			.filter(([, {at}]) => at.length)
			.map(([name]) =>
				element(
					'span',
					{},
					element(
						'b',
						{style: {color: `var(--${name})`}},
						SIGNS[name] ?? '\u2192 ',
					),
					ARROWS[name],
				),
			);
	}

	build() {
		const {slices, cores, threads} = this.#timeline;
		const seen = threads.filter((_, number) => this.#timeline.isSeen(number)).length;
		const main = element(
			'main',
			{},
			element(
				'p',
				{class: 'verdict'},
				`${plural(seen, 'thread')} on ${plural(cores.length, 'core')} in ` +
					`${duration(this.#timeline.duration)}${timesOf(this.#report)}.`,
			),
			about(this.#report),
			element('p', {class: 'summary'}, plural(slices, 'slice')),
			this.#toolbar(),
			this.#legend(),
			this.#scroller,
			this.#shown,
			this.#said,
			figureTables(this.#report),
			element(
				'details',
				{class: 'legend'},
				element('summary', {}, 'How to move'),
				element(
					'p',
					{},
					'Drag to move, with two fingers to zoom; Ctrl and the wheel zoom, Shift and the wheel move. ' +
						'Keys: arrows left and right move, + and \u2212 zoom, Home shows all; up and down choose a track, ' +
						'Shift with left and right the slice before and after, comma and full stop the mark before and after; ' +
						'Enter makes it as wide as the window. ' +
						'A triangle is a mark of the program, an upright arrow a wake-up, a bent arrow a flow. ' +
						'More than 300 arrows are not drawn.',
				),
			),
		);
		this.#describe();
		this.#place();
		return main;
	}
}

export function timelineView({report, timeline}) {
	return new TimelineView(report, timeline).build();
}
