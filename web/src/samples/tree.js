// SPDX-License-Identifier: BSD-2-Clause
// tree - call chains as a tree, outermost function first, or inverted, innermost first. No DOM here.
//
// A node's children are computed on demand: of a hundred thousand chains only the branches are split
// that are wide enough to be visible.
import {KEYS, waitName} from './classes.js';

function textsOf({texts}, numbers) {
	return numbers.map((number) => (number ? texts[number - 1] : null));
}

// Each name once: name -> number.
class Names {
	all = [];
	#numbers = new Map();

	number(name) {
		let number = this.#numbers.get(name);
		if (number === undefined) {
			number = this.all.push(name) - 1;
			this.#numbers.set(name, number);
		}
		return number;
	}
}

// How many frames each stack has; callers stand before their callees.
function depthsOf({up}) {
	const depths = new Int32Array(up.length);
	for (let i = 0; i < up.length; i++) depths[i] = up[i] ? depths[i - up[i]] + 1 : 1;
	return depths;
}

// The report's tables (src/report/samples_page.h), ready to be summed. Entries are known by number.
export class Samples {
	#starts; // of each entry's chain in the next two, and where the last one ends
	#names; // outermost first
	#frames;

	constructor(tables) {
		const {frames, entries} = tables;
		const functions = textsOf(tables, frames.function);
		const objects = textsOf(tables, frames.object);
		this.names = new Names();
		this.files = textsOf(tables, frames.file);
		this.lines = frames.line;
		this.count = entries.stack.length;
		this.weights = Float64Array.from(entries.weight_ns);
		this.samples = Float64Array.from(entries.samples);
		this.classes = Uint8Array.from(entries.class);
		this.subclasses = textsOf(tables, entries.subclass);
		this.threads = this.#threadsOf(tables);
		this.threadOf = entries.thread;
		const nameOf = functions.map((name, i) =>
			this.names.number(name ?? objects[i] ?? 'unknown'),
		);
		this.#fillChains(tables, nameOf);
	}

	#threadsOf(tables) {
		const {pid, tid, command} = tables.threads;
		const commands = textsOf(tables, command);
		return pid.map((id, i) => ({
			key: `${id}/${tid[i]}`,
			name: `${commands[i] ?? 'unknown'} (${tid[i]})`,
		}));
	}

	// The class of a wait is one more frame at the inner end of its chain.
	#waits(entry) {
		return (
			KEYS[this.classes[entry]] !== 'user' &&
			KEYS[this.classes[entry]] !== 'kernel'
		);
	}

	#fillChains({stacks, entries}, nameOf) {
		const depths = depthsOf(stacks);
		this.#starts = new Int32Array(this.count + 1);
		for (let i = 0; i < this.count; i++) {
			const depth = entries.stack[i] ? depths[entries.stack[i] - 1] : 0;
			this.#starts[i + 1] = this.#starts[i] + depth + (this.#waits(i) ? 1 : 0);
		}
		this.#names = new Int32Array(this.#starts[this.count]);
		this.#frames = new Int32Array(this.#names.length).fill(-1);
		for (let i = 0; i < this.count; i++) {
			let at = this.#starts[i + 1] - 1;
			if (this.#waits(i))
				this.#names[at--] = this.names.number(
					waitName(this.classes[i], this.subclasses[i]),
				);
			for (let stack = entries.stack[i] - 1; at >= this.#starts[i]; at--) {
				this.#frames[at] = stacks.frame[stack];
				this.#names[at] = nameOf[stacks.frame[stack]];
				stack -= stacks.up[stack];
			}
		}
	}

	depth(entry) {
		return this.#starts[entry + 1] - this.#starts[entry];
	}

	#place(entry, at, isInverted) {
		return isInverted ? this.#starts[entry + 1] - 1 - at : this.#starts[entry] + at;
	}

	nameAt(entry, at, isInverted) {
		return this.#names[this.#place(entry, at, isInverted)];
	}

	// {file, line} of the frame, or null of a wait.
	siteAt(entry, at, isInverted) {
		const frame = this.#frames[this.#place(entry, at, isInverted)];
		return frame < 0 ? null : {file: this.files[frame], line: this.lines[frame]};
	}

	// The innermost frame that is no wait; -1 if there is none.
	innermost(entry) {
		return this.depth(entry) - (this.#waits(entry) ? 2 : 1);
	}

	// key -> name, heaviest first.
	threadNames() {
		const known = new Map();
		for (let i = 0; i < this.count; i++) {
			const {key, name} = this.threads[this.threadOf[i]];
			const thread = known.get(key) ?? {name, weight: 0};
			known.set(key, thread);
			thread.weight += this.weights[i];
		}
		return [...known]
			.sort((a, b) => b[1].weight - a[1].weight)
			.map(([key, {name}]) => [key, name]);
	}

	// Time of all entries by class.
	weightsByClass() {
		const sums = new Float64Array(KEYS.length);
		for (let i = 0; i < this.count; i++) sums[this.classes[i]] += this.weights[i];
		return sums;
	}

	// Numbers of the entries that pass. State: {classes: Set of keys, thread: key or ''}
	select(state) {
		const passes = KEYS.map((key) => state.classes.has(key));
		const entries = [];
		for (let i = 0; i < this.count; i++) {
			const isOfThread =
				!state.thread ||
				this.threads[this.threadOf[i]].key === state.thread;
			if (passes[this.classes[i]] && isOfThread) entries.push(i);
		}
		return entries;
	}
}

