// SPDX-License-Identifier: BSD-2-Clause
// pixel_strip - a row of slices that are thinner than a pixel: mixed in memory, and drawn at once.
//
// This costs a tenth of drawing a rectangle for each pixel. Pixels are those of the device.
const LEAST = 64; // of 255: least opacity, so that a short slice is visible
const scratch = document.createElement('canvas');

function partsOf(colour) {
	return colour.match(/[\d.]+/g).map(Number);
}

export class Strip {
	#image;
	#shares; // by pixel: the share that slices cover
	#parts = new Map(); // of colours
	#least = Infinity; // the first pixel in use
	#most = -1; // and the last

	constructor(width) {
		this.#image = new ImageData(width, 1);
		this.#shares = new Float32Array(width);
	}

	get width() {
		return this.#image.width;
	}

	// Share: the part of the pixel that the slice covers, up to 1. Shares of one pixel add up.
	add(x, colour, share) {
		if (x < 0 || x >= this.width) return;
		if (!this.#parts.has(colour)) this.#parts.set(colour, partsOf(colour));
		const [red, green, blue] = this.#parts.get(colour);
		const {data} = this.#image;
		const at = 4 * x;
		data[at] = red;
		data[at + 1] = green;
		data[at + 2] = blue;
		this.#shares[x] += share;
		data[at + 3] = Math.max(this.#shares[x] * 255, LEAST); // 255 at most, by its type
		if (x < this.#least) this.#least = x;
		if (x > this.#most) this.#most = x;
	}

	// Onto the context, whose unit is `scale` pixels; empty after that.
	draw(context, y, height, scale) {
		if (this.#most < 0) return;
		const x = this.#least,
			width = this.#most - x + 1;
		const own = scratchOf(this.width);
		own.putImageData(this.#image, 0, 0, x, 0, width, 1);
		context.imageSmoothingEnabled = false;
		context.drawImage(scratch, x, 0, width, 1, x / scale, y, width / scale, height);
		this.#image.data.fill(0, 4 * x, 4 * (x + width));
		this.#shares.fill(0, x, x + width);
		this.#least = Infinity;
		this.#most = -1;
	}
}

function scratchOf(width) {
	if (scratch.width !== width || scratch.height !== 1) {
		scratch.width = width;
		scratch.height = 1;
	}
	return scratch.getContext('2d', {willReadFrequently: true}); // in memory, where it is written
}

// Visits the slices of a lane between two times, in order: calls part.wide(i) for each slice of at
// least `wide` ns, and part.thin(i, from, to, busy) for groups of shorter ones, at most once a pixel:
// one of the group, the group's interval, and the share of it in slices. The cost depends on the number
// of pixels, not of slices.
export function stripSlices(lane, [from, to], {endOfPixel, wide}, part) {
	const {starts, ends, count} = lane;
	const isWide = (i) => ends[i] - starts[i] >= wide;
	let time = from;
	for (let i = lane.after(from); i < count && starts[i] < to; ) {
		const start = Math.max(time, starts[i]);
		if (isWide(i)) {
			part.wide(i);
			time = Math.max(time, ends[i++]);
			continue;
		}
		let until = Math.min(endOfPixel(start), to);
		let next = lane.after(until);
		if (next < count && isWide(next)) until = Math.min(until, starts[next]);
		if (until <= start) {
			until = Math.max(ends[i], start + 1);
			next = lane.after(until);
		}
		const busy = lane.busyBetween(start, i, until, next);
		part.thin((i + next) >> 1, start, until, busy); // `next` itself only if it is i
		time = until;
		i = next;
	}
}
