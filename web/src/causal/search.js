// SPDX-License-Identifier: BSD-2-Clause
// search - the rows that hold a word. No DOM here.
//
// Answers are kept, since readers type letter by letter and take letters back: a longer word is looked for among the
// rows that hold a part of it.
const KEPT = 32; // answers

export class Search {
	#found = new Map(); // word -> rows that hold it
	#textOf;

	// `textOf(row)` is the lower-case text that is searched.
	constructor(rows, textOf) {
		this.#found.set('', rows);
		this.#textOf = textOf;
	}

	// In the order of the rows; the same array for the same word.
	find(word) {
		if (this.#found.has(word)) return this.#found.get(word);
		let fewest = this.#found.get('');
		for (const [part, rows] of this.#found)
			if (rows.length < fewest.length && word.includes(part)) fewest = rows;
		const rows = fewest.filter((row) => this.#textOf(row).includes(word));
		if (this.#found.size > KEPT) this.#found.delete([...this.#found.keys()][1]);
		this.#found.set(word, rows);
		return rows;
	}
}
