// SPDX-License-Identifier: BSD-2-Clause
// view - how parallel the program is, and how long it would take on other numbers of cores.
import {element} from '../dom.js';
import {count, duration, percent, plural} from '../format.js';
import {about} from '../header.js';
import {timeSeriesChart, levelChart, predictionChart} from './charts.js';
import {
	hostTable,
	limitTable,
	measuredTable,
	modelTable,
	phaseTable,
	predictionTable,
	whatIfTable,
	spanTable,
} from './tables.js';

function share(part, all) {
	return `${percent(part / (all || 1))}\u00a0%`;
}

function fact(name, text) {
	return element('div', {}, element('dt', {}, name), element('dd', {}, text));
}

// A legend: [[colour, text]]; 'axis' is the dashed line.
function keyOf(pairs) {
	return element(
		'p',
		{class: 'key'},
		pairs.map(([name, text]) =>
			element(
				'span',
				{},
				element('i', {
					class: `swatch ${name === 'axis' ? 'dashed' : ''}`,
					style:
						name === 'axis'
							? {}
							: {background: `var(--${name})`},
				}),
				text,
			),
		),
	);
}

// A chart with the values at the cursor; draw(host, describe) is called when it is in the page.
function figure({title, note, label, key}, draw) {
	const host = element('div', {class: 'chart', role: 'img', 'aria-label': label});
	const output = element('output', {class: 'at-cursor'});
	const describe = (text) => output.replaceChildren(element('span', {}, text || '\u00a0'));
	describe('');
	return {
		node: element(
			'section',
			{class: 'findings'},
			element('h2', {}, title),
			note ? element('p', {class: 'note'}, note) : null,
			key ? keyOf(key) : null,
			host,
			output,
		),
		draw: () => draw(host, describe),
	};
}

function atCores(report, best, cores) {
	if (cores === null) return '';
	const predicted = best.find((one) => one.cores === cores);
	const measured = report.measured.find((one) => one.cores === cores);
	return [
		plural(cores, 'core'),
		predicted &&
			`predicted ${duration(predicted.wall_ns)} (${duration(predicted.low_ns)} to ` +
				`${duration(predicted.high_ns)}), ${predicted.model}`,
		measured &&
			`measured ${duration(measured.wall_ns)} in ${plural(measured.runs, 'run')}`,
	]
		.filter((part) => part)
		.join('; ');
}

function predictions(report) {
	const best = report.predictions.filter((one) => one.best);
	if (!best.length) return null;
	const label = best.map((one) => atCores(report, best, one.cores)).join('. ');
	const models = [...new Set(best.map((one) => one.model))].join(', ');
	return figure(
		{
			title: 'Predicted wall time',
			key: [
				['curve-1', `predicted (${models}), with the 95 % interval`],
				['curve-2', 'measured, from the shortest run to the longest'],
			],
			label,
		},
		(host, describe) =>
			predictionChart(host, best, report.measured, (cores) =>
				describe(atCores(report, best, cores)),
			),
	);
}

function levelText(report, level) {
	const all = report.parallelism.reduce((sum, one) => sum + one.wall_ns, 0);
	return `${plural(level.threads, 'thread')}: ${duration(level.wall_ns)}, ${share(level.wall_ns, all)}`;
}

function levels(report) {
	if (!report.parallelism.length) return null;
	return figure(
		{
			title: 'How many threads were active',
			note: 'Shares of the wall time in which so many threads ran, or were ready to.',
			label: report.parallelism
				.map((level) => levelText(report, level))
				.join('. '),
		},
		(host, describe) =>
			levelChart(host, report.parallelism, (i) =>
				describe(
					i === null ? '' : levelText(report, report.parallelism[i]),
				),
			),
	);
}

function timeSeries(report) {
	if (!report.course.length) return null;
	return figure(
		{
			title: 'Over time',
			key: [
				['curve-2', 'threads that were active'],
				['curve-1', 'threads that ran'],
				['axis', plural(report.cores, 'core')],
			],
			label: `Threads active and running over ${duration(report.program.wall_ns)}`,
		},
		(host, describe) =>
			timeSeriesChart(host, report.course, report.cores, (i) => {
				const one = report.course[i];
				describe(
					i === null
						? ''
						: `at ${duration(one.begin_ns)}: ${one.active.toFixed(2)} threads active, ` +
								`${one.running.toFixed(2)} running`,
				);
			}),
	);
}

// The answer in a sentence: what it takes here, and on the next and the largest number of cores.
function verdict(report) {
	const here = report.measured.find((one) => one.cores === report.cores);
	const busy =
		report.mean_running === null
			? ''
			: ` and keeps ${report.mean_running.toFixed(2)} of them busy on average`;
	const more = report.predictions.filter((one) => one.best && one.cores > report.cores);
	const told = [more[0], more.at(-1)].filter((one, i, all) => one && all.indexOf(one) === i);
	const parts = told.map(
		(one) =>
			`${duration(one.wall_ns)} on ${one.cores} (${duration(one.low_ns)} to ${duration(one.high_ns)})`,
	);
	return [
		here &&
			`The program takes ${duration(here.wall_ns)} on ${plural(here.cores, 'core')}${busy}.`,
		parts.length ? `Predicted: ${parts.join(', ')}.` : null,
	]
		.filter((part) => part)
		.join(' ');
}

function facts(report) {
	const decimals = (value) => (value === null ? 'unknown' : value.toFixed(2));
	return element(
		'dl',
		{class: 'facts'},
		fact('Cores', `${count(report.cores)} of ${count(report.machine_cores)}`),
		fact('Threads active on average', decimals(report.mean_active)),
		fact('Threads running on average', decimals(report.mean_running)),
		fact(
			'Time with one thread active',
			report.serial_share === null ? 'unknown' : share(report.serial_share, 1),
		),
		fact(
			'Threads',
			`${count(report.threads.made)} made, at most ${count(report.threads.most)} at once`,
		),
		report.growth === null
			? null
			: fact(
					'CPU time, for each further thread that runs',
					`${report.growth < 0 ? '\u2212' : '+'}${percent(report.growth)}\u00a0%`,
				),
		replayFact(report.replay),
	);
}

// The error of the simulation of the logged run against that run.
function replayFact(replay) {
	if (!replay) return null;
	const {logged_ns: logged, replayed_ns: replayed, miss, refusal} = replay;
	return fact(
		'Replay of the log',
		refusal ??
			`${duration(replayed)} for ${duration(logged)} (${miss < 0 ? '\u2212' : '+'}${percent(miss)}\u00a0%)`,
	);
}

export function scaleView({report}) {
	const first = predictions(report);
	const pair = [levels(report), timeSeries(report)].filter((one) => one);
	const main = element(
		'main',
		{class: 'scale'},
		element('p', {class: 'verdict'}, verdict(report)),
		about(report),
		first?.node,
		facts(report),
		element(
			'div',
			{class: 'pair'},
			pair.map((one) => one.node),
		),
		element(
			'div',
			{class: 'tables'},
			predictionTable(report),
			measuredTable(report),
			hostTable(report),
			limitTable(report),
			whatIfTable(report),
			phaseTable(report),
			spanTable(report),
			modelTable(report),
		),
	);
	// Charts are drawn in the page, since they need their width.
	requestAnimationFrame(() => [first, ...pair].forEach((one) => one?.draw()));
	return main;
}
