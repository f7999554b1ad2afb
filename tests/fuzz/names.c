/* SPDX-License-Identifier: BSD-2-Clause */
/* names - linker names, perf maps and /proc/kallsyms; and what terminals are shown of them. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "report/display.h"
#include "symbolize/kernel/kallsyms.h"
#include "symbolize/language/demangle.h"
#include "symbolize/scope.h"
#include "symbolize/symbols.h"

#include <stdlib.h>

static void read_name(const char *name)
{
	AUTO(text) char *readable = demangle(name);
	AUTO(text) char *base = demangle_base(readable);
	AUTO(text) char *clean = display_clean(readable);
	AUTO(text) char *lines = display_clean_lines(name);
	AUTO(text) char *fitted = display_fit(clean, 7);
	AUTO(text) char *end = display_fit_end(clean, 7);
	AUTO(text) char *command = display_command(name);

	demangle_fits(readable, base);
	demangle_fits(name, "work");
}

static void read_maps(const char *path)
{
	struct scope *scope = scope_new();
	struct symbols *symbols = symbols_new(TARGET_FUNCTION, scope);
	struct kallsyms *kallsyms = NULL;
	uint32_t object;

	if (!symbols_add_jit(symbols, path, &object, NULL))
		for (uint64_t at = 0; at < 1u << 16; at += 1u << 10)
			symbols_location_at(symbols, object, at);
	if (!kallsyms_read(path, &kallsyms, NULL)) {
		kallsyms_at(kallsyms, 0xffffffff81000100);
		kallsyms_free(kallsyms);
	}
	symbols_free(symbols);
	scope_free(scope);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	AUTO(text) char *name = text_format("%.*s", (int)size, (const char *)bytes);

	read_name(name);
	read_maps(fuzz_file(bytes, size));
	return 0;
}
