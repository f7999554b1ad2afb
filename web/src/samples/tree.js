// SPDX-License-Identifier: BSD-2-Clause
// tree - call chains as a tree, outermost function first, or inverted, innermost first. No DOM here.
import {CLASSES, classOf} from './classes.js';

export function nameOf(frame) {
	return frame.function ?? frame.object ?? 'unknown';
}

function threadKey(thread) {
	return `${thread.pid}/${thread.tid}`;
}

// key -> what to call it, heaviest first.
export function threadsOf(entries) {
	const weights = new Map();
	for (const {thread, weight_ns: weight} of entries) {
		const key = threadKey(thread);
		const known = weights.get(key) ?? {
			name: `${thread.command ?? 'unknown'} (${thread.tid})`,
			weight: 0,
		};
		known.weight += weight;
		weights.set(key, known);
	}
	return [...weights]
		.sort((a, b) => b[1].weight - a[1].weight)
		.map(([key, {name}]) => [key, name]);
}

// State: {classes: Set of keys, thread: key or ''}
export function entriesOf(report, state) {
	return report.entries.filter(
		(entry) =>
			state.classes.has(classOf(entry)) &&
			(!state.thread || threadKey(entry.thread) === state.thread),
	);
}

function nodeOf(name, frame, parent) {
	return {
		name,
		frame,
		parent,
		depth: parent ? parent.depth + 1 : 0,
		weight: 0,
		own: 0,
		samples: 0,
		byClass: {},
		children: new Map(),
	};
}

function add(node, entry, key) {
	node.weight += entry.weight_ns;
	node.samples += entry.samples;
	node.byClass[key] = (node.byClass[key] ?? 0) + entry.weight_ns;
}

// What a thread waited for stands as one more frame at the inner end of its chain.
function chainOf(entry, key, isInverted) {
	const chain = entry.stack.map((frame) => ({name: nameOf(frame), frame}));
	if (key !== 'user' && key !== 'kernel')
		chain.unshift({
			name: `[${CLASSES[key]}${entry.subclass ? `: ${entry.subclass}` : ''}]`,
			frame: null,
		});
	return isInverted ? chain : chain.reverse();
}

function arrange(node) {
	node.children = [...node.children.values()].sort((a, b) => b.weight - a.weight);
	node.children.forEach(arrange);
}

export function treeOf(entries, isInverted) {
	const root = nodeOf('all', null, null);
	for (const entry of entries) {
		const key = classOf(entry);
		let node = root;
		add(root, entry, key);
		for (const {name, frame} of chainOf(entry, key, isInverted)) {
			if (!node.children.has(name))
				node.children.set(name, nodeOf(name, frame, node));
			node = node.children.get(name);
			add(node, entry, key);
		}
		node.own += entry.weight_ns;
	}
	arrange(root);
	return root;
}

// By function: time in it, and in it or what it called; a recursion counts once. Most own time first.
export function functionsOf(entries) {
	const rows = new Map();
	for (const entry of entries) {
		const key = classOf(entry);
		const names = entry.stack.map(nameOf);
		for (const name of new Set(names)) {
			const row = rows.get(name) ?? {
				name,
				own: 0,
				total: 0,
				samples: 0,
				byClass: {},
			};
			rows.set(name, row);
			row.total += entry.weight_ns;
			if (name !== names[0]) continue;
			row.own += entry.weight_ns;
			row.samples += entry.samples;
			row.byClass[key] = (row.byClass[key] ?? 0) + entry.weight_ns;
		}
	}
	return [...rows.values()].sort((a, b) => b.own - a.own || b.total - a.total);
}
