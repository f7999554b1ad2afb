// SPDX-License-Identifier: BSD-2-Clause
// table - functions by their own time.
import {element} from '../dom.js';
import {count, duration, plural, share} from '../words.js';
import {CLASSES, KEYS, colourOf} from './classes.js';

const MOST_ROWS = 200;
const HEADS = ['Function', 'Own', 'Own time', 'With what it calls', 'Samples', 'What it did'];

function bar(row) {
	return element(
		'span',
		{class: 'classes'},
		KEYS.map((key, number) =>
			row.byClass[number]
				? element('i', {
						title: `${CLASSES[key]}: ${share(row.byClass[number] / row.own)}`,
						style: {
							background: `var(--${colourOf(key)})`,
							'flex-grow': row.byClass[number] / row.own,
						},
					})
				: null,
		),
	);
}

function cells(row, all) {
	return element(
		'tr',
		{},
		element('td', {class: 'name'}, row.name),
		element('td', {}, share(row.own / all)),
		element('td', {}, duration(row.own)),
		element('td', {}, share(row.total / all)),
		element('td', {}, count(row.samples)),
		element('td', {}, row.own ? bar(row) : null),
	);
}

// Rows as functionsOf gives them, shares of `all`.
export function functionTable(functions, all, query) {
	const wanted = query.trim().toLowerCase();
	const rows = functions.filter((row) => row.name.toLowerCase().includes(wanted));
	const left = rows.length - MOST_ROWS;
	return element(
		'div',
		{class: 'functions'},
		element(
			'table',
			{},
			element(
				'thead',
				{},
				element(
					'tr',
					{},
					HEADS.map((head) => element('th', {scope: 'col'}, head)),
				),
			),
			element(
				'tbody',
				{},
				rows.slice(0, MOST_ROWS).map((row) => cells(row, all)),
			),
		),
		left > 0
			? element('p', {class: 'note'}, `and ${plural(left, 'more function')}`)
			: null,
	);
}
