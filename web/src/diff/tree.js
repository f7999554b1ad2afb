// SPDX-License-Identifier: BSD-2-Clause
// tree - two call trees as one: each node with its time before and after a change. No DOM here.
import {treeOf} from '../samples/tree.js';

// A difference is sure beyond this many standard errors of the number of samples.
const SURE = 3;

// Standard error of a sum of samples of about equal weight; one sample where there is none.
function errorOf(node, unit, sample) {
	return node ? node.weight / unit / Math.sqrt(Math.max(node.samples, 1)) : sample / unit;
}

class Node {
	#pair; // pairOf's options, and the mean ns of a sample
	#sides; // nodes of both trees, or null
	#children = null;

	constructor(pair, sides, parent) {
		const either = sides[1] ?? sides[0];
		this.#pair = pair;
		this.#sides = sides;
		this.name = either.name;
		this.parent = parent;
		this.depth = either.depth;
		[this.before, this.after] = sides.map((node, i) =>
			node ? node.weight / pair.units[i] : 0,
		);
		[this.ownBefore, this.ownAfter] = sides.map((node, i) =>
			node ? node.own / pair.units[i] : 0,
		);
		this.weight = pair.width === 'after' ? this.after : this.before;
		this.samples = sides.map((node) => node?.samples ?? 0);
	}

	// Of one of its samples.
	get site() {
		return (this.#sides[1] ?? this.#sides[0]).site;
	}

	// Time after by time before, less 1; null if the samples do not tell.
	get change() {
		const {units, sample, runError} = this.#pair;
		const error = Math.hypot(
			runError * this.before,
			...this.#sides.map((node, i) => errorOf(node, units[i], sample)),
		);
		const difference = this.after - this.before;
		return Math.abs(difference) < SURE * error
			? null
			: difference / (this.before || Infinity);
	}

	get isNew() {
		return !this.before && this.change !== null;
	}

	// Heaviest first.
	get children() {
		this.#children ??= this.#join();
		return this.#children;
	}

	#join() {
		const joined = new Map();
		this.#sides.forEach((node, side) => {
			for (const child of node?.children ?? []) {
				const pair = joined.get(child.name) ?? [null, null];
				pair[side] = child;
				joined.set(child.name, pair);
			}
		});
		return [...joined.values()]
			.map((sides) => new Node(this.#pair, sides, this))
			.sort((a, b) => b.weight - a.weight);
	}
}

// `units`: runs or seconds of both sides. `width`: the side whose time a frame's width shows, 'before'
// or 'after'. `runError`: of after / before, by how runs differ.
export function pairOf(samples, entries, {units, width, runError, isInverted}) {
	const trees = samples.map((one, i) => treeOf(one, entries[i], isInverted));
	const weight = trees[0].weight + trees[1].weight;
	const sample = weight / Math.max(trees[0].samples + trees[1].samples, 1);
	return new Node({units, width, runError, sample}, trees, null);
}
