// SPDX-License-Identifier: BSD-2-Clause
// data - the report in the page: base64 of raw deflate of JSON.

export async function readData() {
	const text = document.getElementById('data').textContent.trim();
	if (typeof DecompressionStream === 'undefined')
		throw new Error(
			'this browser is too old: it has no DecompressionStream (Chrome 123, Firefox 120, Safari 17.5 or newer will do)',
		);
	const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
	const stream = new Blob([bytes])
		.stream()
		.pipeThrough(new DecompressionStream('deflate-raw'));
	return JSON.parse(await new Response(stream).text());
}
