// SPDX-License-Identifier: BSD-2-Clause
// tables - samples in the form of the JSON report to the page's tables (src/report/samples_page.h), and back.

const KEYS = ['user', 'kernel', 'I', 'L', 'S', 'B'];

class Rows {
	all = [];
	#numbers = new Map();

	number(row) {
		const key = JSON.stringify(row);
		if (!this.#numbers.has(key)) this.#numbers.set(key, this.all.push(row) - 1);
		return this.#numbers.get(key);
	}

	column(read) {
		return this.all.map(read);
	}
}

export function tablesOf(entries) {
	const texts = new Rows(),
		frames = new Rows(),
		stacks = new Rows(),
		threads = new Rows();
	const text = (value) => (value === null ? 0 : texts.number(value) + 1);
	const stackOf = (chain) =>
		chain.reduceRight(
			(caller, frame) => stacks.number({caller, frame: frames.number(frame)}) + 1,
			0,
		);
	const columns = {
		stack: entries.map((one) => stackOf(one.stack)),
		thread: entries.map((one) => threads.number(one.thread)),
		class: entries.map((one) =>
			KEYS.indexOf(
				one.class === 'cpu'
					? one.in_kernel
						? 'kernel'
						: 'user'
					: one.class,
			),
		),
		subclass: entries.map((one) => text(one.subclass)),
		samples: entries.map((one) => one.samples),
		weight_ns: entries.map((one) => one.weight_ns),
	};
	return {
		frames: {
			kernel: frames.column((frame) => Number(frame.kind === 'kernel')),
			line: frames.column((frame) => frame.line ?? 0),
			function: frames.column((frame) => text(frame.function)),
			file: frames.column((frame) => text(frame.file)),
			object: frames.column((frame) => text(frame.object)),
		},
		stacks: {
			frame: stacks.column((stack) => stack.frame),
			up: stacks.all.map((stack, i) => (stack.caller ? i + 1 - stack.caller : 0)),
		},
		threads: {
			pid: threads.column((thread) => thread.pid),
			tid: threads.column((thread) => thread.tid),
			command: threads.column((thread) => text(thread.command)),
		},
		entries: columns,
		texts: texts.all,
	};
}

// The part of the JSON report's entries that is in the tables.
export function entriesFrom({texts, frames, stacks, threads, entries}) {
	const text = (number) => (number ? texts[number - 1] : null);
	const shown = frames.line.map((line, i) => ({
		kind: frames.kernel[i] ? 'kernel' : 'user',
		function: text(frames.function[i]),
		file: text(frames.file[i]),
		line: line || null,
		object: text(frames.object[i]),
	}));
	const chainOf = (number) => {
		const chain = [];
		for (let at = number - 1; at >= 0; at = stacks.up[at] ? at - stacks.up[at] : -1)
			chain.push(shown[stacks.frame[at]]);
		return chain;
	};
	return entries.stack.map((stack, i) => ({
		class: ['cpu', 'cpu', 'I', 'L', 'S', 'B'][entries.class[i]],
		in_kernel: entries.class[i] !== 0,
		subclass: text(entries.subclass[i]),
		thread: {
			pid: threads.pid[entries.thread[i]],
			tid: threads.tid[entries.thread[i]],
			command: text(threads.command[entries.thread[i]]),
		},
		stack: chainOf(stack),
		samples: entries.samples[i],
		weight_ns: entries.weight_ns[i],
	}));
}
