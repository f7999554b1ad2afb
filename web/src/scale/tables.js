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

export function limitTable(report) {
	if (!report.limits.length) return null;
	const names = Object.keys(report.limits[0].waiting);
	return table(
		'What cores would do: shares of their time',
		['Cores', 'used', ...names.map((name) => name.replaceAll(/[_-]/g, ' '))],
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
		'How far the models were off, on programs whose times on one core and on two are known',
		['Model', 'Mean error', 'Programs'],
		report.models?.map((one) => [
			one.model,
			share(one.mean_error),
			count(one.programs),
		]),
		ALL_ROWS,
	);
}
