// SPDX-License-Identifier: BSD-2-Clause
// flame - a flame graph on a canvas: frames as wide as their time, callers above callees.
//
// A frame has the colours of its parts, in proportion: the classes of its samples, or its change. Click or Enter zooms to a frame,
// Escape back to all; the arrow keys move between frames. Only frames wider than a third of a pixel
// are visited, so the cost of drawing depends on the width of the graph, not on the recording.
import {sanitize} from '../sanitize.js';
import {colour, onTheme} from '../theme.js';

const ROW = 19,
	GAP = 1,
	LEAST_WIDTH = 0.33,
	TEXT_LEAST = 34,
	PADDING = 4;
const FONT = '12px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace';

function depthOf(node, least) {
	let depth = node.depth;
	for (const child of node.children)
		if (child.weight >= least) depth = Math.max(depth, depthOf(child, least));
	return depth;
}

export class Flame {
	#canvas;
	#notify; // called with the node at the mouse or chosen by keys
	#partsOf; // of a node: [name of a colour, weight] of each of its parts
	#root = null;
	#zoom = null;
	#focus = null;
	#rows = []; // boxes by depth, from left to right
	#look = null;
	#found = () => false;
	#isSearching = false;

	constructor(canvas, notify, partsOf) {
		this.#canvas = canvas;
		this.#notify = notify;
		this.#partsOf = partsOf;
		canvas.addEventListener('mousemove', (event) => this.#point(event));
		canvas.addEventListener('mouseleave', () => this.#focusOn(null));
		canvas.addEventListener('click', (event) => this.#click(event));
		canvas.addEventListener('keydown', (event) => this.#key(event));
		new ResizeObserver(() => this.draw()).observe(canvas.parentElement);
		onTheme(() => this.draw());
	}

	show(root) {
		this.#root = this.#zoom = root;
		this.#focus = null;
		this.draw();
	}

	get zoomed() {
		return this.#zoom;
	}

	// Highlights the frames that match, fades the others; an empty query highlights all.
	search(query) {
		const wanted = query.trim().toLowerCase();
		this.#isSearching = wanted !== '';
		this.#found = (node) => node.name.toLowerCase().includes(wanted);
		this.draw();
	}

	zoomTo(node) {
		this.#zoom = node;
		this.draw();
		this.#focusOn(node);
	}

	draw() {
		const width = this.#canvas.parentElement.clientWidth;
		if (!this.#root || !width) return;
		const least = (LEAST_WIDTH * this.#zoom.weight) / width;
		const height = (depthOf(this.#zoom, least) + 1) * ROW;
		const scale = devicePixelRatio;
		this.#canvas.width = width * scale;
		this.#canvas.height = height * scale;
		this.#canvas.style.setProperty('width', `${width}px`);
		this.#canvas.style.setProperty('height', `${height}px`);
		const context = this.#canvas.getContext('2d');
		context.scale(scale, scale);
		context.font = FONT;
		context.textBaseline = 'middle';
		this.#rows = [];
		this.#place(width);
		this.#look = {
			colours: new Map(),
			ink: colour('class-ink'),
			mark: colour('ink'),
			letter: context.measureText('m').width,
		};
		for (const row of this.#rows) for (const box of row) this.#paint(context, box);
	}

	#add(box) {
		(this.#rows[box.node.depth] ??= []).push(box);
	}

	// The callers of the frame that is zoomed to are as wide as it.
	#place(width) {
		for (let node = this.#zoom.parent; node; node = node.parent)
			this.#add({node, x: 0, width, isPassed: true});
		this.#placeBelow(this.#zoom, 0, width, width / Math.max(this.#zoom.weight, 1));
	}

	#placeBelow(node, x, width, scale) {
		this.#add({node, x, width});
		let at = x;
		for (const child of node.children) {
			const own = child.weight * scale;
			if (own < LEAST_WIDTH) break; // in descending order
			this.#placeBelow(child, at, own, scale);
			at += own;
		}
	}

	#paint(context, {node, x, width, isPassed}) {
		const look = this.#look;
		const y = node.depth * ROW,
			inner = Math.max(width - GAP, LEAST_WIDTH);
		const fades = isPassed || (this.#isSearching && !this.#found(node));
		context.globalAlpha = fades ? 0.35 : 1;
		let at = x;
		for (const [name, own] of this.#partsOf(node)) {
			if (!own) continue;
			const part = (inner * own) / Math.max(node.weight, 1);
			context.fillStyle = this.#colour(name);
			context.fillRect(at, y, part, ROW - GAP);
			at += part;
		}
		if (width >= TEXT_LEAST) this.#write(context, node, x, y, inner);
		context.globalAlpha = 1;
		if (node === this.#focus) {
			context.strokeStyle = look.mark;
			context.lineWidth = 2;
			context.strokeRect(x + 1, y + 1, Math.max(inner - 2, 1), ROW - GAP - 2);
		}
	}

	#colour(name) {
		const {colours} = this.#look;
		if (!colours.has(name)) colours.set(name, colour(name));
		return colours.get(name);
	}

	#write(context, node, x, y, width) {
		const most = Math.floor((width - 2 * PADDING) / this.#look.letter);
		if (most < 3) return;
		const name = sanitize(node.name);
		const fitted = name.length > most ? `${name.slice(0, most - 1)}…` : name;
		context.fillStyle = this.#look.ink;
		context.fillText(fitted, x + PADDING, y + ROW / 2);
	}

	#at(event) {
		const box = this.#canvas.getBoundingClientRect();
		const x = event.clientX - box.left,
			depth = Math.floor((event.clientY - box.top) / ROW);
		return (
			this.#rows[depth]?.find((one) => x >= one.x && x < one.x + one.width)
				?.node ?? null
		);
	}

	// The frame's row, as it looks now.
	#repaint(node) {
		const row = node && this.#rows[node.depth];
		if (!row) return;
		const context = this.#canvas.getContext('2d');
		context.clearRect(0, node.depth * ROW, this.#canvas.width, ROW);
		for (const box of row) this.#paint(context, box);
	}

	#focusOn(node) {
		const before = this.#focus;
		if (node === before) return;
		this.#focus = node;
		this.#repaint(before);
		this.#repaint(node);
		this.#notify(node);
	}

	#point(event) {
		this.#focusOn(this.#at(event));
	}

	#click(event) {
		const node = this.#at(event);
		if (node) this.zoomTo(node);
	}

	#walk(key) {
		const now = this.#focus ?? this.#zoom;
		const siblings = now.parent?.children ?? [now];
		const step = {ArrowLeft: -1, ArrowRight: 1}[key];
		if (step) return siblings[siblings.indexOf(now) + step] ?? now;
		return key === 'ArrowDown' ? (now.children[0] ?? now) : (now.parent ?? now);
	}

	#key(event) {
		if (event.key.startsWith('Arrow')) this.#focusOn(this.#walk(event.key));
		else if (event.key === 'Enter' && this.#focus) this.zoomTo(this.#focus);
		else if (event.key === 'Escape') this.zoomTo(this.#root);
		else return;
		event.preventDefault();
	}
}
