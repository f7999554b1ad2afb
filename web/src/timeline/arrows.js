// SPDX-License-Identifier: BSD-2-Clause
// arrows - wake-ups and flows between the tracks, the critical path, and marks of single times.
//
// All draw on a sheet: {context, view, timeline, colours, x: of a time, tops: of threads' tracks}.
import {sanitize} from '../sanitize.js';
import {fit} from '../format.js';
import {GAP, LABEL, ROW, STATE} from './layout.js';
import {countUpTo} from './lane.js';

const ARROWS_MOST = 300;
const PATH = 2.5; // pixels: the height of its line
const MARK = 3.5, // half its width
	MARK_HEIGHT = 6,
	MARK_NAME = 60; // pixels for each mark: with less, names are left out

// From the waker's track to the woken thread's, unless there are too many to distinguish.
export function drawWakes(sheet) {
	const {context, view, timeline, colours, x, tops} = sheet;
	const {wakes} = timeline;
	const first = countUpTo(wakes.at, view.from - 0.5),
		end = countUpTo(wakes.at, view.to);
	if (end - first > ARROWS_MOST) return;
	context.strokeStyle = context.fillStyle = colours.accent;
	context.lineWidth = 1;
	for (let i = first; i < end; i++) {
		const from = tops.get(wakes.waker[i] - 1),
			to = tops.get(wakes.woken[i]);
		if (to !== undefined)
			drawWake(
				context,
				x(wakes.at[i]),
				from === undefined ? undefined : from + LABEL,
				to + LABEL,
			);
	}
}

function drawWake(context, x, from, to) {
	const start = from ?? to - GAP; // a short arrow for an interrupt
	const down = to >= start;
	const tip = down ? to : to + 11;
	context.beginPath();
	context.moveTo(x, down ? start + (from === undefined ? 0 : 11) : start);
	context.lineTo(x, tip);
	context.stroke();
	context.beginPath();
	context.moveTo(x, tip);
	context.lineTo(x - 3, tip + (down ? -5 : 5));
	context.lineTo(x + 3, tip + (down ? -5 : 5));
	context.fill();
}

// From where a flow was sent to where it arrived, from the innermost spans there.
export function drawFlows(sheet) {
	const {context, view, timeline, colours} = sheet;
	const {flows} = timeline;
	const numbers = flows.between(view.from, view.to, ARROWS_MOST);
	if (!numbers) return;
	context.strokeStyle = context.fillStyle = colours.flow;
	context.lineWidth = 1.5;
	for (const i of numbers) {
		const from = endOf(sheet, flows.from[i], flows.at[i]),
			to = endOf(sheet, flows.to[i], flows.until[i]);
		if (from && to) drawFlow(context, from, to);
	}
}

// Where on its thread's track a flow's end is.
function endOf({timeline, x, tops}, thread, time) {
	const top = tops.get(thread);
	if (top === undefined) return null;
	const rows = timeline.tracks[thread].spans;
	const depth = rows.findLastIndex(({lane}) => lane.at(time) >= 0);
	return {x: x(time), y: top + LABEL + STATE + (depth < 0 ? 0 : (depth + 0.5) * ROW)};
}

function drawFlow(context, from, to) {
	const bend = Math.min(Math.max((to.x - from.x) / 2, 12), 80);
	const tip = to.x - 6;
	context.beginPath();
	context.arc(from.x, from.y, 2.5, 0, 7);
	context.fill();
	context.beginPath();
	context.moveTo(from.x, from.y);
	context.bezierCurveTo(from.x + bend, from.y, tip - bend, to.y, tip, to.y);
	context.stroke();
	context.beginPath();
	context.moveTo(to.x, to.y);
	context.lineTo(tip, to.y - 3.5);
	context.lineTo(tip, to.y + 3.5);
	context.fill();
}

// A line below the states of the thread on which the critical path is; shorter parts are a pixel.
export function drawPath({context, view, timeline, colours, x, tops}) {
	const {start, length, thread} = timeline.path;
	context.fillStyle = colours.ink;
	let pixel = -1,
		last = -1;
	for (let i = Math.max(0, countUpTo(start, view.from) - 1); i < start.length; i++) {
		if (start[i] > view.to) break;
		const top = tops.get(thread[i]),
			from = Math.max(0, x(start[i])),
			width = Math.max(1, Math.min(view.width, x(start[i] + length[i])) - from);
		if (top === undefined || (Math.floor(from + width) === pixel && thread[i] === last))
			continue;
		context.fillRect(from, top + LABEL + STATE + 1, width, PATH);
		pixel = Math.floor(from + width);
		last = thread[i];
	}
}

// A thread's marks, above its states, with their names if there is space. Of marks that would overlap,
// one is drawn.
export function drawMarks(sheet, track, y, selected) {
	const {context, view, timeline, colours, x} = sheet;
	const {at, name} = timeline.tracks[track.number].instants;
	const slack = (MARK * (view.to - view.from)) / view.width;
	const end = countUpTo(at, view.to + slack);
	let i = countUpTo(at, view.from - slack);
	const hasNames = (end - i) * MARK_NAME < view.width;
	context.fillStyle = colours.ink;
	context.beginPath();
	for (; i < end; i = countUpTo(at, at[i] + slack, i + 1)) {
		drawMark(context, x(at[i]), y);
		if (!hasNames) continue;
		const room = (at[i + 1] === undefined ? view.width : x(at[i + 1])) - x(at[i]);
		const letters = Math.floor((room - 2 * MARK) / 6);
		if (letters > 2)
			context.fillText(
				fit(sanitize(timeline.texts[name[i]]), letters),
				x(at[i]) + MARK + 3,
				y - MARK_HEIGHT,
				room,
			);
	}
	context.fill();
	if (selected?.kind !== 'mark' || selected.thread !== track.number) return;
	context.strokeStyle = colours.accent;
	context.lineWidth = 2;
	context.beginPath();
	drawMark(context, x(at[selected.number]), y);
	context.stroke();
}

// A triangle whose lower tip is at the time.
function drawMark(context, x, y) {
	context.moveTo(x - MARK, y - MARK_HEIGHT);
	context.lineTo(x + MARK, y - MARK_HEIGHT);
	context.lineTo(x, y);
	context.closePath();
}
