// SPDX-License-Identifier: BSD-2-Clause
// table - functions by their own time, or by the column whose head was clicked.
import {element} from '../dom.js';
import {cell, longTable} from '../table.js';
import {count, duration, share} from '../format.js';
import {CLASSES, KEYS, colourOf} from './classes.js';

const MOST_ROWS = 40;
// The sort key of a column, in descending order; names in ascending order.
const COLUMNS = [
	{head: 'Function', key: 'name'},
	{head: 'Own', key: 'own'},
	{head: 'Own time', key: null},
	{head: 'With what it calls', key: 'total'},
	{head: 'Samples', key: 'samples'},
	{head: 'What it did', key: null},
];

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
		element('td', {class: 'name'}, cell(row.name)),
		element('td', {}, share(row.own / all)),
		element('td', {}, duration(row.own)),
		element('td', {}, share(row.total / all)),
		element('td', {}, count(row.samples)),
		element('td', {}, row.own ? bar(row) : null),
	);
}

function headOf({head, key}, order, sort) {
	if (!key) return head;
	const isOrder = key === order;
	const direction = key === 'name' ? 'ascending' : 'descending';
	return element(
		'th',
		{scope: 'col', 'aria-sort': isOrder ? direction : null},
		element(
			'button',
			{
				type: 'button',
				class: 'link',
				title: `Sort by ${head.toLowerCase()}`,
				'data-order': key,
				on: {click: () => sort(key)},
			},
			`${head}${isOrder ? (key === 'name' ? ' ▴' : ' ▾') : ''}`,
		),
	);
}

function inOrder(rows, order) {
	if (order === 'own') return rows; // sorted so already
	return order === 'name'
		? rows.sort((a, b) => a.name.localeCompare(b.name, 'en', {numeric: true}))
		: rows.sort((a, b) => b[order] - a[order] || b.own - a.own);
}

// Rows as functionsOf gives them, shares of `all`. sort(key) is called to have another order.
export function functionTable(functions, all, {query, sortedBy}, sort) {
	const wanted = query.trim().toLowerCase();
	const rows = functions.filter((row) => row.name.toLowerCase().includes(wanted));
	return longTable({
		caption: 'Functions',
		className: 'functions',
		heads: COLUMNS.map((column) => headOf(column, sortedBy, sort)),
		rows: inOrder(rows, sortedBy).map((row) => () => cells(row, all)),
		most: MOST_ROWS,
		whole: 'lever report --targets 0',
	});
}
