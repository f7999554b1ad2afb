// SPDX-License-Identifier: BSD-2-Clause
// source - the lines around a target, with the effects of those that are targets, too.
import {sanitizeLine} from '../sanitize.js';
import {element} from '../dom.js';
import {editorLink, editorSetting} from '../editor.js';
import {share} from '../format.js';
import {verdictOf} from './model.js';
import {figures} from './sentence.js';
import {tokens} from './syntax.js';

const BEFORE = 6,
	AFTER_LINE = 6,
	AFTER_FUNCTION = 16;

// The file's other targets: line number -> target.
function targetsIn(file, targets) {
	return new Map(
		targets
			.filter((target) => target.file === file && target.line)
			.map((target) => [target.line, target]),
	);
}

function code(text, file) {
	return element(
		'code',
		{},
		tokens(text, file).map(({text: part, sort}) => {
			const node = element('span', {class: sort});
			node.textContent = sanitizeLine(part);
			return node;
		}),
	);
}

function line(number, text, file, here, target) {
	const said =
		target?.effects.filter(
			(effect) => effect.answer && effect.answer.verdict !== 'unsure',
		) ?? [];
	return element(
		'div',
		{class: `line ${here ? 'here' : ''}`, 'aria-current': here ? 'true' : null},
		element('span', {class: 'number'}, number),
		element(
			'span',
			{class: 'share', title: target ? 'share of the samples' : null},
			target ? share(target.share) : '',
		),
		element(
			'span',
			{class: `said ${said.length ? verdictOf(said) : ''}`},
			said.length ? figures(said[0]).value : '',
		),
		code(text, file),
	);
}

// Null if the source was not found.
export function sourceExcerpt(target, sources, targets) {
	const source = sources.find((one) => one.file === target.file);
	const after = target.kind === 'function' ? AFTER_FUNCTION : AFTER_LINE;
	const numbers = Object.keys(source?.lines ?? {})
		.map(Number)
		.filter((number) => number >= target.line - BEFORE && number <= target.line + after)
		.sort((a, b) => a - b);
	if (!numbers.length || !target.line) return null;
	const others = targetsIn(target.file, targets);
	return element(
		'figure',
		{class: 'source'},
		element(
			'figcaption',
			{},
			editorLink(target.file, target.line),
			source.newer
				? element(
						'b',
						{class: 'bad'},
						' changed after the profile was made: lines may have panned',
					)
				: null,
			editorSetting(),
		),
		element(
			'div',
			{
				class: 'lines',
				tabindex: '0',
				role: 'group',
				'aria-label': `Source around ${target.name}`,
			},
			numbers.map((number) =>
				line(
					number,
					source.lines[number],
					target.file,
					number === target.line,
					others.get(number),
				),
			),
		),
	);
}
