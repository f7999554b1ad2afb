// SPDX-License-Identifier: BSD-2-Clause
// sentence - a curve in words. The numbers are the report's.
import {fit, gain, halfInterval, percent, plural, speedup} from '../format.js';

export const CONTENTION =
	'Contention: faster, this code meets other threads sooner at a lock, a queue or shared memory, ' +
	'and slows them down. Do not make it faster: let fewer threads meet there, or call it less often.';

export function nameOf({kind, name, function: its}) {
	if (kind === 'function') return name;
	if (kind === 'inclusive')
		return `${its ?? name.replace(/^inclusive:/, '')} with all it calls`;
	if (kind === 'line') return its ? `${name} (${its})` : name;
	return `${name} (${kind})`;
}

function interval(low, high) {
	return `95 % interval of the gain: ${gain(low)} to ${gain(high)}`;
}

function experimentsOf(effect) {
	return effect.points.reduce((sum, point) => sum + point.experiments, 0);
}

function unit(effect) {
	if (effect.kind === 'end-to-end') return 'the whole run';
	return effect.kind === 'latency'
		? `the latency of ${effect.progress}`
		: `each ${effect.progress}`;
}

// "If decode took 25 % less time, each request would take 6.4 % less time (...)."
export function sentence(target, effect) {
	const {answer} = effect;
	if (!answer)
		return `${fit(nameOf(target), 140)}: the interval is too wide to say anything; a longer run narrows it.`;
	const start = `If ${fit(nameOf(target), 140)} took ${speedup(answer.speedup)} less time, `;
	const sure = `${interval(answer.low, answer.high)}; ${plural(experimentsOf(effect), 'experiment')}`;
	if (answer.verdict === 'unsure')
		return `${start}there would be no sure effect on ${unit(effect)} (${sure}). A longer run narrows the interval.`;
	const isGain = answer.verdict === 'gain';
	const size = `${percent(answer.program_speedup)} %`;
	const change =
		effect.kind === 'latency'
			? `would be ${size} ${isGain ? 'lower' : 'higher'}`
			: `would take ${size} ${isGain ? 'less' : 'more'} time`;
	return `${start}${unit(effect)} ${change} (${sure}).`;
}

// "+6.4 % ±0.5"; a latency is shown as its change, so a shorter one is −.
export function figures(effect) {
	const {answer} = effect;
	if (!answer) return {value: 'no answer', halfInterval: ''};
	return {
		value: gain(
			effect.kind === 'latency'
				? -answer.program_speedup
				: answer.program_speedup,
		),
		halfInterval: halfInterval(answer, effect.kind === 'latency'),
	};
}
