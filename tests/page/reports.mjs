// SPDX-License-Identifier: BSD-2-Clause
// reports - made-up reports of the kinds that take a running program to record, in the form of their JSON.
import {reportOf} from './traces.mjs';

const SECOND = 1e9;
const level = (threads, seconds) => ({
	threads,
	wall_ns: seconds * SECOND,
	running_ns: seconds * SECOND,
});
const predicted = (cores, seconds, model, best) => ({
	cores,
	wall_ns: seconds * SECOND,
	low_ns: seconds * 0.9 * SECOND,
	high_ns: seconds * 1.1 * SECOND,
	model,
	best,
	runs: 3,
});

export function scaleReport(more) {
	return reportOf('scale', {
		cores: 2,
		machine_cores: 4,
		runs: 3,
		threads: {made: 5, processes: 1, most: 4, switches: 100, wakes: 50, yields: 0},
		mean_active: 2.5,
		mean_running: 1.75,
		serial_share: 0.2,
		growth: -0.015,
		hosts: [],
		replay: {
			logged_ns: 10 * SECOND,
			replayed_ns: 9.9 * SECOND,
			miss: -0.01,
			refusal: null,
		},
		models: [
			{model: 'formula', mean_error: 0.123, programs: 9},
			{model: 'paper', mean_error: 0.2345, programs: 9},
		],
		spans: [
			{
				name: '<b>phase</b>',
				times: 1234,
				wall_ns: 2.5 * SECOND,
				active: 1.257,
				running: 1.131,
				serial_share: 0.456,
				parallelism: [{threads: 1, wall_ns: SECOND}],
			},
		],
		question: {
			target: 'a.c:3',
			speedup: 0.25,
			program_speedup: 0.113,
			low: 0.091,
			high: 0.135,
			refusal: null,
			samples: 77,
			simulated: 0.107,
			answers: [{cores: 4, program_speedup: 0.041, low: -0.012, high: 0.094}],
		},
		parallelism: [level(0, 1), level(1, 2), level(2, 4), level(4, 3)],
		predictions: [
			predicted(1, 19, 'paper', false),
			predicted(1, 20, 'formula', true),
			predicted(4, 6, 'formula', true),
		],
		limits: [
			{cores: 1, used: 0.95, waiting: {serial: 0.05, lock_waits: 0}},
			{cores: 4, used: 0.5, waiting: {serial: 0.3, lock_waits: 0.2}},
		],
		measured: [
			{
				cores: 2,
				runs: 3,
				wall_ns: 10 * SECOND,
				least_ns: 9.5 * SECOND,
				most_ns: 10.5 * SECOND,
				undisturbed_ns: 10 * SECOND,
				cpu_ns: 18 * SECOND,
				threads: 5,
			},
		],
		course: [
			{begin_ns: 0, wall_ns: 5 * SECOND, active: 1, running: 1},
			{begin_ns: 5 * SECOND, wall_ns: 5 * SECOND, active: 4, running: 2},
		],
		phases: [
			{begin_ns: 0, wall_ns: 5 * SECOND, active: 1, running: 1},
			{begin_ns: 5 * SECOND, wall_ns: 5 * SECOND, active: 4, running: 2},
		],
		...more,
	});
}

const classes = (running, runnable, lock) => ({running, runnable, I: 0, L: lock, B: 0});

// Of the trace that small() of traces.mjs makes.
export function timelineReport(more) {
	const thread = {pid: 10, tid: 10, name: 'main'};
	return reportOf('timeline', {
		events: {
			annotations: 6,
			scheduler: 4,
			tasks: 2,
			interrupts: 0,
			lost: 1,
			annotations_dropped: 1,
			scheduler_lost: 0,
		},
		duration_ns: 1000,
		spans: [
			{
				name: '<b>read</b>',
				count: 1,
				cut: 0,
				total_ns: 250,
				self_ns: 250,
				time: classes(250, 0, 0),
				p50_ns: 250,
				p95_ns: 250,
				p99_ns: 250,
				max_ns: 250,
				threads: [],
			},
		],
		regions: [],
		threads: [
			{
				...thread,
				start_ns: -3,
				lived_ns: 1003,
				time: {running: 703, runnable: 101, I: 11, L: 151, B: 7},
				migrations: 2,
				annotations: 5,
				dropped: 1,
			},
		],
		cores: [
			{
				core: 0,
				busy_ns: 700,
				utilisation: 0.7,
				entries: 2,
				migrations: 0,
				interrupts_ns: 12345,
				lost: 0,
			},
		],
		flows: [
			{
				name: '<b>order</b>',
				count: 4,
				no_partner: 1,
				total_ns: 2400,
				p50_ns: 600,
				p95_ns: 700,
				p99_ns: 700,
				max_ns: 703,
			},
		],
		interrupts: [
			{
				name: 'interrupt 24',
				count: 1234,
				total_ns: 5_678_000,
				p50_ns: 4100,
				p99_ns: 9300,
				max_ns: 21000,
				core: 1,
			},
		],
		waits: Array.from({length: 30}, (_, i) => ({
			thread,
			span: null,
			start_ns: 400 + i,
			duration_ns: 150 - i,
			class: 'L',
			system_call: 'futex',
			waker: 11,
			ended_by: '<i>worker</i> 11',
			delay_ns: 150,
		})),
		counters: [{name: '<b>read</b>', count: 2, min: -1, mean: 1, max: 3, last: -1}],
		unmatched_ends: 0,
		...more,
	});
}

const point = (speedup, gain) => ({
	speedup,
	program_speedup: gain,
	low: gain - 0.02,
	high: gain + 0.02,
	experiments: 12,
});

function target(kind, name, gain) {
	return {
		kind,
		name,
		function: null,
		file: null,
		line: null,
		object: null,
		build_id: null,
		share: 0.25,
		experiments: 24,
		effects: [
			{
				progress: 'op',
				kind: 'throughput',
				points: [point(0.25, gain), point(0.5, 2 * gain)],
				slope: 4 * gain,
				slope_low: 4 * gain - 0.1,
				slope_high: 4 * gain + 0.1,
				phase_factor: 1,
				outside_share: 0,
				contention: false,
				answer: {
					speedup: 0.25,
					program_speedup: gain,
					low: gain - 0.02,
					high: gain + 0.02,
					verdict: 'gain',
				},
			},
		],
	};
}

// Targets of these kinds, which may be any words.
export function causalReport(kinds, more) {
	return reportOf('causal', {
		sampling: {
			period_ns: 1e6,
			samples: 1000,
			lost: 3,
			unwound_badly: 0,
			interrupt_share: 0.02,
			capped: 0,
			paused_ns: 5,
		},
		progress: [
			{
				name: 'op',
				kind: 'throughput',
				visits: 100,
				per_second: 10,
				processes: [
					{pid: 7, name: '<i>a</i>', visits: 90},
					{pid: 8, name: null, visits: 10},
				],
			},
		],
		targets: kinds.map((kind, i) => target(kind, `${kind} ${i}`, 0.2 - 0.01 * i)),
		experiments: 24 * kinds.length,
		discarded: {displaced: 1, too_few_visits: 2, cut_short: 0},
		no_answer: null,
		runs: [],
		...more,
	});
}
