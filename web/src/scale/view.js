// SPDX-License-Identifier: BSD-2-Clause
// view - how parallel the program is, and how long it would take on other numbers of cores.
import {element} from '../dom.js';
import {count, duration, percent, plural} from '../words.js';
import {courseChart, levelChart, predictionChart} from './charts.js';
import {limitTable, measuredTable, phaseTable, predictionTable} from './tables.js';

function share(part, all) {
	return `${percent(part / (all || 1))}\u00a0%`;
}

function fact(name, text) {
	return element('div', {}, element('dt', {}, name), element('dd', {}, text));
}

// A chart with what is below the cursor; draw(host, tell) is called when it is in the page.
function figure(title, note, label, draw) {
	const host = element('div', {class: 'chart', role: 'img', 'aria-label': label});
	const output = element('output', {class: 'at-cursor'});
	const tell = (text) => output.replaceChildren(element('span', {}, text || '\u00a0'));
	tell('');
	return {
		node: element(
			'section',
			{class: 'findings'},
			element('h2', {}, title),
			element('p', {class: 'note'}, note),
			host,
			output,
		),
		draw: () => draw(host, tell),
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
	return figure(
		'Predicted wall time',
		'Dots are predictions, the band is their 95 % interval; squares were measured, with a line from ' +
			'the shortest run to the longest.',
		label,
		(host, tell) =>
			predictionChart(host, best, report.measured, (cores) =>
				tell(atCores(report, best, cores)),
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
		'How many threads were active',
		'Shares of the wall time in which so many threads ran, or were ready to.',
		report.parallelism.map((level) => levelText(report, level)).join('. '),
		(host, tell) =>
			levelChart(host, report.parallelism, (i) =>
				tell(i === null ? '' : levelText(report, report.parallelism[i])),
			),
	);
}

function course(report) {
	if (!report.course.length) return null;
	return figure(
		'Over time',
		'Threads that were active (orange) and those that ran (blue), on average; the dashed line is at the ' +
			'number of cores.',
		`Threads active and running over ${duration(report.program.wall_ns)}`,
		(host, tell) =>
			courseChart(host, report.course, report.cores, (i) => {
				const one = report.course[i];
				tell(
					i === null
						? ''
						: `at ${duration(one.begin_ns)}: ${one.active.toFixed(2)} threads active, ` +
								`${one.running.toFixed(2)} running`,
				);
			}),
	);
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
	);
}

export function scaleView({report}) {
	const figures = [predictions(report), levels(report), course(report)].filter((one) => one);
	const main = element(
		'main',
		{class: 'scale'},
		facts(report),
		figures.map((one) => one.node),
		element(
			'div',
			{class: 'tables'},
			predictionTable(report),
			measuredTable(report),
			limitTable(report),
			phaseTable(report),
		),
	);
	// Charts want to know how wide they are.
	requestAnimationFrame(() => figures.forEach((one) => one.draw()));
	return main;
}
