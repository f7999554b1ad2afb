// SPDX-License-Identifier: BSD-2-Clause
// card - one target: its verdict, its curves, and on request its numbers and source.
import {element, scrollable} from '../dom.js';
import {plural, share} from '../format.js';
import {widthOf} from '../plot.js';
import {chart, styleOf, swatch} from './chart.js';
import {verdictOf, wholeRangeOf} from './model.js';
import {pointTable} from './points.js';
import {CONTENTION, figures, sentence} from './sentence.js';
import {sourceExcerpt} from './source.js';

const BADGES = {
	gain: 'gains',
	contention: 'contention',
	unsure: 'no sure effect',
	none: 'no answer yet',
};
const COLOURS = {gain: 'curve-1', contention: 'bad'};
const HAS_CODE = ['line', 'function']; // kinds of targets with a place in the source
const HEIGHT = 150,
	HEIGHT_OPEN = 320;

// For a line its function; for targets that are neither lines nor functions, the kind.
function subtitleOf({kind, name, function: its}) {
	if (kind === 'line') return its;
	if (kind === 'function') return null;
	return its && its !== name ? `${kind}, ${its}` : kind;
}

export class Card {
	#context; // {report, sources, progress: names in order, compare: function(card, on), drawn: IntersectionObserver}
	#endChart = null;
	#shown = null; // {effects, range} on display
	#isDrawn = false;
	#width; // of the chart

	constructor(row, context) {
		this.row = row;
		this.#context = context;
		this.node = element('article', {class: 'card', 'data-target': row.index});
	}

	get isOpen() {
		return this.node.classList.contains('open');
	}

	// Shows these effects on this vertical scale. Charts are drawn when the card comes into view.
	show(effects, range) {
		const before = this.#shown;
		const isSame =
			before &&
			before.range.join() === range.join() &&
			before.effects.length === effects.length &&
			before.effects.every((effect, i) => effect === effects[i]);
		if (isSame) return;
		this.#shown = {effects, range};
		this.#render();
	}

	// Called while the page is laid out: asked between two charts, the width lays it out anew.
	measure() {
		this.#width = widthOf(this.node.querySelector('.chart'));
	}

	drawIfShown = () => {
		if (this.node.isConnected) this.draw();
	};

	// Draws the chart unless it is drawn.
	draw() {
		if (this.#isDrawn) return;
		this.#isDrawn = true;
		this.#context.drawn.unobserve(this.node);
		const host = this.node.querySelector('.chart');
		this.#endChart = chart(host, this.#curves(), this.node.querySelector('output'), {
			range: this.isOpen ? wholeRangeOf(this.#shown.effects) : this.#shown.range,
			isLarge: this.isOpen,
			height: this.isOpen ? HEIGHT_OPEN : HEIGHT,
			width: this.#width,
		});
	}