class Node {
	#tree; // {samples, isInverted}
	#entries = [];
	#children = null;

	constructor(tree, name, parent) {
		this.#tree = tree;
		this.name = name;
		this.parent = parent;
		this.depth = parent ? parent.depth + 1 : 0;
		this.weight = this.own = this.samples = 0;
		this.byClass = new Float64Array(KEYS.length);
	}

	add(entry) {
		const {samples} = this.#tree;
		const weight = samples.weights[entry];
		this.#entries.push(entry);
		this.weight += weight;
		this.samples += samples.samples[entry];
		this.byClass[samples.classes[entry]] += weight;
		if (samples.depth(entry) === this.depth) this.own += weight;
	}

	// Of one of its samples.
	get site() {
		const {samples, isInverted} = this.#tree;
		return this.parent
			? samples.siteAt(this.#entries[0], this.depth - 1, isInverted)
			: null;
	}

	// Heaviest first.
	get children() {
		this.#children ??= this.#split();
		return this.#children;
	}

	#split() {
		const {samples, isInverted} = this.#tree;
		const found = new Map();
		for (const entry of this.#entries) {
			if (samples.depth(entry) <= this.depth) continue;
			const number = samples.nameAt(entry, this.depth, isInverted);
			let child = found.get(number);
			if (!child) {
				child = new Node(this.#tree, samples.names.all[number], this);
				found.set(number, child);
			}
			child.add(entry);
		}
		return [...found.values()].sort((a, b) => b.weight - a.weight);
	}
}

export function treeOf(samples, entries, isInverted) {
	const root = new Node({samples, isInverted}, 'all', null);
	for (const entry of entries) root.add(entry);
	return root;
}

// By function: own time, and time with callees; a recursion counts once. Most own time first.
export function functionsOf(samples, entries) {
	const rows = new Map();
	const seen = new Int32Array(samples.names.all.length).fill(-1); // the last entry with this name
	for (const entry of entries) {
		const inner = samples.innermost(entry);
		for (let at = inner; at >= 0; at--) {
			const number = samples.nameAt(entry, at, false);
			if (seen[number] === entry) continue;
			seen[number] = entry;
			let row = rows.get(number);
			if (!row) {
				row = {
					name: samples.names.all[number],
					own: 0,
					total: 0,
					samples: 0,
				};
				row.byClass = new Float64Array(KEYS.length);
				rows.set(number, row);
			}
			row.total += samples.weights[entry];
			if (at !== inner) continue;
			row.own += samples.weights[entry];
			row.samples += samples.samples[entry];
			row.byClass[samples.classes[entry]] += samples.weights[entry];
		}
	}
	return [...rows.values()].sort((a, b) => b.own - a.own || b.total - a.total);
}
