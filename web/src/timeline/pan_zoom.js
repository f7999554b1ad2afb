// SPDX-License-Identifier: BSD-2-Clause
// pan_zoom - changes the shown interval of time by mouse, fingers and keys.

const LEAST_NS = 1;
const STEP = 0.2, // of the shown interval
	ZOOM = 1.5;
const CLICK_PIXELS = 4;

// The interval [from, to] after zooming by a factor around a time, within [0, duration].
export function zoomed({from, to}, factor, around, duration) {
	const length = Math.min(Math.max((to - from) * factor, LEAST_NS), duration);
	const part = (around - from) / (to - from);
	return panned(
		{from: around - part * length, to: around + (1 - part) * length},
		0,
		duration,
	);
}

export function panned({from, to}, by, duration) {
	const length = Math.min(to - from, duration);
	const start = Math.min(Math.max(from + by, 0), duration - length);
	return {from: start, to: start + length};
}

// Listens on the canvas. Actions: {timeAt(x), view(), show(view), click(x, y), point(place | null), key(name), duration}
export function listen(canvas, actions) {
	const fingers = new Map(); // pointer -> {x, y, at: the time below it}
	let travelled = 0;
	const placeOf = (event) => {
		const box = canvas.getBoundingClientRect();
		return {x: event.clientX - box.left, y: event.clientY - box.top};
	};
	canvas.addEventListener('pointerdown', (event) => {
		const place = placeOf(event);
		canvas.setPointerCapture(event.pointerId);
		fingers.set(event.pointerId, {...place, at: actions.timeAt(place.x)});
		if (fingers.size === 1) travelled = 0;
	});
	canvas.addEventListener('pointermove', (event) => {
		const finger = fingers.get(event.pointerId);
		const place = placeOf(event);
		const isPointing = !finger && event.pointerType === 'mouse';
		actions.point(isPointing ? place : null);
		if (!finger) return;
		travelled += Math.abs(place.x - finger.x) + Math.abs(place.y - finger.y);
		Object.assign(finger, place);
		if (travelled > CLICK_PIXELS)
			follow([...fingers.values()], actions, canvas.clientWidth);
	});
	const lift = (event) => {
		const finger = fingers.get(event.pointerId);
		fingers.delete(event.pointerId);
		// The remaining fingers hold the times below them from now on.
		for (const other of fingers.values()) other.at = actions.timeAt(other.x);
		if (finger && event.type === 'pointerup' && travelled <= CLICK_PIXELS)
			actions.click(finger.x, finger.y);
	};
	canvas.addEventListener('pointerup', lift);
	canvas.addEventListener('pointercancel', lift);
	canvas.addEventListener('pointerleave', () => actions.point(null));
	canvas.addEventListener('wheel', (event) => turn(event, actions, placeOf(event)), {
		passive: false,
	});
	canvas.addEventListener('keydown', (event) => press(event, actions));
}

// The times below one or two fingers stay below them.
function follow(fingers, actions, width) {
	const {from, to} = actions.view();
	const [one, other] = fingers;
	if (other && Math.abs(one.x - other.x) > 1) {
		const perPixel = Math.abs((one.at - other.at) / (one.x - other.x));
		const length = Math.max(perPixel * width, LEAST_NS);
		const start = one.at - one.x * (length / width);
		actions.show(panned({from: start, to: start + length}, 0, actions.duration));
		return;
	}
	const start = one.at - (one.x / width) * (to - from);
	actions.show(panned({from: start, to: start + (to - from)}, 0, actions.duration));
}

// With Ctrl (a pinch on a touchpad) the wheel zooms; sideways it pans; else it scrolls.
function turn(event, actions, place) {
	const view = actions.view();
	if (event.ctrlKey || event.metaKey) {
		event.preventDefault();
		const factor = Math.exp(Math.max(Math.min(event.deltaY, 100), -100) / 150);
		actions.show(zoomed(view, factor, actions.timeAt(place.x), actions.duration));
	} else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
		event.preventDefault();
		const pixels = event.deltaX || event.deltaY;
		const by = (pixels / event.currentTarget.clientWidth) * (view.to - view.from);
		actions.show(panned(view, by, actions.duration));
	}
}

function press(event, actions) {
	const view = actions.view(),
		length = view.to - view.from,
		middle = (view.from + view.to) / 2;
	const {duration} = actions;
	const zoom = (factor) => actions.show(zoomed(view, factor, middle, duration));
	const move = (part) => actions.show(panned(view, part * length, duration));
	const keys = {
		ArrowLeft: () => (event.shiftKey ? actions.key('before') : move(-STEP)),
		ArrowRight: () => (event.shiftKey ? actions.key('after') : move(STEP)),
		ArrowUp: () => actions.key('up'),
		ArrowDown: () => actions.key('down'),
		'+': () => zoom(1 / ZOOM),
		'=': () => zoom(1 / ZOOM),
		'-': () => zoom(ZOOM),
		Home: () => actions.show({from: 0, to: duration}),
		Enter: () => actions.key('fit'),
		'.': () => actions.key('next mark'),
		',': () => actions.key('mark before'),
		Escape: () => actions.key('none'),
	};
	const action = event.altKey || event.ctrlKey || event.metaKey ? null : keys[event.key];
	if (!action) return;
	event.preventDefault();
	action();
}
