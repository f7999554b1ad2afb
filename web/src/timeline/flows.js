// SPDX-License-Identifier: BSD-2-Clause
// flows - what went from one thread to another by LEVER_FLOW_OUT and LEVER_FLOW_IN. No DOM here.
import {countUpTo} from './lane.js';

export class Flows {
	#reach; // until when any of the flows up to this one goes: ascending

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

	// Numbers of the flows that are under way at some time of the stretch; null if more than `most` are.
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

	// Of a thread in a stretch of time: those that leave it (isOut) or arrive.
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
