// SPDX-License-Identifier: BSD-2-Clause
// spans - the report's figures of spans, parallel regions, waits and counters, as tables.
import {element} from '../dom.js';
import {count, exact, duration, percent, plural} from '../words.js';

const MOST_ROWS = 200;

function share(fraction) {
	return `${percent(fraction)}\u00a0%`;
}

function cellsOf([first, ...cells]) {
	return element(
		'tr',
		{},
		element('th', {scope: 'row', class: 'name'}, first),
		cells.map((cell) => element('td', {}, cell)),
	);
}

// Rows of texts; the first one of a row heads it.
function table(caption, heads, rows) {
	if (!rows?.length) return null;
	const left = rows.length - MOST_ROWS;
	return element(
		'section',
		{class: 'scroll functions', tabindex: '0', 'aria-label': caption},
		element(
			'table',
			{},
			element('caption', {}, caption),
			element(
				'thead',
				{},
				element(
					'tr',
					{},
					heads.map((head) => element('th', {scope: 'col'}, head)),
				),
			),
			element('tbody', {}, rows.slice(0, MOST_ROWS).map(cellsOf)),
		),
		left > 0 ? element('p', {class: 'note'}, `and ${plural(left, 'more row')}`) : null,
	);
}

// A trace without the scheduler's events does not know what a thread did.
function timesOf(time) {
	if (!time) return ['unknown', 'unknown', 'unknown'];
	return [time.running, time.runnable, time.I + time.L + time.B].map(duration);
}

function spanRow(span) {
	const tails = [span.p50_ns, span.p95_ns, span.p99_ns, span.max_ns];
	return [
		span.name,
		count(span.count),
		duration(span.total_ns),
		duration(span.self_ns),
		...timesOf(span.time),
		...tails.map((time) => (time === null ? 'unknown' : duration(time))),
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

function waitRow(wait) {
	const names = {I: 'I/O', L: 'a lock', B: 'other things', runnable: 'a CPU'};
	return [
		`${wait.thread.name ?? 'unknown'} (${wait.thread.tid})`,
		names[wait.class] ?? wait.class,
		wait.system_call ?? '',
		wait.span ?? '',
		exact(wait.start_ns),
		duration(wait.duration_ns),
		wait.ended_by ?? 'unknown',
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

function coreRow(core) {
	return [
		String(core.core),
		share(core.utilisation),
		duration(core.busy_ns),
		count(core.entries),
		count(core.migrations),
	];
}

export function figureTables(report) {
	return element(
		'div',
		{class: 'tables'},
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
			['Thread', 'For', 'System call', 'Span', 'From', 'Time', 'Ended by'],
			report.waits?.map(waitRow),
		),
		table(
			'Cores',
			['Core', 'Used by the program', 'Time', 'Entries', 'Migrations'],
			report.cores?.map(coreRow),
		),
		table(
			'Counters',
			['Name', 'Values', 'Least', 'Mean', 'Most', 'Last'],
			report.counters?.map(counterRow),
		),
	);
}
