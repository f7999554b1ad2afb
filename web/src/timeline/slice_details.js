// SPDX-License-Identifier: BSD-2-Clause
// slice_details - the figures of a slice, as pairs of label and value.
import {exact} from '../format.js';
import {extentOf} from './layout.js';
import {LEFT} from './model.js';

export const STATES = {
	running: 'on a core',
	[LEFT.io]: 'waiting for I/O',
	[LEFT.lock]: 'waiting for a lock',
	[LEFT.runnable]: 'waiting for a CPU',
	[LEFT.other]: 'waiting, other',
	[LEFT.ended]: 'ended',
};

function times(from, to) {
	return [
		['from', exact(from)],
		['to', exact(to)],
		['for', exact(to - from)],
	];
}

function callOf(timeline, number) {
	return number ? timeline.texts[number - 1] : null;
}

function wakeOf(timeline, track, run) {
	const at = track.wokenAt[run];
	if (Number.isNaN(at)) return [];
	const waker = track.waker[run];
	return [
		['woken by', waker < 0 ? 'an interrupt or the kernel' : timeline.threadName(waker)],
		['woken at', exact(at)],
		['waited for a CPU', exact(track.lane.starts[run] - at)],
	];
}

const FLOWS_MOST = 4;

// The flows that left the thread meanwhile, and those that arrived.
function flowsOf(timeline, thread, from, to) {
	const {flows, texts} = timeline;
	const told = (isOut) => {
		const numbers = flows.of(thread, from, to, isOut);
		const rows = numbers
			.slice(0, FLOWS_MOST)
			.map((i) => [
				isOut ? 'flow to' : 'flow from',
				`${timeline.threadName(isOut ? flows.to[i] : flows.from[i])}: ` +
					`${texts[flows.name[i]]} ${flows.id[i]}, ${exact(flows.until[i] - flows.at[i])}`,
			]);
		const left = numbers.length - FLOWS_MOST;
		return left > 0
			? [...rows, [isOut ? 'flows to' : 'flows from', `${left} more`]]
			: rows;
	};
	return [...told(false), ...told(true)];
}

function figuresOfMark(timeline, {thread, number}) {
	const {at, name, argument} = timeline.tracks[thread].instants;
	return {
		title: timeline.texts[name[number]],
		pairs: [
			['argument', argument[number]],
			['thread', timeline.threadName(thread)],
			['at', exact(at[number])],
		],
	};
}

// The summary of the slice below the mouse: {title, pairs} of its most important figures.
const BRIEF = new Set(['value', 'argument', 'thread', 'for', 'at', 'in system call']);

export function summaryOf(timeline, slice) {
	const {title, pairs} =
		slice.kind === 'span'
			? ofSpan(timeline, slice) // without the sums of its thread's states
			: figuresOf(timeline, slice);
	return {title, pairs: pairs.filter(([name, value]) => BRIEF.has(name) && value !== null)};
}

function ofSpan(timeline, slice) {
	const {lane, name, argument} = timeline.tracks[slice.thread].spans[slice.depth];
	return {
		title: timeline.texts[name[slice.number]],
		pairs: [
			['thread', timeline.threadName(slice.thread)],
			['argument', argument[slice.number]],
			...times(lane.starts[slice.number], lane.ends[slice.number]),
		],
	};
}

// Slices are {kind: 'run' | 'gap' | 'span' | 'value' | 'mark', ...}: see sliceAt in layout.js.
export function figuresOf(timeline, slice) {
	if (slice.kind === 'value') {
		const {name, value} = timeline.counters[slice.counter];
		const [from, to] = extentOf(timeline, slice);
		return {
			title: timeline.texts[name],
			pairs: [['value', value[slice.number]], ...times(from, to)],
		};
	}
	if (slice.kind === 'mark') return figuresOfMark(timeline, slice);
	const track = timeline.tracks[slice.thread];
	const thread = ['thread', timeline.threadName(slice.thread)];
	if (slice.kind === 'run') {
		const {lane, left, call, core} = track;
		return {
			title: `on ${timeline.cores[core[slice.run]].name}`,
			pairs: [
				thread,
				...times(lane.starts[slice.run], lane.ends[slice.run]),
				...wakeOf(timeline, track, slice.run),
				['then', STATES[left[slice.run]] ?? 'unknown'],
				['in system call', callOf(timeline, call[slice.run])],
			],
		};
	}
	if (slice.kind === 'gap')
		return {
			title: STATES[slice.state] ?? 'off the CPU',
			pairs: [
				thread,
				...times(slice.from, slice.to),
				['in system call', callOf(timeline, track.call[slice.run])],
				...(slice.run + 1 < track.lane.count
					? wakeOf(timeline, track, slice.run + 1)
					: []),
			],
		};
	const {title, pairs} = ofSpan(timeline, slice);
	const [from, to] = extentOf(timeline, slice);
	const states = timeline.statesBetween(track, from, to);
	return {
		title,
		pairs: [
			...pairs,
			...Object.entries(states).map(([state, time]) => [
				STATES[state],
				exact(time),
			]),
			...flowsOf(timeline, slice.thread, from, to),
		],
	};
}