	// With one progress point the colour stands for the verdict, with several for the point.
	#curves() {
		const {progress} = this.#context;
		return this.#shown.effects.map((effect) => {
			const look = styleOf(progress.indexOf(effect.progress));
			if (progress.length === 1)
				look.colour = COLOURS[effect.answer?.verdict] ?? 'axis';
			return {label: effect.progress, points: effect.points, ...look};
		});
	}

	toggle() {
		this.node.classList.toggle('open');
		this.#render();
		this.node.querySelector('.name').focus();
	}

	setCompared(on) {
		this.node.classList.toggle('compared', on);
		this.node.querySelector('.compare').checked = on;
	}

	#render() {
		this.#endChart?.();
		this.#endChart = null;
		this.#isDrawn = false;
		this.#width = undefined;
		const {effects} = this.#shown;
		const verdict = verdictOf(effects);
		const isCompared = this.node.classList.contains('compared');
		const curves = element(
			'div',
			{class: 'curves'},
			this.#chartHost(),
			this.#output(),
			this.#sentences(verdict),
		);
		this.node.replaceChildren(
			this.#head(verdict),
			this.#answers(),
			this.isOpen ? this.#body(curves) : curves,
			this.#foot(),
		);
		this.setCompared(isCompared);
		this.#context.drawn.unobserve(this.node); // asks anew
		this.#context.drawn.observe(this.node);
	}

	#head(verdict) {
		const {target, rank} = this.row;
		const subtitle = subtitleOf(target);
		return element(
			'div',
			{class: 'head'},
			rank
				? element(
						'span',
						{
							class: 'rank',
							title: 'rank by what is sure to gain',
						},
						rank,
					)
				: null,
			element(
				'h3',
				{},
				element(
					'button',
					{
						type: 'button',
						class: 'name',
						'aria-expanded': String(this.isOpen),
						title: target.file ?? target.object,
						on: {click: () => this.toggle()},
					},
					target.name,
				),
			),
			element('span', {class: `badge ${verdict}`}, BADGES[verdict]),
			subtitle
				? element('p', {class: 'function', title: subtitle}, subtitle)
				: null,
		);
	}

	// With several progress points each has a line, named and coloured as its curve.
	#answers() {
		const {effects} = this.#shown;
		const curves = this.#context.progress.length > 1 ? this.#curves() : [];
		return element(
			'div',
			{class: 'answers'},
			effects.map((effect, i) => {
				const {value, halfInterval} = figures(effect);
				return element(
					'p',
					{class: `answer ${effect.answer?.verdict ?? 'none'}`},
					curves.length ? swatch(curves[i]) : null,
					element('b', {}, value),
					' ',
					element('span', {class: 'half'}, halfInterval),
					' ',
					curves.length
						? element(
								'span',
								{},
								effect.kind === 'latency'
									? `latency of ${effect.progress}`
									: effect.progress,
							)
						: null,
					i === 0 ||
						effect.answer?.speedup !==
							effects[0].answer?.speedup
						? this.#condition(effect, curves.length)
						: null,
				);
			}),
		);
	}

	#condition(effect, isNamed) {
		if (!effect.answer) return null;
		const latency = effect.kind === 'latency' && !isNamed ? 'latency, ' : '';
		return element(
			'span',
			{class: 'at'},
			`${isNamed ? ', ' : ''}${latency}if ${Math.round(effect.answer.speedup * 100)} % faster`,
		);
	}

	#chartHost() {
		return element('div', {
			class: 'chart',
			tabindex: '0',
			role: 'img',
			style: {'min-height': `${this.isOpen ? HEIGHT_OPEN : HEIGHT}px`},
			'aria-label': this.#shown.effects
				.map((effect) => sentence(this.row.target, effect))
				.join(' '),
		});
	}

	#output() {
		const {effects} = this.#shown;
		const points = effects.reduce((sum, effect) => sum + effect.points.length, 0);
		return element(
			'output',
			{class: 'at-cursor'},
			element(
				'span',
				{},
				`${plural(points, 'point')}, ${plural(this.row.target.experiments, 'experiment')}`,
			),
		);
	}

	#sentences(verdict) {
		const {target} = this.row;
		return element(
			'div',
			{class: 'sentences'},
			this.#shown.effects.map((effect) =>
				element('p', {}, sentence(target, effect)),
			),
			verdict === 'contention' && this.isOpen
				? element('p', {}, CONTENTION)
				: null,
		);
	}

	// The source goes below the curves, the numbers beside them.
	#body(curves) {
		const {report, sources} = this.#context;
		const {target} = this.row;
		const excerpt = sourceExcerpt(target, sources, report.targets);
		curves.append(
			excerpt ??
				element(
					'p',
					{class: 'note'},
					target.file
						? `The source ${target.file} was not found when this page was made.`
						: HAS_CODE.includes(target.kind)
							? 'The source of this code is not known.'
							: '',
				),
		);
		return element(
			'div',
			{class: 'body'},
			curves,
			scrollable(
				element(
					'div',
					{class: 'tables'},
					this.#shown.effects.map(pointTable),
					element(
						'p',
						{class: 'note'},
						target.object || HAS_CODE.includes(target.kind)
							? `In ${target.object ?? 'an unknown binary'}` +
									`${target.build_id ? `, build id ${target.build_id}` : ''}.`
							: `This target is a ${target.kind}.`,
					),
				),
			),
		);
	}

	#foot() {
		const {target} = this.row;
		const box = element('input', {
			type: 'checkbox',
			class: 'compare',
			on: {change: () => this.#context.compare(this, box.checked)},
		});
		return element(
			'div',
			{class: 'foot'},
			element(
				'span',
				{
					class: 'share',
					title: 'share of the sampled time, on CPU and waiting',
				},
				element('span', {class: 'bar', style: {'--share': target.share}}),
				`${share(target.share)} of samples`,
			),
			element('label', {class: 'choose'}, box, 'compare'),
		);
	}
}
