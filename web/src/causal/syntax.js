// SPDX-License-Identifier: BSD-2-Clause
// syntax - splits a line of source into comments, texts, numbers, keywords and the rest.
//
// Approximate: each line is split by itself, so a comment or text from a line before it is not known.

const KEYWORDS = {
	c:
		'alignas alignof asm auto bool break case catch char class const constexpr const_cast continue decltype default ' +
		'delete do double dynamic_cast else enum explicit extern false float for friend goto if inline int long mutable ' +
		'namespace new noexcept nullptr operator override private protected public register reinterpret_cast restrict ' +
		'return short signed sizeof static static_assert static_cast struct switch template this thread_local throw true ' +
		'try typedef typeid typename union unsigned using virtual void volatile wchar_t while NULL size_t uint8_t uint16_t ' +
		'uint32_t uint64_t int8_t int16_t int32_t int64_t',
	rs:
		'as async await bool break char const continue crate dyn else enum extern f32 f64 false fn for i16 i32 i64 i8 if ' +
		'impl in isize let loop match mod move mut pub ref return self Self static str struct super trait true type u16 ' +
		'u32 u64 u8 unsafe use usize where while',
	go:
		'bool break byte case chan const continue default defer else error fallthrough false float64 for func go goto if ' +
		'import int int64 interface map nil package range return rune select string struct switch true type uint64 var',
	py:
		'and as assert async await break class continue def del elif else except False finally for from global if import ' +
		'in is lambda None nonlocal not or pass raise return self True try while with yield',
};
const FAMILY = {rs: 'rs', go: 'go', py: 'py'};
const COMMENTS = {py: '#.*'};

const made = new Map();

function grammar(file) {
	const family = FAMILY[file.slice(file.lastIndexOf('.') + 1)] ?? 'c';
	if (!made.has(family)) {
		const comment = COMMENTS[family] ?? '//.*|/\\*.*?(?:\\*/|$)';
		made.set(family, {
			words: new Set(KEYWORDS[family].split(' ')),
			// A comment, a text, a number, a directive, a word.
			token: new RegExp(
				`(${comment})|("(?:[^"\\\\]|\\\\.)*"?|'(?:[^'\\\\]|\\\\.)+')|(\\b\\d[\\w.]*)|(^\\s*#\\s*\\w+)|([A-Za-z_]\\w*)`,
				'g',
			),
		});
	}
	return made.get(family);
}

// [{text, sort}], sort being 'comment', 'text', 'number', 'directive', 'keyword' or null.
export function tokens(line, file) {
	// The middle of a block comment, as it is usually written.
	if (/^\s*\*(?:\s|\/|$)/.test(line) && !file.endsWith('.py'))
		return [{text: line, sort: 'comment'}];
	const {words, token} = grammar(file);
	const parts = [];
	let end = 0;
	for (const found of line.matchAll(token)) {
		const [text, comment, quoted, number, directive, word] = found;
		const sort = comment
			? 'comment'
			: quoted
				? 'text'
				: number
					? 'number'
					: directive
						? 'directive'
						: words.has(word)
							? 'keyword'
							: null;
		if (!sort) continue;
		if (found.index > end) parts.push({text: line.slice(end, found.index), sort: null});
		parts.push({text, sort});
		end = found.index + text.length;
	}
	if (end < line.length) parts.push({text: line.slice(end), sort: null});
	return parts;
}
