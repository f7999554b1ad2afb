// SPDX-License-Identifier: BSD-2-Clause
// traces - made-up timelines in the page's form (src/report/timeline_page.h), and pages that hold them.
import {readFileSync, writeFileSync} from 'node:fs';
import {deflateRawSync} from 'node:zlib';

export function deltas(times) {
	return times.map((time, i) => time - (i ? times[i - 1] : 0));
}

// [[start, end, ...]] -> {start, length} as columns
function columns(rows) {
	return {
		start: deltas(rows.map((row) => row[0])),
		length: rows.map((row) => row[1] - row[0]),
	};
}

export const TEXTS = ['main', '<i>worker</i>', 'futex', 'parse', '<b>read</b>', 'tick', 'read'];

// Thread 0 runs on core 0 but for a wait for a lock, in which thread 1 wakes it from core 1.
const RUNS = [
	[
		[0, 400, 0, 3, 3],
		[700, 1000, 0, 6, 0],
	],
	[
		[100, 600, 1, 4, 0],
		[650, 900, 1, 2, 7],
	],
];

export function small() {
	return {
		start_ns: '5000000000',
		duration_ns: 1000,
		texts: TEXTS,
		threads: {pid: [10, 10], tid: [10, 11], name: [0, 1]},
		cores: RUNS.map((runs, cpu) => ({
			cpu,
			...columns(runs),
			thread: runs.map((run) => run[2]),
			left: runs.map((run) => run[3]),
			call: runs.map((run) => run[4]),
		})),
		wakes: {at: [550], waker: [2], woken: [0]},
		spans: [
			{
				thread: 0,
				...columns([
					[50, 950],
					[100, 350],
				]),
				name: [3, 4],
				depth: [0, 1],
				argument: [7, null],
			},
		],
		instants: {at: [300, 500], thread: [0, 1], name: [5, 5], argument: [null, '</b>&']},
		counters: [{name: 4, at: [200, 300], value: [3, -1]}],
		flows: {at: [150], length: [600], from: [0], to: [1], name: [4], id: ['<b>77</b>']},
	};
}

// Knuth's MMIX generator, the upper bits.
function generator(seed) {
	let state = BigInt(seed);
	return (below) => {
		state = BigInt.asUintN(64, state * 6364136223846793005n + 1442695040888963407n);
		return Number(state >> 33n) % below;
	};
}

// About `slices` slices: half of them runs on four cores, half spans of eight threads.
export function large(slices) {
	const draw = generator(1);
	const cores = [],
		wakes = {at: [], waker: [], woken: []};
	const each = Math.floor(slices / 8);
	let last = 0;
	for (let cpu = 0; cpu < 4; cpu++) {
		const core = {cpu, start: [], length: [], thread: [], left: [], call: []};
		let now = 0,
			before = 0;
		for (let i = 0; i < each; i++) {
			now += draw(3000);
			const length = 500 + draw(20000);
			core.start.push(now - before);
			core.length.push(length);
			core.thread.push(2 * cpu + (i % 2));
			core.left.push(2 + draw(4));
			core.call.push(draw(3) ? 0 : 3);
			before = now;
			now += length;
		}
		last = Math.max(last, now);
		cores.push(core);
	}
	const spans = Array.from({length: 8}, (_, thread) => {
		const one = {thread, start: [], length: [], name: [], depth: [], argument: []};
		let now = 0,
			before = 0;
		for (let i = 0; i < each / 4; i++) {
			now += draw(2000);
			const length = 4000 + draw(80000);
			one.start.push(now - before, 500);
			one.length.push(length, 2000);
			one.name.push(3, 4);
			one.depth.push(0, 1);
			one.argument.push(null, i);
			before = now + 500;
			now += length;
		}
		return one;
	});
	for (let at = 0, i = 0; i < each; i++) {
		const by = 1 + draw(40000);
		at += by;
		wakes.at.push(by);
		wakes.waker.push(draw(9));
		wakes.woken.push(draw(8));
		last = Math.max(last, at);
	}
	return {
		start_ns: '0',
		duration_ns: last,
		texts: TEXTS,
		threads: {
			pid: Array(8).fill(20),
			tid: Array.from({length: 8}, (_, i) => 20 + i),
			name: Array(8).fill(1),
		},
		cores,
		wakes,
		spans,
		instants: {at: [], thread: [], name: [], argument: []},
		counters: [],
		flows: {at: [], length: [], from: [], to: [], name: [], id: []},
	};
}

// Puts the data into a page that lever made for other data.
export function fill(page, data, path = page) {
	const packed = deflateRawSync(JSON.stringify(data)).toString('base64');
	writeFileSync(
		path,
		readFileSync(page, 'utf8').replace(
			/(octet-stream">)[^<]*/,
			(all, head) => head + packed,
		),
	);
	return path;
}

export function reportOf(kind, more) {
	return {
		lever: 1,
		kind,
		program: {
			command: ['./a', '<script>'],
			exit_status: 0,
			wall_ns: 1000,
			delay_ns: 0,
			started_s: 1700000000,
		},
		overhead: {kernel_share: 0.0234, engine_share: 0.0101},
		engine: 'kernel',
		host: {name: 'h', kernel: '6.18'},
		warnings: [],
		...more,
	};
}
