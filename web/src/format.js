// SPDX-License-Identifier: BSD-2-Clause
// format - numbers, times and names as text, the same as in the text report.

const MINUS = '\u2212';
const SPACE = '\u00a0';
const WHOLE = new Intl.NumberFormat('en-US');

// A fraction as a percentage without its sign: 0.116 is "11.6".
export function percent(fraction) {
	return Math.abs(fraction * 100).toFixed(1);
}

export function gain(fraction) {
	if (!Number.isFinite(fraction)) return 'unknown';
	const number = percent(fraction);
	return `${fraction < 0 && number !== '0.0' ? MINUS : '+'}${number}${SPACE}%`;
}

function signed(fraction) {
	const number = percent(fraction);
	return fraction < 0 && number !== '0.0' ? MINUS + number : number;
}

// Half the 95 % interval, in percentage points; both ends where it reaches much further to one side.
export function halfInterval(answer, isLatency = false) {
	const below = answer.program_speedup - answer.low;
	const above = answer.high - answer.program_speedup;
	const isLopsided =
		Math.max(below, above) > 3 * Math.min(below, above) &&
		Math.abs(above - below) > 0.05;

	if (isLopsided && !isLatency) return `(${signed(answer.low)} to ${signed(answer.high)})`;
	return `±${percent((answer.high - answer.low) / 2)}`;
}

export function speedup(fraction) {
	return `${Number((fraction * 100).toPrecision(3))}${SPACE}%`;
}

export function share(fraction) {
	return fraction > 0 && fraction < 0.001
		? `<${SPACE}0.1${SPACE}%`
		: `${percent(fraction)}${SPACE}%`;
}

export function count(number) {
	return WHOLE.format(number);
}

export function plural(number, one, many = `${one}s`) {
	return `${count(number)}${SPACE}${number === 1 ? one : many}`;
}

export function duration(ns) {
	const units = [
		[1e3, 1, 'ns'],
		[1e6, 1e3, '\u00b5s'],
		[1e9, 1e6, 'ms'],
	];
	for (const [below, unit, name] of units)
		if (ns < below) return `${Number((ns / unit).toPrecision(3))}${SPACE}${name}`;
	const seconds = ns / 1e9;
	if (seconds < 120) return `${seconds.toFixed(1)}${SPACE}s`;
	if (seconds < 7200)
		return `${Math.floor(seconds / 60)}${SPACE}min ${Math.floor(seconds % 60)}${SPACE}s`;
	return `${Math.floor(seconds / 3600)}${SPACE}h ${Math.floor((seconds % 3600) / 60)}${SPACE}min`;
}

// To the nanosecond, in the unit that it fills: "1.250001 ms".
export function exact(ns) {
	const rounded = Math.round(ns);
	const [unit, digits, name] = [
		[1e9, 9, 's'],
		[1e6, 6, 'ms'],
		[1e3, 3, '\u00b5s'],
		[1, 0, 'ns'],
	].find(([one]) => Math.abs(rounded) >= one || one === 1);
	return `${Number((rounded / unit).toFixed(digits))}${SPACE}${name}`;
}

export function rate(perSecond) {
	if (perSecond >= 1000) return count(Math.round(perSecond));
	return perSecond.toFixed(perSecond >= 10 ? 1 : 3);
}

// In the reader's time zone, which is named.
export function date(unixSeconds) {
	return new Date(unixSeconds * 1000).toLocaleString('en-GB', {
		dateStyle: 'long',
		timeStyle: 'long',
	});
}

// Names may have thousands of characters.
export function fit(text, most) {
	const characters = [...text];
	return characters.length > most ? `${characters.slice(0, most - 1).join('')}…` : text;
}

// Arguments quoted for a shell.
export function command(words) {
	return words
		.map((word) =>
			/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`,
		)
		.join(' ');
}
