// SPDX-License-Identifier: BSD-2-Clause
// first_screen - what to do first and why, in the text report's own lines; its targets lead to their cards.
import {element} from '../dom.js';

// A figure stays with its unit.
function joined(text) {
	return text.replaceAll(' %', '\u00a0%');
}

// In a command, the name of an option stays in one line.
function commandNode(text) {
	const words = text.split(/(--[\w-]+)/);
	return element(
		'code',
		{class: 'command'},
		words.map((word, i) => (i % 2 ? element('span', {class: 'option'}, word) : word)),
	);
}

function partNode({mark, text, target}, reveal) {
	const follow = (event) => {
		event.preventDefault();
		reveal(target);
	};
	if (mark === 'target')
		return element(
			'a',
			{class: 'name', href: `#target-${target}`, on: {click: follow}},
			text,
		);
	if (mark === 'figure') return element('b', {}, joined(text));
	if (mark === 'command') return commandNode(text);
	return joined(text);
}

function lineNode({kind, depth, parts}, reveal) {
	return element(
		'dd',
		{class: kind, style: {'--depth': depth}},
		depth ? element('span', {'aria-hidden': 'true'}, '└ ') : null,
		parts.map((part) => partNode(part, reveal)),
	);
}

// A line without a label belongs to the one above it.
function grouped(lines) {
	const groups = [];
	for (const line of lines)
		if (line.label || !groups.length) groups.push([line]);
		else groups.at(-1).push(line);
	return groups;
}

// Calls reveal(number of the target) where one is chosen. Null if there are no lines.
export function firstScreen(lines, reveal) {
	if (!lines?.length) return null;
	return element(
		'section',
		{class: 'findings', 'aria-label': 'What to do'},
		element('h2', {class: 'unseen'}, 'What to do'),
		element(
			'dl',
			{class: 'first'},
			grouped(lines).map((group) =>
				element(
					'div',
					{class: group[0].kind},
					element('dt', {}, group[0].label),
					group.map((line) => lineNode(line, reveal)),
				),
			),
		),
	);
}
