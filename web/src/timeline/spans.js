// SPDX-License-Identifier: BSD-2-Clause
// spans - the report's figures of spans, parallel regions, waits and counters, as tables.
import {element} from '../dom.js';
import {table} from '../table.js';
import {count, exact, duration, percent} from '../format.js';

function share(fraction) {
	return `${percent(fraction)}\u00a0%`;
}

// A trace without the scheduler's events has no states of threads.
function timesOf(time) {
	if (!time) return ['unknown', 'unknown', 'unknown'];
	return [time.running, time.runnable, time.I + time.L + time.B].map(duration);
}

function timeOf(ns) {
	return ns === null ? 'unknown' : duration(ns);
}

function spanRow(span) {
	const tails = [span.p50_ns, span.p95_ns, span.p99_ns, span.max_ns];
	return [
		span.name,
		count(span.count),
		duration(span.total_ns),
		duration(span.self_ns),
		...timesOf(span.time),
		...tails.map(timeOf),
	];
}

function regionRow(region) {
	return [
		region.name,
		count(region.rounds),
		count(region.threads),
		duration(region.mean_busy_ns),
		duration(region.busiest_ns),
		share(region.imbalance),
	];
}

function threadRow(thread) {
	const {I, L, B} = thread.time ?? {};
	const [running, runnable] = timesOf(thread.time);
	const waits = thread.time ? [I, L, B].map(duration) : ['unknown', 'unknown', 'unknown'];
	return [
		`${thread.name ?? 'unknown'} (${thread.tid})`,
		duration(thread.lived_ns),
		running,
		runnable,
		...waits,
		count(thread.migrations),
		count(thread.annotations),
		count(thread.dropped),
	];
}

function waitRow(wait) {
	const names = {I: 'I/O', L: 'a lock', B: 'other things', runnable: 'a CPU'};
	return [
		`${wait.thread.name ?? 'unknown'} (${wait.thread.tid})`,
		duration(wait.duration_ns),
		names[wait.class] ?? wait.class,
		wait.system_call ?? '',
		wait.span ?? '',
		wait.ended_by ?? 'unknown',
		exact(wait.start_ns),
	];
}

function counterRow(counter) {
	const values = [counter.min, counter.mean, counter.max, counter.last];
	return [
		counter.name,
		count(counter.count),
		...values.map((value) => (value === null ? 'unknown' : count(value))),
	];
}

function pathRows(path) {
	if (!path) return undefined;
	const row = (name, time, classes) => [
		name,
		share(time / path.duration_ns),
		...classes.map((one) => (one === null ? '' : share(one / path.duration_ns))),
	];
	return [
		...path.threads.map(({name, tid, host, path_ns, time}) =>
			row(`${name ?? 'unknown'} of ${host} (${tid})`, path_ns, [
				time.running,
				time.runnable,
				time.I + time.L + time.B,
			]),
		),
		row(`${count(path.messages)} messages between hosts`, path.messages_ns, [
			null,
			null,
			null,
		]),
	];
}

function flowRow(flow) {
	const times = [flow.total_ns, flow.p50_ns, flow.p95_ns, flow.p99_ns, flow.max_ns];
	return [flow.name, count(flow.count), count(flow.no_partner), ...times.map(timeOf)];
}

function interruptRow(one) {
	const times = [one.total_ns, one.p50_ns, one.p99_ns, one.max_ns];
	return [one.name, count(one.count), ...times.map(timeOf), String(one.core)];
}

function coreRow(core) {
	return [
		String(core.core),
		share(core.utilisation),
		duration(core.busy_ns),
		count(core.entries),
		count(core.migrations),
		core.interrupts_ns ? duration(core.interrupts_ns) : '',
	];
}

export function figureTables(report) {
	return element(
		'div',
		{class: 'tables'},
		table(
			'Critical path',
			['Thread', 'Of the path', 'On a core', 'No CPU', 'Waiting'],
			pathRows(report.critical_path),
		),
		table(
			'Spans',
			[
				'Name',
				'Count',
				'Total',
				'Self',
				'On a core',
				'No CPU',
				'Waiting',
				'p50',
				'p95',
				'p99',
				'Longest',
			],
			report.spans?.map(spanRow),
		),
		table(
			'Parallel regions',
			['Name', 'Rounds', 'Threads', 'Busy, mean', 'Busy, most', 'Imbalance'],
			report.regions?.map(regionRow),
		),
		table(
			'Longest waits',
			['Thread', 'Time', 'For', 'System call', 'Span', 'Ended by', 'From'],
			report.waits?.map(waitRow),
		),
		table(
			'Threads',
			[
				'Thread',
				'Lived',
				'On a core',
				'No CPU',
				'I/O',
				'Lock',
				'Other',
				'Migrations',
				'Annotations',
				'Dropped',
			],
			report.threads?.map(threadRow),
		),
		table(
			'Cores',
			[
				'Core',
				'Used by the program',
				'Time',
				'Entries',
				'Migrations',
				'Interrupts',
			],
			report.cores?.map(coreRow),
		),
		table(
			'Flows',
			[
				'Name',
				'Arrived',
				'Without partner',
				'Total',
				'p50',
				'p95',
				'p99',
				'Longest',
			],
			report.flows?.map(flowRow),
		),
		table(
			'Interrupts',
			['Name', 'Count', 'Total', 'p50', 'p99', 'Longest', 'Most on core'],
			report.interrupts?.map(interruptRow),
		),
		table(
			'Counters',
			['Name', 'Values', 'Least', 'Mean', 'Most', 'Last'],
			report.counters?.map(counterRow),
		),
	);
}
