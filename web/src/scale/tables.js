// SPDX-License-Identifier: BSD-2-Clause
// tables - the numbers behind the charts of a scaling report.
import {element} from '../dom.js';
import {count, duration, percent} from '../words.js';

function share(fraction) {
	return fraction === null ? 'unknown' : `${percent(fraction)}\u00a0%`;
}

// Rows of cells; the first cell of a row heads it.
function table(caption, heads, rows) {
	return element(
		'div',
		{class: 'scroll', tabindex: '0', role: 'group', 'aria-label': caption},
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
			element(
				'tbody',
				{},
				rows.map(([first, ...cells]) =>
					element(
						'tr',
						{},
						element('th', {scope: 'row'}, first),
						cells.map((cell) => element('td', {}, cell)),
					),
				),
			),
		),
	);
}

export function predictionTable(report) {
	return table(
		'Predicted wall time',
		['Cores', 'Model', 'Wall time', '95 % interval', 'Runs'],
		report.predictions.map((one) => [
			String(one.cores),
			one.best ? element('b', {}, one.model) : one.model,
			duration(one.wall_ns),
			`${duration(one.low_ns)} to ${duration(one.high_ns)}`,
			count(one.runs),
		]),
	);
}

export function measuredTable(report) {
	if (!report.measured.length) return null;
	return table(
		'Measured wall time',
		['Cores', 'Mean', 'Shortest', 'Longest', 'CPU time', 'Runs'],
		report.measured.map((one) => [
			String(one.cores),
			duration(one.wall_ns),
			duration(one.least_ns),
			duration(one.most_ns),
			duration(one.cpu_ns),
			count(one.runs),
		]),
	);
}

export function limitTable(report) {
	if (!report.limits.length) return null;
	const names = Object.keys(report.limits[0].waiting);
	return table(
		'What cores would do: shares of their time',
		['Cores', 'used', ...names.map((name) => name.replaceAll('_', ' '))],
		report.limits.map((one) => [
			String(one.cores),
			share(one.used),
			...names.map((name) => share(one.waiting[name])),
		]),
	);
}

export function phaseTable(report) {
	if (report.phases.length < 2) return null;
	return table(
		'Phases',
		['From', 'For', 'Threads active', 'running'],
		report.phases.map((one) => [
			duration(one.begin_ns),
			duration(one.wall_ns),
			one.active.toFixed(2),
			one.running.toFixed(2),
		]),
	);
}
