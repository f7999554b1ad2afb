// SPDX-License-Identifier: BSD-2-Clause
// points - a target's curves as a table of numbers.
import {element} from '../dom.js';
import {count, duration, gain, speedup} from '../format.js';

const HEADS = ['Code faster by', 'Gain', '95 % interval', 'Experiments'];

function cells(point) {
	return element(
		'tr',
		{},
		element('th', {scope: 'row'}, speedup(point.speedup)),
		element('td', {}, gain(point.program_speedup)),
		element('td', {}, `${gain(point.low)} to ${gain(point.high)}`),
		element('td', {}, count(point.experiments)),
	);
}

function slope(effect) {
	if (effect.slope === null) return null;
	return element(
		'p',
		{class: 'note'},
		`Slope ${effect.slope.toFixed(3)} (${effect.slope_low.toFixed(3)} to ` +
			`${effect.slope_high.toFixed(3)}): gain for each unit of speedup` +
			(effect.phase_factor < 1
				? `; the target's phase runs ${(effect.phase_factor * 100).toFixed(1)} % of the time.`
				: '.'),
	);
}

function table(caption, points) {
	return element(
		'table',
		{},
		element('caption', {}, caption),
		element(
			'thead',
			{},
			element(
				'tr',
				{},
				HEADS.map((head) => element('th', {scope: 'col'}, head)),
			),
		),
		element('tbody', {}, points.map(cells)),
	);
}

const UNKNOWN = {
	few_spans: 'there are too few spans',
	short: 'spans are too short for the sampling period',
	long: 'spans are too long for the experiments',
	few_fast: 'there are too few spans at speedups',
	elsewhere: 'spans end in another thread than they begin in',
	phases: 'the code runs in phases',
};

// A sentence on the percentile of a latency.
function percentile(effect) {
	const p99 = effect.p99;
	if (!p99) return null;
	if (p99.unknown !== null)
		return element(
			'p',
			{class: 'note'},
			`The 99th percentile is unknown: ${UNKNOWN[p99.unknown] ?? p99.unknown} ` +
				`(${count(p99.spans)} without a speedup).` +
				(p99.lacking_ns
					? ` A run that is ${duration(p99.lacking_ns)} longer may tell.`
					: ''),
		);
	return table(
		`99th percentile of ${effect.progress}, ${duration(p99.length_ns)} of ${count(p99.spans)} spans`,
		p99.points,
	);
}

export function pointTable(effect) {
	return element(
		'div',
		{class: 'points'},
		table(`At ${effect.progress} (${effect.kind})`, effect.points),
		slope(effect),
		percentile(effect),
	);
}
