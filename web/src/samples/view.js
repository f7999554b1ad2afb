// SPDX-License-Identifier: BSD-2-Clause
// view - time on and off the CPU: a flame graph and a table of functions, by class and thread.
import {element, labelled, option} from '../dom.js';
import {duration, plural, share} from '../words.js';
import {CLASSES, classOf, colourOf} from './classes.js';
import {Flame} from './flame.js';
import {functionTable} from './table.js';
import {entriesOf, threadsOf, treeOf} from './tree.js';

class SamplesView {
	#report;
	#state;
	#flame;
	#total = 0;
	#said = element('output', {class: 'at-cursor'});
	#table = element('div', {});
	#canvas = element('canvas', {class: 'flame', tabindex: '0', role: 'img'});

	constructor(report) {
		this.#report = report;
		const present = new Set(report.entries.map(classOf));
		this.#state = {classes: present, thread: '', order: 'callees', query: ''};
	}

	#update(change) {
		Object.assign(this.#state, change);
		const entries = entriesOf(this.#report, this.#state);
		const root = treeOf(entries, this.#state.order === 'callers');
		this.#total = root.weight;
		this.#canvas.setAttribute(
			'aria-label',
			`Flame graph of ${duration(root.weight)} in ${plural(root.samples, 'sample')}; ` +
				'the table below has the same functions',
		);
		this.#flame.show(root);
		this.#table.replaceChildren(functionTable(entries, this.#state.query));
		this.#tell(root);
	}

	#tell(node) {
		const shown = node ?? this.#flame.zoomed;
		const parts = Object.keys(CLASSES)
			.filter((key) => shown.byClass[key])
			.map(
				(key) =>
					`${CLASSES[key]} ${share(shown.byClass[key] / shown.weight)}`,
			);
		const place = shown.frame?.file
			? ` (${shown.frame.file}${shown.frame.line ? `:${shown.frame.line}` : ''})`
			: '';
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
		const present = Object.keys(CLASSES).filter((key) => this.#state.classes.has(key));
		return element(
			'fieldset',
			{class: 'legend'},
			element('legend', {}, 'Classes'),
			present.map((key) => {
				const sum = this.#report.entries
					.filter((entry) => classOf(entry) === key)
					.reduce((total, entry) => total + entry.share, 0);
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
					`${CLASSES[key]} ${share(sum)}`,
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
					this.#table.replaceChildren(
						functionTable(
							entriesOf(this.#report, this.#state),
							search.value,
						),
					);
				},
			},
		});
		const threads = threadsOf(this.#report.entries);
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
		this.#flame = new Flame(this.#canvas, (node) => this.#tell(node));
		const main = element(
			'main',
			{},
			this.#classBoxes(),
			this.#toolbar(),
			host,
			this.#said,
			this.#table,
		);
		this.#update({});
		return main;
	}
}

export function samplesView(report) {
	if (!report.entries.length)
		return element(
			'main',
			{},
			element('p', {class: 'stop'}, 'The recording holds no sample.'),
		);
	return new SamplesView(report).build();
}
