// SPDX-License-Identifier: BSD-2-Clause
// build - bundles index.html, style/ and src/ into one page without data.
//
// Usage: node build.mjs PAGE.html, or --dist as meson's dist script, which puts the page into the
// release tarball. The page's policy allows the one script and the one style by their hashes, and
// nothing else: no network, no other script, no frame, no form.
import {createHash} from 'node:crypto';
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {build} from 'esbuild';

const folder = fileURLToPath(new URL('.', import.meta.url));
const MARK = '@LEVER_DATA@';
const SIZE_MOST = 300_000;

async function bundle(entry) {
	const result = await build({
		entryPoints: [join(folder, entry)],
		bundle: true,
		minify: true,
		write: false,
		format: 'iife',
		target: ['chrome123', 'firefox120', 'safari17.5'],
		charset: 'utf8',
		legalComments: 'none',
		logLevel: 'warning',
		outdir: folder,
	});
	return result.outputFiles[0].text.trim();
}

function hash(text) {
	return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

// A replacement function, since $ means something in replacement texts.
function fill(html, name, text) {
	if (html.split(`@${name}@`).length !== 2)
		throw new Error(`index.html must hold @${name}@ once`);
	return html.replace(`@${name}@`, () => text);
}

async function page() {
	// uPlot's licence wants to be named.
	const notice = '/*! uPlot, (c) Leon Sorokin, MIT licence: github.com/leeoniya/uPlot */\n';
	const script = notice + (await bundle('src/main.js')).replaceAll('</script', '<\\/script');
	const style = await bundle('style/page.css');
	const policy =
		`default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; ` +
		`base-uri 'none'; form-action 'none'`;
	let html = await readFile(join(folder, 'index.html'), 'utf8');
	html = fill(html, 'POLICY', policy);
	html = fill(html, 'STYLE', style);
	html = fill(html, 'SCRIPT', script);
	if (html.split(MARK).length !== 2) throw new Error(`the page must hold ${MARK} once`);
	if (Buffer.byteLength(html) > SIZE_MOST)
		throw new Error(
			`the page has ${Buffer.byteLength(html)} bytes; ${SIZE_MOST} is the most`,
		);
	return html;
}

const output =
	process.argv[2] === '--dist'
		? join(process.env.MESON_DIST_ROOT, 'web/page.html')
		: process.argv[2];
await writeFile(output, await page());
