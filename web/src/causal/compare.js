// SPDX-License-Identifier: BSD-2-Clause
// compare - the curves of chosen targets in one chart, and their numbers side by side.
import {element} from '../dom.js';
import {gain, share} from '../format.js';
import {chart, styleOf, speedupsOf, swatch} from './chart.js';
import {rangeOf} from './model.js';
import {figures, nameOf} from './sentence.js';

const HEIGHT = 360;

// A curve for each effect of each chosen target.
function curvesOf(chosen) {
	const several =
		new Set(chosen.flatMap(({effects}) => effects.map((effect) => effect.progress)))
			.size > 1;
	return chosen
		.flatMap(({target, effects}) =>
			effects.map((effect) => ({target, effect, several})),
		)
		.map(({target, effect}, number) => ({
			target,
			effect,
			...styleOf(number),
			points: effect.points,
			label: several ? `${nameOf(target)}, ${effect.progress}` : nameOf(target),
		}));
}

function heading(curve) {
	const {value, halfInterval} = figures(curve.effect);
	return element(
		'th',
		{scope: 'col'},
		swatch(curve),
		element('span', {class: 'name'}, curve.label),
		element(
			'span',
			{class: 'sub'},
			`${share(curve.target.share)} of samples; ${value} ${halfInterval}`,
		),
	);
}

function cell(curve, at) {
	const point = curve.points.find((one) => one.speedup === at);
	if (!point) return element('td', {}, '');
	return element(
		'td',
		{},
		gain(point.program_speedup),
		element('span', {class: 'sub'}, `${gain(point.low)} to ${gain(point.high)}`),
	);
}

function table(curves) {
	return element(
		'div',
		{class: 'scroll', tabindex: '0', role: 'group', 'aria-label': 'Gains side by side'},
		element(
			'table',
			{},
			element(
				'thead',
				{},
				element(
					'tr',
					{},
					element('th', {scope: 'col'}, 'Code faster by'),
					curves.map(heading),
				),
			),
			element(
				'tbody',
				{},
				speedupsOf(curves).map((at) =>
					element(
						'tr',
						{},
						element(
							'th',
							{scope: 'row'},
							`${Math.round(at * 1000) / 10} %`,
						),
						curves.map((curve) => cell(curve, at)),
					),
				),
			),
		),
	);
}

// Shows a dialog over the page. Chosen: [{target, effects}].
export function compareDialog(chosen) {
	const curves = curvesOf(chosen);
	const host = element('div', {
		class: 'chart',
		tabindex: '0',
		role: 'img',
		'aria-label': `Curves of ${curves.map((curve) => curve.label).join('; ')}`,
	});
	const output = element(
		'output',
		{class: 'at-cursor'},
		element('span', {}, 'Point at the chart, or use the arrow keys.'),
	);
	const close = element(
		'button',
		{type: 'button', on: {click: () => dialog.close()}},
		'Close',
	);
	const dialog = element(
		'dialog',
		{class: 'comparison', 'aria-label': 'Comparison'},
		element('div', {class: 'title'}, element('h2', {}, 'Comparison'), close),
		host,
		output,
		table(curves),
	);
	document.body.append(dialog);
	dialog.showModal();
	const end = chart(host, curves, output, {
		isLarge: true,
		height: HEIGHT,
		range: rangeOf(curves.map((curve) => curve.effect)),
	});
	dialog.addEventListener('close', () => {
		end();
		dialog.remove();
	});
}
