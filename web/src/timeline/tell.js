// SPDX-License-Identifier: BSD-2-Clause
// tell - the figures of a slice, as pairs of what and how much.
import {exact} from '../words.js';
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

// Slices are {kind: 'run' | 'gap' | 'span' | 'value', ...}: see hit in layout.js.
export function figuresOf(timeline, slice) {
	if (slice.kind === 'value') {
		const {name, value} = timeline.counters[slice.counter];
		const [from, to] = extentOf(timeline, slice);
		return {
			title: timeline.texts[name],
			pairs: [['value', value[slice.number]], ...times(from, to)],
		};
	}
	const track = timeline.tracks[slice.thread];
	const thread = ['thread', timeline.threadName(slice.thread)];
	if (slice.kind === 'run') {
		const {lane, left, call, core} = track;
		return {
			title: `on core ${timeline.cores[core[slice.run]].cpu}`,
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
	const {lane, name, argument} = track.spans[slice.depth];
	const from = lane.starts[slice.number],
		to = lane.ends[slice.number];
	const states = timeline.statesBetween(track, from, to);
	return {
		title: timeline.texts[name[slice.number]],
		pairs: [
			thread,
			['argument', argument[slice.number]],
			...times(from, to),
			...Object.entries(states).map(([state, time]) => [
				STATES[state],
				exact(time),
			]),
		],
	};
}
