// SPDX-License-Identifier: BSD-2-Clause
// model - the trace's columns (src/report/timeline_page.h) as lanes of cores and threads. No DOM here.
//
// The columns hold context switches by core and wake-ups; the states of threads follow from both.
import {Flows} from './flows.js';
import {Lane, countUpTo} from './lane.js';

// Why a thread left its core, as enum sample_class, and one more: it ended.
export const LEFT = {io: 2, lock: 3, runnable: 4, other: 5, ended: 6};

function running(deltas) {
	const times = new Float64Array(deltas.length);
	let now = 0;
	for (let i = 0; i < deltas.length; i++) times[i] = now += deltas[i];
	return times;
}

function laneOf({start, length}) {
	const starts = running(start),
		ends = new Float64Array(start.length);
	for (let i = 0; i < starts.length; i++) ends[i] = starts[i] + length[i];
	return new Lane(starts, ends);
}

function coreOf({cpu, name, thread, left, call, ...times}) {
	return {
		name: name ?? `core ${cpu}`,
		lane: laneOf(times),
		thread: Int32Array.from(thread),
		left: Uint8Array.from(left),
		call: Int32Array.from(call),
	};
}

// Calls visit(core, number of the slice) for the slices of all cores in the order of time.
function inOrder(cores, visit) {
	const heads = cores.map(() => 0);
	for (;;) {
		let first = -1,
			time = Infinity;
		for (let i = 0; i < cores.length; i++) {
			const {starts} = cores[i].lane;
			if (heads[i] < starts.length && starts[heads[i]] < time) {
				first = i;
				time = starts[heads[i]];
			}
		}
		if (first < 0) return;
		visit(first, heads[first]++);
	}
}

function emptyTrack(count) {
	return {
		lane: new Lane(new Float64Array(count), new Float64Array(count)),
		core: new Int32Array(count),
		run: new Int32Array(count), // its number in its core's lane
		left: new Uint8Array(count),
		call: new Int32Array(count),
		wokenAt: new Float64Array(count).fill(NaN), // before the run
		waker: new Int32Array(count).fill(-1), // a thread's number, or -1
		spans: [],
	};
}

function tracksOf(cores, threadCount) {
	const counts = new Int32Array(threadCount),
		filled = new Int32Array(threadCount);
	for (const core of cores) for (const thread of core.thread) counts[thread]++;
	const tracks = Array.from(counts, emptyTrack);
	inOrder(cores, (number, slice) => {
		const core = cores[number],
			thread = core.thread[slice];
		const track = tracks[thread],
			at = filled[thread]++;
		track.lane.starts[at] = core.lane.starts[slice];
		track.lane.ends[at] = core.lane.ends[slice];
		track.core[at] = number;
		track.run[at] = slice;
		track.left[at] = core.left[slice];
		track.call[at] = core.call[slice];
	});
	return tracks;
}

// A wake-up belongs to the woken thread's next run; the first one since it left its core counts.
function addWakes(tracks, wakes) {
	for (let i = 0; i < wakes.at.length; i++) {
		const track = tracks[wakes.woken[i]];
		const next = countUpTo(track.lane.starts, wakes.at[i] - 0.5);
		if (next >= track.lane.count || !Number.isNaN(track.wokenAt[next])) continue;
		if (next && track.lane.ends[next - 1] > wakes.at[i]) continue; // it still ran
		track.wokenAt[next] = wakes.at[i];
		track.waker[next] = wakes.waker[i] - 1;
	}
}

// Spans by depth: each depth is a lane.
function spanLanes({start, length, name, depth, argument}) {
	const starts = running(start);
	const rows = [];
	for (let i = 0; i < starts.length; i++) (rows[depth[i]] ??= []).push(i);
	return Array.from(rows, (numbers = []) => ({
		lane: new Lane(
			Float64Array.from(numbers, (i) => starts[i]),
			Float64Array.from(numbers, (i) => starts[i] + length[i]),
		),
		name: Int32Array.from(numbers, (i) => name[i]),
		argument: numbers.map((i) => argument?.[i] ?? null),
	}));
}

export class Timeline {
	#names = new Map(); // of spans -> order of appearance

