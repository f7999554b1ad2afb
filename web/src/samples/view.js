// SPDX-License-Identifier: BSD-2-Clause
// view - time on and off the CPU: a flame graph and a table of functions, by class and thread.
import {element, labelled, option} from '../dom.js';
import {duration, fit, plural, share} from '../format.js';
import {about} from '../header.js';
import {CLASSES, KEYS, colourOf} from './classes.js';
import {Flame} from './flame.js';
import {functionTable} from './table.js';
import {Samples, functionsOf, treeOf} from './tree.js';

const LEAST_TOLD = 0.01, // of the time
	MOST_TOLD = 3, // functions
	NAME_MOST = 60;

// Where time goes, in a sentence: by class, and the functions that take most of it on CPU.
function verdict(samples) {
	const weights = samples.weightsByClass();
	const all = weights.reduce((sum, weight) => sum + weight, 0);
	const parts = KEYS.map((key, i) => [weights[i], CLASSES[key]])
		.filter(([weight]) => weight >= LEAST_TOLD * all)
		.sort(([a], [b]) => b - a)
		.map(([weight, name]) => `${share(weight / all)} ${name}`);
	const entries = samples.select({classes: new Set(['user', 'kernel']), thread: ''});
	const functions = functionsOf(samples, entries)
		.filter(({own}) => own >= LEAST_TOLD * all)
		.sort((a, b) => b.own - a.own)
		.slice(0, MOST_TOLD)
		.map(({name, own}) => `${fit(name, NAME_MOST)} ${share(own / all)}`);
	const most = functions.length ? `Most on CPU: ${functions.join(', ')}.` : '';
	return `Of ${duration(all)} of all threads: ${parts.join(', ')}. ${most}`;
}

class SamplesView {
	#report;
	#samples;
	#state;
	#flame;
	#functions = [];
	#total = 0;
	#said = element('output', {class: 'at-cursor'});
	#filters = element('p', {class: 'on-paper'});
	#table = element('div', {});
	#canvas = element('canvas', {class: 'flame', tabindex: '0', role: 'img'});

	constructor(report, samples) {
		this.#report = report;
		this.#samples = samples;
		const weights = samples.weightsByClass();
		const classes = new Set(KEYS.filter((key, number) => weights[number]));
		this.#state = {classes, thread: '', order: 'callees', query: '', sortedBy: 'own'};
	}

	#update(change) {
		Object.assign(this.#state, change);
		const entries = this.#samples.select(this.#state);
		const root = treeOf(this.#samples, entries, this.#state.order === 'callers');
		this.#total = root.weight;
		this.#functions = functionsOf(this.#samples, entries);
		this.#canvas.setAttribute(
			'aria-label',
			`Flame graph of ${duration(root.weight)} in ${plural(root.samples, 'sample')}; ` +
				'the table below has the same functions',
		);
		this.#flame.show(root);
		this.#showTable();
		this.#showFilters();
		this.#tell(root);
	}

	#showTable() {
		this.#table.replaceChildren(
			functionTable(this.#functions, this.#total, this.#state, (key) => {
				this.#state.sortedBy = key;
				this.#showTable();
				this.#table.querySelector(`[data-order=${key}]`).focus();
			}),
		);
	}

	// For paper, where the controls that show it are missing.
	#showFilters() {
		const {thread, order, query} = this.#state;
		const name = this.#samples.threadNames().find(([value]) => value === thread)?.[1];
		const told = [
			order === 'callers' ? 'from callees to callers' : 'from callers to callees',
			thread && `thread ${name}`,
			query.trim() && `functions with \u201c${query.trim()}\u201d in their names`,
		];
		this.#filters.textContent = `Shown: ${told.filter((text) => text).join('; ')}.`;
	}

	#tell(node) {
		const shown = node ?? this.#flame.zoomed;
		const parts = KEYS.map((key, number) =>
			shown.byClass[number]
				? `${CLASSES[key]} ${share(shown.byClass[number] / shown.weight)}`
				: null,
		).filter((part) => part);
		const {file, line} = shown.site ?? {};
		const place = file ? ` (${file}${line ? `:${line}` : ''})` : '';
		this.#said.replaceChildren(
			element('span', {class: 'name'}, `${shown.name}${place}`),
			element(
				'span',
				{},
				`${share(shown.weight / this.#total)} of what is shown, ${duration(shown.weight)}, ` +
					`own ${duration(shown.own)}, ${plural(shown.samples, 'sample')}: ${parts.join(', ')}`,
			),
		);
	}

	#classBoxes() {
		const weights = this.#samples.weightsByClass();
		const all = weights.reduce((sum, weight) => sum + weight, 0);
		const present = KEYS.filter((key) => this.#state.classes.has(key));
		return element(
			'fieldset',
			{class: 'legend'},
			element('legend', {}, 'Classes'),
			present.map((key) => {
				const box = element('input', {
					type: 'checkbox',
					checked: true,
					value: key,
					on: {
						change: () => {
							const classes = new Set(
								this.#state.classes,
							);
							classes[box.checked ? 'add' : 'delete'](
								key,
							);
							this.#update({classes});
						},
					},
				});
				return element(
					'label',
					{},
					box,
					element('i', {
						class: 'swatch',
						style: {background: `var(--${colourOf(key)})`},
					}),
					`${CLASSES[key]} ${share(weights[KEYS.indexOf(key)] / all)}`,
				);
			}),
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
		const search = element('input', {
			type: 'search',
			placeholder: 'function',
			spellcheck: 'false',
			on: {
				input: () => {
					this.#state.query = search.value;
					this.#flame.search(search.value);
					this.#showTable();
					this.#showFilters();
				},
			},
		});
		const threads = this.#samples.threadNames();
		return element(
			'form',
			{
				class: 'toolbar',
				role: 'search',
				on: {submit: (event) => event.preventDefault()},
			},
			labelled('Search', search, 'query'),
			this.#choice('From', 'order', [
				['callees', 'callers to callees'],
				['callers', 'callees to callers'],
			]),
			threads.length > 1
				? this.#choice('Thread', 'thread', [
						['', `all ${threads.length}`],
						...threads,
					])
				: null,
		);
	}

	build() {
		const host = element('div', {class: 'flames'}, this.#canvas);
		this.#flame = new Flame(
			this.#canvas,
			(node) => this.#tell(node),
			(node) => KEYS.map((key, number) => [colourOf(key), node.byClass[number]]),
		);
		const main = element(
			'main',
			{},
			element('p', {class: 'verdict'}, verdict(this.#samples)),
			about(this.#report),
			this.#classBoxes(),
			this.#toolbar(),
			this.#filters,
			host,
			this.#said,
			this.#table,
		);
		this.#update({});
		return main;
	}
}

export function samplesView({report, samples: tables}) {
	if (!tables.entries.stack.length)
		return element(
			'main',
			{},
			element('p', {class: 'stop'}, 'The recording holds no sample.'),
			about(report),
		);
	return new SamplesView(report, new Samples(tables)).build();
}
