// SPDX-License-Identifier: BSD-2-Clause
// lane - slices of time that do not overlap, in order: found by time, and added up. No DOM here.

// How many of the ascending values are at most `wanted`.
export function countUpTo(values, wanted) {
	let low = 0,
		high = values.length;
	while (low < high) {
		const middle = (low + high) >> 1;
		if (values[middle] <= wanted) low = middle + 1;
		else high = middle;
	}
	return low;
}

export class Lane {
	#sums = null; // time of all slices before each

	// Float64Arrays of times, in ns since the trace's start.
	constructor(starts, ends) {
		this.starts = starts;
		this.ends = ends;
	}

	get count() {
		return this.starts.length;
	}

	// The first slice that ends after the time.
	after(time) {
		return countUpTo(this.ends, time);
	}

	// The slice at the time, or -1.
	at(time) {
		const i = this.after(time);
		return i < this.count && this.starts[i] <= time ? i : -1;
	}

	// How much of the time before `time` is in slices.
	busyUntil(time) {
		this.#sums ??= this.#add();
		const i = this.after(time);
		return this.#sums[i] + (i < this.count ? Math.max(time - this.starts[i], 0) : 0);
	}

	// So that the first picture need not add up.
	prepare() {
		this.#sums ??= this.#add();
	}

	#add() {
		const sums = new Float64Array(this.count + 1);
		for (let i = 0; i < this.count; i++)
			sums[i + 1] = sums[i] + this.ends[i] - this.starts[i];
		return sums;
	}
}
