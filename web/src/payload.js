// SPDX-License-Identifier: BSD-2-Clause
// payload - the report in the page: base64 of raw deflate of JSON.

function bytesOf(base64) {
	if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
	const text = atob(base64);
	const bytes = new Uint8Array(text.length);
	for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
	return bytes;
}

// Of this page, or of a newer one from its server.
export async function readData(page) {
	const text = page.getElementById('data').textContent.trim();
	if (typeof DecompressionStream === 'undefined')
		throw new Error(
			'this browser is too old: it has no DecompressionStream (Chrome 123, Firefox 120, Safari 17.5 or newer will do)',
		);
	const bytes = bytesOf(text);
	const stream = new Blob([bytes])
		.stream()
		.pipeThrough(new DecompressionStream('deflate-raw'));
	return JSON.parse(await new Response(stream).text());
}
