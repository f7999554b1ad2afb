// SPDX-License-Identifier: BSD-2-Clause
// table - a table with a caption; a long one shows its first rows, and a button for more.
import {element} from './dom.js';
import {count, plural} from './format.js';

const LONG = 200, // characters
	STEP = 1000, // rows that a click adds: a browser is slow with very long tables
	WHOLE = 'lever report --format json'; // the default command that lists all rows

// By column: does it hold words? These are aligned left.
function wordColumns(rows) {
	const textOf = (cell) => (cell instanceof Node ? cell.textContent : (cell ?? ''));
	const isWord = (text) => !/^[\s\d<+\-\u2212±]|^unknown$|^$/.test(text);
	const isBlank = (text) => text === '' || text === 'unknown';
	return rows[0].map(
		(_, i) =>
			rows.some((cells) => isWord(textOf(cells[i]))) &&
			rows.every(
				(cells) => isWord(textOf(cells[i])) || isBlank(textOf(cells[i])),
			),
	);
}

function isLong(content) {
	return typeof content === 'string' && content.length > LONG;
}

// Limits the height of long texts.
export function cell(content) {
	return isLong(content) ? element('div', {class: 'long'}, content) : content;
}

function row([first, ...cells], words) {
	const classOf = (one, i) =>
		[words[i + 1] && 'word', isLong(one) && 'wide'].filter((name) => name).join(' ');
	return element(
		'tr',
		{},
		element('th', {scope: 'row', class: 'name'}, cell(first)),
		cells.map((one, i) => element('td', {class: classOf(one, i) || null}, cell(one))),
	);
}

// For paper only, which has no buttons.
export function missing(shown, all, rows = 'rows', whole = WHOLE) {
	return element(
		'p',
		{class: 'on-paper note'},
		`${count(shown)} of ${count(all)} ${rows}; all of them: `,
		element('code', {}, whole),
	);
}

// Fills the body with the first rows, and `more` with a button for further ones.
function fill(body, more, {rows, most, whole}) {
	body.replaceChildren(...rows.slice(0, most).map((make) => make()));
	const left = rows.length - most;
	if (left <= 0) {
		more.replaceChildren();
		return;
	}
	const button = element(
		'button',
		{
			type: 'button',
			class: 'more',
			on: {click: () => fill(body, more, {rows, most: most + STEP, whole})},
		},
		left > STEP
			? `Show ${count(STEP)} of ${count(left)} more rows`
			: `Show ${plural(left, 'more row')}`,
	);
	more.replaceChildren(button, missing(most, rows.length, 'rows', whole));
}

// Rows are functions that make their <tr>. Heads are texts or elements <th>. `whole` is the command that lists all rows.
export function longTable({caption, className, heads, ...long}) {
	const body = element('tbody', {}),
		more = element('div', {class: 'more'});
	fill(body, more, long);
	return element(
		'section',
		{class: `scroll ${className ?? ''}`, tabindex: '0', 'aria-label': caption},
		element(
			'table',
			{},
			element('caption', {}, caption),
			element(
				'thead',
				{},
				element(
					'tr',
					{},
					heads.map((head) =>
						head instanceof Node
							? head
							: element('th', {scope: 'col'}, head),
					),
				),
			),
			body,
		),
		more,
	);
}

// A table of rows of cells, the first cell of each being its head; null without rows.
export function table(caption, heads, rows, most = 12) {
	if (!rows?.length) return null;
	const words = wordColumns(rows);
	return longTable({
		caption,
		heads: heads.map((head, i) =>
			words[i] ? element('th', {scope: 'col', class: 'word'}, head) : head,
		),
		rows: rows.map((cells) => () => row(cells, words)),
		most,
	});
}
