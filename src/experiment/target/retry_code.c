/* SPDX-License-Identifier: BSD-2-Clause */
/* retry_code - keeps what symbols tell of each function. */
#include "experiment/target/retry_code.h"

#include "base/memory.h"
#include "base/ranges.h"
#include "symbolize/retry_code.h"

struct object_code {
	struct ranges functions; /* that were looked at, or single bytes outside of any */
	struct ranges loops;
};

struct retry_code {
	struct symbols *symbols;
	ARRAY(struct object_code) objects;
};

struct retry_code *retry_code_new(struct symbols *symbols)
{
	struct retry_code *code = memory_new(1, sizeof(*code));

	code->symbols = symbols;
	return code;
}

void retry_code_free(struct retry_code *code)
{
	if (!code)
		return;
	for (size_t i = 0; i < code->objects.count; i++) {
		ranges_clear(&code->objects.items[i].functions);
		ranges_clear(&code->objects.items[i].loops);
	}
	array_free(&code->objects);
	free(code);
}

static void look_at(struct retry_code *code, uint32_t object, uint64_t offset)
{
	struct object_code *own = &code->objects.items[object];
	struct range function = {.start = offset, .end = offset + 1};
	size_t loops = own->loops.count;

	if (!symbols_retry_loops(code->symbols, object, offset, &function, &own->loops))
		function = (struct range){.start = offset, .end = offset + 1};
	ranges_include(&own->functions, function.start, function.end);
	if (own->loops.count > loops)
		ranges_merge(&own->loops);
}

bool retry_code_has(struct retry_code *code, uint32_t object, uint64_t offset)
{
	while (code->objects.count <= object)
		(void)array_add(&code->objects);
	if (!ranges_has(&code->objects.items[object].functions, offset))
		look_at(code, object, offset);
	return ranges_has(&code->objects.items[object].loops, offset);
}
