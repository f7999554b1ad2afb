// SPDX-License-Identifier: BSD-2-Clause
// view - two recordings of samples: a differential flame graph and the functions that changed.
import {element, labelled, option} from '../dom.js';
import {count, duration, plural} from '../format.js';
import {about} from '../header.js';
import {Flame} from '../samples/flame.js';
import {KEYS} from '../samples/classes.js';
import {Samples} from '../samples/tree.js';
import {cell, longTable} from '../table.js';
import {pairOf} from './tree.js';

const MOST_ROWS = 40;
// Steps of a change, by name of their colour (style/diff.css); the last ones are open.
const STEPS = [0.1, 0.3];
const MUCH = 2;
const LEGEND = [
	['less-2', 'over 30 % less'],
	['less-1', '10 to 30 % less'],
	['less-0', 'less'],
	['same', 'no sure change'],
	['more-0', 'more'],
	['more-1', '10 to 30 % more'],
	['more-2', 'over 30 % more, or new'],
];

function colourOf(node) {
	const {change} = node;
	if (change === null) return 'change-same';
	if (node.isNew) return 'change-more-2';
	const step = STEPS.filter((least) => Math.abs(change) > least).length;
	return `change-${change < 0 ? 'less' : 'more'}-${step}`;
}

// From MUCH on in multiples of the time before: "14 times".
function percent(change) {
	if (change >= MUCH) return `${times(change)} times`;
	return `${Math.abs(100 * change).toFixed(0)} % ${change < 0 ? 'less' : 'more'}`;
}

function times(change) {
	return (1 + change).toFixed(change >= 9 ? 0 : 1);
}

function changeText(node) {
	if (node.change === null) return 'no sure change';
	if (node.isNew) return 'new';
	return node.after ? percent(node.change) : 'gone';
}

// Of the comparison's rows, which lever computed.
function rowText({changed, before_ns: before, after_ns: after, change, low, high}) {
	if (!changed) return '~';
	if (!before) return 'new';
	if (!after) return 'gone';
	if (change === null) return after > before ? 'more' : 'less';
	const [least, most] = change < 0 ? [high, low] : [low, high];
	const end = (one) => (change >= MUCH ? times(one) : Math.abs(100 * one).toFixed(0));
	return `${percent(change)} (${end(least)} to ${end(most)})`;
}

function functionTable(diff) {
	return longTable({
		caption: `Functions: own time a ${diff.unit}`,
		className: 'functions',
		heads: ['Function', 'Before', 'After', 'Change'],
		rows: diff.functions.map(
			(row) => () =>
				element(
					'tr',
					{class: row.changed ? null : 'faint'},
					element(
						'td',
						{class: 'name'},
						cell(
							`${row.function ?? row.object ?? 'unknown'}${row.waiting ? ', waiting' : ''}`,
						),
					),
					element('td', {}, duration(row.before_ns)),
					element('td', {}, duration(row.after_ns)),
					element('td', {class: 'change'}, rowText(row)),
				),
		),
		most: MOST_ROWS,
		whole: 'lever diff --format csv',
	});
}

class DiffView {
	#report;
	#diff;
	#samples;
	#state = {width: 'after', order: 'callees', time: 'cpu'};
	#flame;
	#said = element('output', {class: 'at-cursor'});
	#canvas = element('canvas', {class: 'flame', tabindex: '0', role: 'img'});

	constructor(report, samples) {
		this.#report = report;
		this.#diff = report.diff;
		this.#samples = samples;
	}

	#update(change) {
		Object.assign(this.#state, change);
		const {width, order, time} = this.#state;
		const classes = new Set(
			KEYS.filter((key) => time === 'all' || key === 'user' || key === 'kernel'),
		);
		const entries = this.#samples.map((one) => one.select({classes, thread: ''}));
		const root = pairOf(this.#samples, entries, {
			units: [this.#diff.units_before, this.#diff.units_after],
			width,
			runError: this.#diff.run_error,
			isInverted: order === 'callers',
		});
		this.#canvas.setAttribute(
			'aria-label',
			`Differential flame graph of ${duration(root.before)} before and ` +
				`${duration(root.after)} after; the table below has the functions that changed`,
		);
		this.#flame.show(root);
		this.#tell(root);
	}

	#tell(node) {
		const shown = node ?? this.#flame.zoomed;
		const {file, line} = shown.site ?? {};
		const place = file ? ` (${file}${line ? `:${line}` : ''})` : '';
		this.#said.replaceChildren(
			element('span', {class: 'name'}, `${shown.name}${place}`),
			element(
				'span',
				{},
				`${changeText(shown)}: ${duration(shown.before)} before, ${duration(shown.after)} after a ` +
					`${this.#diff.unit}, own ${duration(shown.ownBefore)} and ${duration(shown.ownAfter)}; ` +
					`${count(shown.samples[0])} and ${plural(shown.samples[1], 'sample')}`,
			),
		);
	}

	#choice(name, key, pairs) {
		const control = element(
			'select',
			{on: {change: () => this.#update({[key]: control.value})}},
			pairs.map(([value, text]) => option(value, text)),
		);
		return labelled(name, control, key);
	}

	#toolbar() {
		return element(
			'form',
			{class: 'toolbar', on: {submit: (event) => event.preventDefault()}},
			this.#choice('Widths', 'width', [
				['after', 'time after'],
				['before', 'time before'],
			]),
			this.#choice('Time', 'time', [
				['cpu', 'on CPU'],
				['all', 'on CPU and waiting'],
			]),
			this.#choice('From', 'order', [
				['callees', 'callers to callees'],
				['callers', 'callees to callers'],
			]),
		);
	}

	#legend() {
		return element(
			'p',
			{class: 'legend'},
			LEGEND.map(([name, text]) =>
				element(
					'span',
					{},
					element('i', {
						class: 'swatch',
						style: {background: `var(--change-${name})`},
					}),
					text,
				),
			),
		);
	}

	build() {
		const host = element('div', {class: 'flames'}, this.#canvas);
		this.#flame = new Flame(
			this.#canvas,
			(node) => this.#tell(node),
			(node) => [[colourOf(node), node.weight]],
		);
		const main = element(
			'main',
			{},
			element('p', {class: 'verdict'}, `${this.#diff.sentence}.`),
			about(this.#report),
			this.#legend(),
			this.#toolbar(),
			host,
			this.#said,
			functionTable(this.#diff),
			this.#diff.notes.length
				? element(
						'ul',
						{class: 'note'},
						this.#diff.notes.map((note) =>
							element('li', {}, note),
						),
					)
				: null,
		);
		this.#update({});
		return main;
	}
}

export function diffView({report, before, samples}) {
	return new DiffView(report, [new Samples(before), new Samples(samples)]).build();
}
