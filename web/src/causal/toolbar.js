// SPDX-License-Identifier: BSD-2-Clause
// toolbar - search, order and filters: reads and writes the state, and calls back on each change.
import {element, labelled, option} from '../dom.js';
import {ORDERS} from './model.js';

const VERDICTS = {
	answered: 'with an answer',
	gain: 'sure gains',
	contention: 'contention',
	unsure: 'no sure effect',
	all: 'all that were measured',
};

// `texts` is value -> text, or the values themselves.
function choice(name, texts, state, key, changed) {
	const pairs = Array.isArray(texts)
		? texts.map((text) => [text, text])
		: Object.entries(texts);
	const control = element(
		'select',
		{on: {change: () => changed({[key]: control.value})}},
		pairs.map(([value, text]) => option(value, text)),
	);
	control.value = state[key];
	return labelled(name, control, key);
}

function distinct(values) {
	return [...new Set(values.filter((value) => value))].sort();
}

// Null if there is only one choice.
function filter(name, all, values, state, key, changed) {
	if (values.length < 2) return null;
	return choice(
		name,
		Object.fromEntries([['', all], ...values.map((value) => [value, value])]),
		state,
		key,
		changed,
	);
}

function search(state, changed) {
	const control = element('input', {
		type: 'search',
		placeholder: 'name, function or file',
		spellcheck: 'false',
		autocomplete: 'off',
		on: {input: () => changed({query: control.value})},
	});
	control.value = state.query;
	return labelled('Search', control, 'query');
}

function minimum(state, changed) {
	const control = element('input', {
		type: 'number',
		min: '1',
		max: '100',
		step: '1',
		on: {input: () => changed({minimum: Math.max(1, Number(control.value) || 1)})},
	});
	control.value = state.minimum;
	return labelled('Points at least', control, 'minimum');
}

function ownScale(state, changed) {
	const control = element('input', {
		type: 'checkbox',
		on: {change: () => changed({ownScale: control.checked})},
	});
	return labelled('A scale for each', control, 'check');
}

export function toolbar(report, state, changed) {
	const {targets, progress} = report;
	return element(
		'form',
		{class: 'toolbar', role: 'search', on: {submit: (event) => event.preventDefault()}},
		search(state, changed),
		choice('Order by', ORDERS, state, 'order', changed),
		choice('Show', VERDICTS, state, 'verdict', changed),
		filter(
			'Progress point',
			'all',
			progress.map((point) => point.name),
			state,
			'point',
			changed,
		),
		filter(
			'File',
			'all',
			distinct(targets.map((target) => target.file)),
			state,
			'file',
			changed,
		),
		filter(
			'Kind',
			'all',
			distinct(targets.map((target) => target.kind)),
			state,
			'kind',
			changed,
		),
		minimum(state, changed),
		ownScale(state, changed),
	);
}