	constructor(data) {
		this.duration = Math.max(data.duration_ns, 1);
		this.texts = data.texts;
		this.threads = data.threads.tid.map((tid, i) => ({
			tid,
			pid: data.threads.pid[i],
			name: data.texts[data.threads.name[i]],
		}));
		this.cores = data.cores.map(coreOf);
		this.tracks = tracksOf(this.cores, this.threads.length);
		this.wakes = {...data.wakes, at: running(data.wakes.at)};
		addWakes(this.tracks, this.wakes);
		for (const spans of data.spans) this.tracks[spans.thread].spans = spanLanes(spans);
		for (const core of this.cores) core.lane.prepare();
		for (const track of this.tracks) {
			track.lane.prepare();
			for (const {lane} of track.spans) lane.prepare();
		}
		this.#addInstants(data.instants);
		const path = data.path ?? {start: [], length: [], thread: []}; // of several hosts
		this.path = {...path, start: running(path.start)};
		this.flows = new Flows({...data.flows, at: running(data.flows.at)});
		for (const {name} of this.tracks.flatMap((track) => track.spans))
			for (const one of name)
				if (!this.#names.has(one)) this.#names.set(one, this.#names.size);
		this.counters = data.counters.map(({name, at, value}) => ({
			name,
			at: running(at),
			value,
			least: value.reduce((a, b) => Math.min(a, b), 0),
			most: value.reduce((a, b) => Math.max(a, b), 1),
		}));
		this.depth = Math.max(0, ...this.tracks.map((track) => track.spans.length));
	}

	#addInstants({at, thread, name, argument}) {
		const times = running(at);
		const numbers = this.tracks.map(() => []);
		thread.forEach((one, i) => numbers[one].push(i));
		this.tracks.forEach((track, i) => {
			track.instants = {
				at: Float64Array.from(numbers[i], (one) => times[one]),
				name: Int32Array.from(numbers[i], (one) => name[one]),
				argument: numbers[i].map((one) => argument[one]),
			};
		});
	}

	orderOfName(name) {
		return this.#names.get(name) ?? 0;
	}

	get slices() {
		const inCores = this.cores.reduce((sum, core) => sum + core.lane.count, 0);
		return this.tracks.reduce(
			(sum, track) => track.spans.reduce((all, {lane}) => all + lane.count, sum),
			inCores,
		);
	}

	// Threads of other processes are known only as wakers.
	isSeen(number) {
		const {lane, spans, instants} = this.tracks[number];
		return lane.count + spans.length + instants.at.length > 0;
	}

	threadName(number) {
		const {name, tid} = this.threads[number];
		return `${name} (${tid})`;
	}

	// The thread's states in the gap after its run: [{from, to, state}], a LEFT.
	gapAfter(track, run, end = this.duration) {
		const from = track.lane.ends[run];
		const isLast = run + 1 >= track.lane.count;
		const to = isLast ? end : track.lane.starts[run + 1];
		const state = track.left[run];
		const woken = isLast ? NaN : track.wokenAt[run + 1];
		if (state === LEFT.ended || to <= from) return [];
		if (state === LEFT.runnable || Number.isNaN(woken)) return [{from, to, state}];
		return [
			{from, to: woken, state},
			{from: woken, to, state: LEFT.runnable},
		];
	}

	// The state in most of that gap: a LEFT, or 0 if the thread did not exist.
	mostlyAfter(track, run) {
		const state = track.left[run];
		if (state === LEFT.ended) return 0;
		const woken = run + 1 < track.lane.count ? track.wokenAt[run + 1] : NaN;
		const isMostlyWoken =
			track.lane.starts[run + 1] - woken > woken - track.lane.ends[run];
		return isMostlyWoken ? LEFT.runnable : state;
	}

	// Time by state between two times: {running, [LEFT]: ns}.
	statesBetween(track, from, to) {
		const sums = {running: 0};
		const add = (state, a, b) => {
			const time = Math.min(b, to) - Math.max(a, from);
			if (time > 0) sums[state] = (sums[state] ?? 0) + time;
		};
		for (let i = Math.max(track.lane.after(from) - 1, 0); i < track.lane.count; i++) {
			if (track.lane.starts[i] >= to) break;
			add('running', track.lane.starts[i], track.lane.ends[i]);
			for (const gap of this.gapAfter(track, i)) add(gap.state, gap.from, gap.to);
		}
		return sums;
	}
}
