// SPDX-License-Identifier: BSD-2-Clause
// tables - the numbers behind the charts of a scaling report.
import {element} from '../dom.js';
import {table} from '../table.js';
import {count, duration, fit, gain, percent, speedup} from '../format.js';

const ALL_ROWS = Infinity, // as many as cores, models and phases
	NAME_MOST = 120;

function share(fraction) {
	return fraction === null ? 'unknown' : `${percent(fraction)}\u00a0%`;
}

// A row for each number of cores: the believed prediction, and those of the other models.
export function predictionTable(report) {
	const models = [...new Set(report.predictions.map((one) => one.model))];
	const cores = [...new Set(report.predictions.map((one) => one.cores))];
	const at = (number, isIt) =>
		report.predictions.find((one) => one.cores === number && isIt(one));
	const time = (one) => (one ? duration(one.wall_ns) : '');
	return table(
		'Predicted wall time',
		['Cores', 'Wall time', '95 % interval', 'by', ...models.map((one) => `by ${one}`)],
		cores.map((number) => {
			const best = at(number, ({best}) => best);
			return [
				String(number),
				best ? element('b', {}, time(best)) : '',
				best ? `${duration(best.low_ns)} to ${duration(best.high_ns)}` : '',
				best?.model ?? '',
				...models.map((name) =>
					time(at(number, ({model}) => model === name)),
				),
			];
		}),
		ALL_ROWS,
	);
}

export function hostTable(report) {
	if (!report.hosts.length) return null;
	return table(
		'Hosts: how parallel each is, and the job’s time if it alone had so many cores',
		[
			'Host',
			'Cores',
			'Active',
			'On CPU',
			'One active',
			'None active',
			'CPU time',
			...report.hosts[0].alone_on.map((one) => `on ${one.cores}`),
		],
		report.hosts.map((host) => [
			fit(host.name, NAME_MOST),
			`${host.cores} of ${host.machine_cores}`,
			host.mean_active.toFixed(2),
			host.mean_running.toFixed(2),
			share(host.serial_share),
			share(host.idle_share),
			duration(host.cpu_ns),
			...host.alone_on.map((one) => duration(one.wall_ns)),
		]),
		ALL_ROWS,
	);
}

export function measuredTable(report) {
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
		ALL_ROWS,
	);
}

// As the text report calls them.
const WAITS = {io: 'I/O', timer: 'sleep', outside: 'external', 'too-few-threads': 'threads'};

export function limitTable(report) {
	if (!report.limits.length) return null;
	const names = Object.keys(report.limits[0].waiting);
	return table(
		'What cores would do: shares of their time',
		[
			'Cores',
			'used',
			...names.map((name) => WAITS[name] ?? name.replaceAll(/[_-]/g, ' ')),
		],
		report.limits.map((one) => [
			String(one.cores),
			share(one.used),
			...names.map((name) => share(one.waiting[name])),
		]),
		ALL_ROWS,
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
		ALL_ROWS,
	);
}

// Phases that the program names (spans of lever.h).
export function spanTable(report) {
	return table(
		'Spans: what ran while at least one of the name was open',
		['Name', 'Times', 'For', 'Threads active', 'running', 'One thread active'],
		report.spans?.map((one) => [
			one.name,
			count(one.times),
			duration(one.wall_ns),
			one.active.toFixed(2),
			one.running.toFixed(2),
			share(one.serial_share),
		]),
	);
}

// The gain of a causal profile's first target on other numbers of cores.
export function whatIfTable({question, machine_cores: cores}) {
	if (!question) return null;
	const interval = (one) => `${gain(one.low)} to ${gain(one.high)}`;
	const simulated =
		question.simulated === null
			? []
			: [[String(cores), 'simulated', gain(question.simulated), '']];
	return table(
		`If ${fit(question.target, NAME_MOST)} took ${speedup(question.speedup)} less time`,
		['Cores', 'How', 'The program would take less time by', '95 % interval'],
		[
			[
				String(cores),
				'measured',
				gain(question.program_speedup),
				interval(question),
			],
			...simulated,
			...question.answers.map((one) => [
				String(one.cores),
				'predicted',
				gain(one.program_speedup),
				interval(one),
			]),
		],
		ALL_ROWS,
	);
}

export function modelTable(report) {
	return table(
		'Errors of the models on programs of known times',
		['Model', 'Mean error', 'Programs'],
		report.models?.map((one) => [
			one.model,
			share(one.mean_error),
			count(one.programs),
		]),
		ALL_ROWS,
	);
}
