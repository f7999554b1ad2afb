// SPDX-License-Identifier: BSD-2-Clause
// lane - slices of time in order, without overlap: found by time, and summed. No DOM here.
//
// Drawing looks up slices once for each pixel. An index, the first slice of each cell of a grid of
// times, leaves a few slices to search, however many there are.

const SLICES_A_CELL = 4;

// How many of the ascending values are at most `wanted`, which are at least `low` and at most `high`.
export function countUpTo(values, wanted, low = 0, high = values.length) {
	while (low < high) {
		const middle = (low + high) >> 1;
		if (values[middle] <= wanted) low = middle + 1;
		else high = middle;
	}
	return low;
}

export class Lane {
	#sums = null; // time of all slices before each
	#cells = null; // the first slice that ends in each or behind it
	#begin; // of the first cell
	#perCell; // ns

	// Float64Arrays of times, in ns since the trace's start.
	constructor(starts, ends) {
		this.starts = starts;
		this.ends = ends;
	}

	get count() {
		return this.starts.length;
	}

	#cellOf(time) {
		return Math.floor((time - this.#begin) / this.#perCell);
	}

	// The first slice that ends after the time.
	after(time) {
		if (!this.#cells) return countUpTo(this.ends, time);
		const cell = this.#cellOf(time);
		if (cell < 0) return 0;
		if (cell >= this.#cells.length - 1) return this.count;
		return countUpTo(this.ends, time, this.#cells[cell], this.#cells[cell + 1]);
	}

	// The slice at the time, or -1.
	at(time) {
		const i = this.after(time);
		return i < this.count && this.starts[i] <= time ? i : -1;
	}

	// The time in slices between two times, given the first slices that end after each.
	busyBetween(from, first, to, last) {
		return this.#busyUntil(to, last) - this.#busyUntil(from, first);
	}

	#busyUntil(time, i) {
		return this.#sums[i] + (i < this.count ? Math.max(time - this.starts[i], 0) : 0);
	}

	// Builds the index, once all slices are there.
	prepare() {
		this.#sums = this.#add();
		this.#cells = this.#divide();
	}

	// The cell of a time is monotonic in the time, however it is rounded: slices of the cells before a
	// time's own end before it, slices of the cells after it end after it.
	#divide() {
		if (!this.count) return null;
		const last = this.ends[this.count - 1];
		this.#begin = this.starts[0];
		this.#perCell = Math.max(((last - this.#begin) / this.count) * SLICES_A_CELL, 1);
		const cells = new Uint32Array(this.#cellOf(last) + 2);
		for (let cell = 0, i = 0; cell < cells.length; cell++) {
			while (i < this.count && this.#cellOf(this.ends[i]) < cell) i++;
			cells[cell] = i;
		}
		return cells;
	}

	#add() {
		const sums = new Float64Array(this.count + 1);
		for (let i = 0; i < this.count; i++)
			sums[i + 1] = sums[i] + this.ends[i] - this.starts[i];
		return sums;
	}
}
