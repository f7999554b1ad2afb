// SPDX-License-Identifier: BSD-2-Clause
// points - a target's curves as a table of numbers.
import {element} from '../dom.js';
import {count, gain, speedup} from '../words.js';

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

export function pointTable(effect) {
	return element(
		'div',
		{class: 'points'},
		element(
			'table',
			{},
			element('caption', {}, `At ${effect.progress} (${effect.kind})`),
			element(
				'thead',
				{},
				element(
					'tr',
					{},
					HEADS.map((head) => element('th', {scope: 'col'}, head)),
				),
			),
			element('tbody', {}, effect.points.map(cells)),
		),
		slope(effect),
	);
}
