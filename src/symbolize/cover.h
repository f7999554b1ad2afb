/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cover - overlapping spans flattened, so that each address has one owner.
 *
 * Of the spans over an address the one that starts last owns it; of those that start together,
 * the deepest; of those, the one added last. Well nested spans so give the innermost.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct cover_span {
	uint64_t start, end;
	uint32_t value, depth;
};

struct cover {
	struct cover_span *items; /* after cover_flatten: sorted and disjoint */
	size_t count, capacity;
};

void cover_add(struct cover *cover, uint64_t start, uint64_t end, uint32_t value, uint32_t depth);
void cover_flatten(struct cover *cover);
const struct cover_span *cover_at(const struct cover *cover, uint64_t at); /* NULL: no owner */
size_t cover_after(const struct cover *cover, uint64_t at); /* first one that ends after `at` */
void cover_clear(struct cover *cover);
