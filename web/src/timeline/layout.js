// SPDX-License-Identifier: BSD-2-Clause
// layout - the positions of tracks, and the slice at a position. No DOM here.

import {countUpTo} from './lane.js';

export const LABEL = 15,
	ROW = 17,
	STATE = 13,
	GAP = 7,
	MARK = 9; // height of the row of marks, above the first row
const SPAN_ROWS_OF_CORE = 3;
const COUNTER = 34;

function trackOf(timeline, kind, number, top) {
	const isCore = kind === 'core';
	const spans = isCore
		? Math.min(timeline.depth, SPAN_ROWS_OF_CORE)
		: timeline.tracks[number].spans.length;
	const first = isCore ? ROW : STATE;
	return {
		kind,
		number,
		top,
		spans,
		first, // height of the row of runs or states
		height: LABEL + first + spans * ROW + GAP,
	};
}

function counterTrack(number, top) {
	const height = LABEL + COUNTER + GAP;
	return {kind: 'counter', number, top, spans: 0, first: COUNTER, height};
}

// {cores, threads: are they shown; query: a part of thread names} -> tracks from the top on
export function layoutOf(timeline, {cores, threads, query}) {
	const tracks = [];
	let top = 0;
	const add = (kind, number) => {
		const track = trackOf(timeline, kind, number, top);
		tracks.push(track);
		top += track.height;
	};
	if (cores) timeline.cores.forEach((core, number) => add('core', number));
	const wanted = query.trim().toLowerCase();
	if (threads)
		timeline.threads.forEach((thread, number) => {
			const isWanted = timeline.threadName(number).toLowerCase().includes(wanted);
			if (isWanted && timeline.isSeen(number)) add('thread', number);
		});
	timeline.counters.forEach((counter, number) => {
		tracks.push(counterTrack(number, top));
		top += tracks.at(-1).height;
	});
	return {tracks, height: top};
}

function spanAt(timeline, thread, depth, time) {
	const number = timeline.tracks[thread].spans[depth]?.lane.at(time) ?? -1;
	return number < 0 ? null : {kind: 'span', thread, depth, number};
}

function gapAt(timeline, thread, time) {
	const track = timeline.tracks[thread];
	const run = track.lane.after(time) - 1;
	if (run < 0) return null;
	const gap = timeline.gapAfter(track, run).find((one) => one.from <= time && time < one.to);
	return gap ? {kind: 'gap', thread, run, ...gap} : null;
}

function ofThread(timeline, thread, time) {
	const run = timeline.tracks[thread].lane.at(time);
	return run < 0 ? gapAt(timeline, thread, time) : {kind: 'run', thread, run};
}

// The thread that ran on the core at the time, and its run's number in its own lane; or null.
function runOfCore(timeline, number, time) {
	const core = timeline.cores[number];
	const slice = core.lane.at(time);
	if (slice < 0) return null;
	const thread = core.thread[slice];
	return {kind: 'run', thread, run: timeline.tracks[thread].lane.at(core.lane.starts[slice])};
}

// A counter's value holds until the next one.
function valueAt(timeline, counter, time) {
	const {at} = timeline.counters[counter];
	const number = countUpTo(at, time) - 1;
	return number < 0 ? null : {kind: 'value', counter, number};
}

// The mark nearest to a time, at most `reach` from it, or null.
function markAt(timeline, thread, time, reach) {
	const {at} = timeline.tracks[thread].instants;
	const after = countUpTo(at, time);
	const near = [after - 1, after].filter((i) => Math.abs(at[i] - time) <= reach);
	if (!near.length) return null;
	const number = near.reduce((a, b) => (at[b] - time < time - at[a] ? b : a));
	return {kind: 'mark', thread, number};
}

// The slice of a track at a time and a height below the track's top, or null. Marks stand above the first row.
export function sliceAt(timeline, track, time, below, reach = 0) {
	if (track.kind === 'counter') return valueAt(timeline, track.number, time);
	if (track.kind === 'thread' && below < LABEL && below >= LABEL - MARK)
		return markAt(timeline, track.number, time, reach);
	const row =
		below < LABEL + track.first ? -1 : Math.floor((below - LABEL - track.first) / ROW);
	if (below < LABEL || row >= track.spans) return null;
	if (track.kind === 'thread')
		return row < 0
			? ofThread(timeline, track.number, time)
			: spanAt(timeline, track.number, row, time);
	const run = runOfCore(timeline, track.number, time);
	return run && row >= 0 ? spanAt(timeline, run.thread, row, time) : run;
}

// The nearest slice of the track's first row after (1) or before (-1) a time, or null.
export function neighbour(timeline, track, time, step) {
	if (track.kind === 'counter') {
		const {at} = timeline.counters[track.number];
		const next = step > 0 ? countUpTo(at, time) : countUpTo(at, time - 0.5) - 1;
		return next >= 0 && next < at.length
			? valueAt(timeline, track.number, at[next])
			: null;
	}
	const lane =
		track.kind === 'core'
			? timeline.cores[track.number].lane
			: timeline.tracks[track.number].lane;
	let i = lane.after(time);
	if (step < 0) i -= 1;
	else if (i < lane.count && lane.starts[i] <= time) i += 1;
	if (i < 0 || i >= lane.count) return null;
	return sliceAt(timeline, track, lane.starts[i], LABEL);
}

// The nearest mark of a thread's track after or before a time, or null.
export function nextMark(timeline, {kind, number: thread}, time, step) {
	if (kind !== 'thread') return null;
	const {at} = timeline.tracks[thread].instants;
	const number = step > 0 ? countUpTo(at, time) : countUpTo(at, time - 0.5) - 1;
	return number >= 0 && number < at.length ? {kind: 'mark', thread, number} : null;
}

// The interval of a slice: [from, to].
export function extentOf(timeline, slice) {
	if (slice.kind === 'value') {
		const {at} = timeline.counters[slice.counter];
		return [at[slice.number], at[slice.number + 1] ?? timeline.duration];
	}
	if (slice.kind === 'gap') return [slice.from, slice.to];
	const track = timeline.tracks[slice.thread];
	if (slice.kind === 'mark') {
		const at = track.instants.at[slice.number];
		return [at, at];
	}
	const lane = slice.kind === 'run' ? track.lane : track.spans[slice.depth].lane;
	const number = slice.kind === 'run' ? slice.run : slice.number;
	return [lane.starts[number], lane.ends[number]];
}
