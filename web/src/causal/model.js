// SPDX-License-Identifier: BSD-2-Clause
// model - the targets as rows: which are shown, in which order, with which effects. No DOM here.

const VERDICTS = ['gain', 'contention', 'unsure'];

export const ORDERS = {
	sure: 'what is sure to gain',
	gain: 'gain',
	loss: 'contention',
	share: 'share of samples',
	experiments: 'experiments',
	name: 'name',
};

export const START = {
	query: '',
	order: 'sure',
	point: '',
	file: '',
	kind: '',
	verdict: 'answered',
	minimum: 1,
};

function rowOf(target, index) {
	const words = [target.name, target.function, target.file, target.object];
	return {
		target,
		index,
		rank: null,
		searched: words
			.filter((word) => word)
			.join('\n')
			.toLowerCase(),
	};
}

// In the report's order; targets with an answer are numbered from 1 on, as in the text report.
export function rowsOf(report) {
	const rows = report.targets.map(rowOf);
	let rank = 0;
	for (const row of rows)
		if (row.target.effects.some((effect) => effect.answer)) row.rank = ++rank;
	return rows;
}

// The row's curves under the filters for progress point and number of points.
export function effectsOf(row, state) {
	return row.target.effects.filter(
		(effect) =>
			(!state.point || effect.progress === state.point) &&
			effect.points.length >= state.minimum,
	);
}

// The most important of several effects: a gain, then contention.
export function verdictOf(effects) {
	const found = effects.map((effect) => effect.answer?.verdict);
	return VERDICTS.find((verdict) => found.includes(verdict)) ?? 'none';
}

export function wordOf(state) {
	return state.query.trim().toLowerCase();
}

function passes({target}, state) {
	return (
		(!state.file || target.file === state.file) &&
		(!state.kind || target.kind === state.kind)
	);
}

function hasVerdict(effects, wanted) {
	if (wanted === 'all') return true;
	if (wanted === 'answered') return effects.some((effect) => effect.answer);
	return effects.some((effect) => (effect.answer?.verdict ?? 'none') === wanted);
}

function best(effects, read) {
	const values = effects.map(read).filter((value) => Number.isFinite(value));
	return values.length ? Math.max(...values) : -Infinity;
}

const KEYS = {
	sure: (row, effects) => best(effects, (effect) => effect.slope_low),
	gain: (row, effects) => best(effects, (effect) => effect.answer?.program_speedup),
	loss: (row, effects) => best(effects, (effect) => -effect.slope_high),
	share: (row) => row.target.share,
	experiments: (row) => row.target.experiments,
};

function compareNames(a, b) {
	return (a.row.target.name ?? '').localeCompare(b.row.target.name ?? '', 'en', {
		numeric: true,
	});
}

// [{row, effects, scaled}] that pass all filters but the search, in order; equal ones stay in the report's order.
export function ordered(rows, state) {
	const shown = rows
		.filter((row) => passes(row, state))
		.map((row) => ({row, effects: effectsOf(row, state)}))
		.filter(({effects}) => effects.length && hasVerdict(effects, state.verdict))
		.map((one) => ({...one, scaled: scaledOf(one.effects)}));
	if (state.order === 'name') return shown.sort(compareNames);
	const key = new Map(shown.map((one) => [one, KEYS[state.order](one.row, one.effects)]));
	return shown.sort((a, b) =>
		key.get(a) === key.get(b) ? a.row.index - b.row.index : key.get(b) - key.get(a),
	);
}

// Sampled code locations without a curve, under all filters but the search.
export function unmeasured(rows, state) {
	return rows.filter((row) => !row.target.effects.length && passes(row, state));
}

function extent(values) {
	let low = 0,
		high = 0.05;
	for (const value of values) {
		low = Math.min(low, value);
		high = Math.max(high, value);
	}
	const margin = (high - low) * 0.08;
	return [Math.max(low - margin, -1), Math.min(high + margin, 1.05)];
}

// In order.
function gains(effects) {
	const found = [];
	for (const effect of effects)
		for (const {program_speedup: gain} of effect.points)
			if (Number.isFinite(gain)) found.push(gain);
	return Float64Array.from(found).sort();
}

// The vertical scale of a chart of its own: the curves with their intervals, as far as these are no wider
// than the curves are high.
export function wholeRangeOf(effects) {
	const points = effects.flatMap((effect) => effect.points);
	const own = gains(effects);
	const room = Math.max((own.at(-1) ?? 0) - Math.min(own[0] ?? 0, 0), 0.1);
	const bounds = points
		.flatMap((point) => [
			Math.max(point.low, point.program_speedup - room),
			Math.min(point.high, point.program_speedup + room),
		])
		.filter((value) => Number.isFinite(value));
	return extent([...own, ...bounds]);
}

const COUNTED_MOST = 500; // effects without a sure answer that are looked at: a key shall be answered in a picture

// What the common scale asks of effects: [lowest, highest] gain of the sure ones, and the others.
function scaledOf(effects) {
	const sure = effects.filter((effect) =>
		['gain', 'contention'].includes(effect.answer?.verdict),
	);
	const own = gains(sure);
	return {
		ends: own.length ? [own[0], own.at(-1)] : [],
		others: effects.filter((effect) => !sure.includes(effect)),
	};
}

// Of all effects without a sure answer, at most COUNTED_MOST, at equal distances.
function countedOf(shown) {
	let all = 0;
	for (const {scaled} of shown) all += scaled.others.length;
	const step = Math.ceil(all / COUNTED_MOST);
	const counted = [];
	let next = 0; // in the others of the row
	for (const {scaled} of shown) {
		for (; next < scaled.others.length; next += step) counted.push(scaled.others[next]);
		next -= scaled.others.length;
	}
	return counted;
}

// The vertical scale of rows that are shown: all points of certain curves, the middle nine tenths of the others.
export function commonRangeOf(shown) {
	let low = 0,
		high = 0;
	for (const {scaled} of shown)
		for (const end of scaled.ends) {
			low = Math.min(low, end);
			high = Math.max(high, end);
		}
	const unsure = gains(countedOf(shown));
	const cut = Math.floor(unsure.length / 20);
	const middle = unsure.length ? [unsure[cut], unsure[unsure.length - 1 - cut]] : [];
	return extent([low, high, ...middle]);
}

export function rangeOf(effects) {
	return commonRangeOf([{scaled: scaledOf(effects)}]);
}
