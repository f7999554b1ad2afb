// SPDX-License-Identifier: BSD-2-Clause
// header - program, machine, date, overhead, losses and warnings of a report.
import {element, scrollable} from './dom.js';
import {themeButton} from './theme.js';
import * as format from './format.js';

const TITLES = {
	causal: 'Causal profile',
	samples: 'Profile',
	'samples-diff': 'Change',
	timeline: 'Timeline',
	scale: 'Scaling',
};

// If lever started no command.
const UNNAMED = {samples: 'running processes', 'samples-diff': 'running processes'};

function fact(name, ...content) {
	return element('div', {}, element('dt', {}, name), element('dd', {}, content));
}

function ended(status) {
	return status === null ? null : `exit status ${status}`;
}

function sum(runs, key) {
	return runs.reduce((total, run) => total + (run[key] ?? 0), 0);
}

// Not every kind of report lists its runs.
function runsOf(report) {
	return Array.isArray(report.runs) ? report.runs : [report.program];
}

function listed(...parts) {
	return parts.filter((part) => part).join(', ');
}

function runFact(report) {
	const runs = runsOf(report);
	const wall = sum(runs, 'wall_ns');
	const time = wall ? format.duration(wall) : 'not finished';
	if (runs.length > 1)
		return fact('Runs', listed(format.count(runs.length), `${time} in all`));
	return fact('Run', listed(time, ended(report.program.exit_status)));
}

function dateFact(report) {
	const starts = runsOf(report)
		.map((run) => run.started_s)
		.filter((start) => start);
	if (!starts.length) return null;
	const first = format.date(Math.min(...starts)),
		last = format.date(Math.max(...starts));
	return fact('Date', first === last ? last : `${first} to ${last}`);
}

// Shares of one core's time; unknown ones are left out.
function overheadFact(report) {
	const {kernel_share: kernel, engine_share: engine} = report.overhead ?? {};
	const isKnown = Number.isFinite(kernel);
	const interrupt = isKnown ? null : report.sampling?.interrupt_share;
	const delay = report.kind === 'causal' ? sum(runsOf(report), 'delay_ns') : 0;
	const known = listed(
		interrupt && `sampling ${format.share(interrupt)} of a core`,
		isKnown && `in the kernel ${format.share(kernel)} of a core`,
		Number.isFinite(engine) && `lever itself ${format.share(engine)}`,
		delay ? `${format.duration(delay)} of pauses inserted` : null,
	);
	return fact('Overhead', known || 'not measured');
}

function sampleFact(report) {
	const {samples, lost, period_ns: period} = report.sampling;
	return fact(
		'Samples',
		listed(
			`${format.count(samples)} ${report.kind === 'causal' ? 'on CPU' : 'on and off CPU'}`,
			`every ${format.duration(period)}`,
		),
		', ',
		element(
			'span',
			{class: lost * 100 > samples ? 'bad' : null},
			`${format.count(lost)}\u00a0lost`,
		),
	);
}

function eventFact(report) {
	const {annotations, scheduler, lost} = report.events;
	return fact(
		'Events',
		listed(
			format.plural(annotations, 'annotation'),
			`${format.count(scheduler)} of the scheduler`,
		),
		', ',
		element('span', {class: lost ? 'bad' : null}, `${format.count(lost)}\u00a0lost`),
	);
}

function experimentFact(report) {
	const {displaced, too_few_visits: few, cut_short: cut, mischarged} = report.discarded;
	const reasons = listed(
		displaced && `${format.count(displaced)} displaced by other programs`,
		few && `${format.count(few)} with too few visits`,
		cut && `${format.count(cut)} cut short`,
		mischarged && `${format.count(mischarged)} with pauses that contradict the samples`,
	);
	return fact(
		'Experiments',
		`${format.count(report.experiments)} counted, ` +
			`${format.count(displaced + few + cut + mischarged)} discarded${reasons && ` (${reasons})`}`,
	);
}

function pointText(point) {
	const parts = [`${format.count(point.visits)} visits`];
	if (point.latency_ns) parts.push(`${format.duration(point.latency_ns)} each`);
	else if (point.per_second)
		parts.push(`${format.rate(point.per_second)} a second without pauses`);
	return `${parts.join(', ')}${point.kind === 'throughput' ? '' : ` (${point.kind})`}`;
}

const VISITORS_MOST = 8;

// If there are several processes: visits of the point by each.
function processVisits({processes}) {
	if (!(processes?.length > 1)) return null;
	const told = processes
		.slice(0, VISITORS_MOST)
		.map(
			({name, pid, visits}) =>
				`${name ?? 'unknown'} (${pid}) ${format.count(visits)}`,
		);
	const left = processes.length - VISITORS_MOST;
	const more =
		left > 0 ? `, and ${format.plural(left, 'more process', 'more processes')}` : '';
	return element('div', {class: 'note'}, `by process: ${told.join(', ')}${more}`);
}

function progressFact(report) {
	return fact(
		'Progress',
		report.progress.map((point) =>
			scrollable(
				element(
					'div',
					{},
					element('b', {class: 'name'}, point.name),
					`: ${pointText(point)}`,
					processVisits(point),
				),
			),
		),
	);
}

function hostFact(report) {
	const {name, kernel} = report.host;
	const text = `${name ?? 'unknown'}, Linux ${kernel ?? 'unknown'}`;
	return fact('Host', scrollable(element('div', {}, text)));
}

function engineFact(report) {
	const version = runsOf(report).at(-1)?.version;
	return fact('Engine', listed(report.engine ?? 'unknown', version && `lever ${version}`));
}

function warnings(report) {
	if (!report.warnings.length) return null;
	return element(
		'ul',
		{class: 'warnings', 'aria-label': 'Warnings'},
		report.warnings.map((text) =>
			scrollable(element('li', {}, element('b', {}, 'Warning: '), text)),
		),
	);
}

function facts(report) {
	return element(
		'dl',
		{class: 'facts'},
		runFact(report),
		dateFact(report),
		hostFact(report),
		engineFact(report),
		report.experiments === undefined ? null : experimentFact(report),
		report.sampling ? sampleFact(report) : null,
		report.events ? eventFact(report) : null,
		overheadFact(report),
		report.progress?.length ? progressFact(report) : null,
		report.warnings.length ? null : fact('Warnings', 'none'),
	);
}

// What stands below the answer of a page: warnings, and facts that are folded on a small screen.
export function about(report) {
	const folded = element(
		'details',
		{open: matchMedia('(min-width: 700px)').matches},
		element('summary', {}, 'How it was measured'),
		facts(report),
	);
	addEventListener('beforeprint', () => (folded.open = true));
	return element(
		'section',
		{class: 'about', 'aria-label': 'About'},
		warnings(report),
		folded,
	);
}

export function header(report) {
	const command = format.command(report.program.command) || UNNAMED[report.kind] || 'unknown';
	document.title = `${command.slice(0, 80)} - Lever`;
	return element(
		'header',
		{class: 'top'},
		element(
			'div',
			{class: 'title'},
			scrollable(
				element(
					'h1',
					{},
					`${TITLES[report.kind]} of `,
					element('code', {}, command),
				),
			),
			themeButton(),
		),
	);
}
