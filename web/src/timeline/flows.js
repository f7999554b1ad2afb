// SPDX-License-Identifier: BSD-2-Clause
// flows - flows between threads, from LEVER_FLOW_OUT to LEVER_FLOW_IN. No DOM here.
import {countUpTo} from './lane.js';

export class Flows {
	#reach; // by flow: the latest end of it and all before it, ascending

	// Columns: at, ascending; until, from and to which thread, name (a text), and the program's number for it.
	constructor({at, length, from, to, name, id}) {
		this.at = at;
		this.until = Float64Array.from(at, (time, i) => time + length[i]);
		this.from = from;
		this.to = to;
		this.name = name;
		this.id = id;
		this.#reach = new Float64Array(at.length);
		for (let i = 0, last = 0; i < at.length; i++)
			this.#reach[i] = last = Math.max(last, this.until[i]);
	}

	// Numbers of the flows that overlap the interval; null if these are more than `most`.
	between(start, end, most) {
		const numbers = [];
		const last = countUpTo(this.at, end);
		for (let i = countUpTo(this.#reach, start); i < last; i++) {
			if (this.until[i] < start) continue;
			if (numbers.length === most) return null;
			numbers.push(i);
		}
		return numbers;
	}

	// Flows that leave a thread (isOut) or arrive there within an interval.
	of(thread, start, end, isOut) {
		const threads = isOut ? this.from : this.to,
			times = isOut ? this.at : this.until;
		const numbers = [];
		for (let i = 0; i < times.length; i++)
			if (threads[i] === thread && times[i] >= start && times[i] <= end)
				numbers.push(i);
		return numbers;
	}
}
