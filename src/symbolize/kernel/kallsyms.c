/* SPDX-License-Identifier: BSD-2-Clause */
/* kallsyms - functions sorted by address; each ends at the next one, or at a maximum length. */
#include "symbolize/kernel/kallsyms.h"

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/memory.h"

#include <errno.h>
#include <linux/bpf.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Maximum length. The kernel's longest functions have about 10 KiB. */
#define REACH_MOST 0x100000
#define REACH_MODULE_MOST 0x40000
#define READ_INTERVAL_NS 1000000000ull        /* reading takes up to 100 ms */
#define READ_INTERVAL_KNOWN_NS 30000000000ull /* for code with a name, which may be another's now */

struct kallsyms {
	char *path;
	char *text, *unloaded; /* memory of the names: of loaded code, of unloaded code */
	ARRAY(struct kallsyms_function) functions;
	uint64_t core_start, core_end; /* of the kernel without modules, which never changes */
	uint64_t state, checked_ns, read_ns;
	uint32_t last_program; /* the newest BPF program */
};

CLEANUP_DEFINE(kallsyms, struct kallsyms *, kallsyms_free, NULL)

static int by_start(const void *one, const void *other)
{
	const struct kallsyms_function *a = one, *b = other;
	return a->start < b->start ? -1 : a->start > b->start;
}

/* "ffffffff81000000 T name\t[module]", split in place. */
static void add_line(struct kallsyms *kallsyms, char *line)
{
	char *end;
	uint64_t start = strtoull(line, &end, 16);

	if (end == line || end[0] != ' ' || !end[1] || end[2] != ' ' || !strchr("tTwW", end[1]))
		return;
	char *name = end + 3, *module = strchr(name, '\t');
	if (module)
		*module++ = 0;
	if (module && *module == '[') {
		module++;
		module[strcspn(module, "]")] = 0;
	}
	if (!module && !strcmp(name, "_stext"))
		kallsyms->core_start = start;
	if (!module && !strcmp(name, "_etext"))
		kallsyms->core_end = start;
	*array_add(&kallsyms->functions) =
		(struct kallsyms_function){.start = start, .name = name, .module = module};
}

static void set_ends(struct kallsyms *kallsyms)
{
	uint64_t next = UINT64_MAX, last = UINT64_MAX;

	for (size_t i = kallsyms->functions.count; i-- > 0;) {
		struct kallsyms_function *function = &kallsyms->functions.items[i];
		uint64_t reach = function->module ? REACH_MODULE_MOST : REACH_MOST;
		if (function->start != last)
			next = last;
		last = function->start;
		function->end = next - function->start > reach ? function->start + reach : next;
	}
}

static void sort(struct kallsyms *kallsyms)
{
	if (kallsyms->functions.count)
		qsort(kallsyms->functions.items, kallsyms->functions.count,
		      sizeof(struct kallsyms_function), by_start);
	set_ends(kallsyms);
}

static int read_list(struct kallsyms *kallsyms, struct error *error)
{
	char *text = file_read(kallsyms->path, NULL, error);

	if (!text)
		return error ? error->code : -EIO;
	kallsyms->text = text;
	kallsyms->read_ns = clock_now_ns();
	for (char *line; (line = strsep(&text, "\n"));)
		add_line(kallsyms, line);
	sort(kallsyms);
	size_t count = kallsyms->functions.count;
	if (!count || !kallsyms->functions.items[count - 1].start)
		return error_set(error, -EACCES,
				 "%s hides the addresses of the kernel's functions, so they stay "
				 "without names; set /proc/sys/kernel/kptr_restrict to 1 or 0",
				 kallsyms->path);
	return 0;
}

uint32_t kallsyms_newest_program(uint32_t older)
{
	for (;;) {
		union bpf_attr attributes = {.start_id = older};
		if (syscall(SYS_bpf, BPF_PROG_GET_NEXT_ID, &attributes, sizeof(attributes)))
			return older;
		older = attributes.next_id;
	}
}

/* A hash that changes with modules and BPF programs; cheaper than reading all names. */
static uint64_t current_state(struct kallsyms *kallsyms)
{
	AUTO(text) char *modules = file_read("/proc/modules", NULL, NULL);
	struct stat status = {0};
	uint64_t state = hash_text(modules ? modules : "");

	stat(kallsyms->path, &status);
	kallsyms->last_program = kallsyms_newest_program(kallsyms->last_program);
	kallsyms->checked_ns = clock_now_ns();
	return state ^ (uint64_t)kallsyms->last_program << 32 ^ (uint64_t)status.st_size;
}

int kallsyms_read(const char *path, struct kallsyms **result, struct error *error)
{
	AUTO(kallsyms) struct kallsyms *kallsyms = memory_new(1, sizeof(*kallsyms));

	kallsyms->path = text_copy(path);
	kallsyms->state = current_state(kallsyms);
	int code = read_list(kallsyms, error);
	if (code)
		return code;
	*result = take(&kallsyms);
	return 0;
}

void kallsyms_free(struct kallsyms *kallsyms)
{
	if (!kallsyms)
		return;
	array_free(&kallsyms->functions);
	free(kallsyms->text);
	free(kallsyms->unloaded);
	free(kallsyms->path);
	free(kallsyms);
}

/* Keeps the functions of unloaded modules and programs: their samples may come later. */
static void keep_unloaded(struct kallsyms *kallsyms, const struct kallsyms *older)
{
	size_t size = 0, known = kallsyms->functions.count;
	ARRAY(struct kallsyms_function) unloaded = {0};

	for (size_t i = 0; i < older->functions.count; i++) {
		const struct kallsyms_function *old = &older->functions.items[i];
		if (!old->module || kallsyms_at(kallsyms, old->start))
			continue;
		*array_add(&unloaded) = *old;
		size += strlen(old->name) + strlen(old->module) + 2;
	}
	char *at = kallsyms->unloaded = memory_new(size + 1, 1);
	for (size_t i = 0; i < unloaded.count; i++) {
		struct kallsyms_function *kept = array_add(&kallsyms->functions);
		*kept = unloaded.items[i];
		kept->name = strcpy(at, unloaded.items[i].name);
		at += strlen(at) + 1;
		kept->module = strcpy(at, unloaded.items[i].module);
		at += strlen(at) + 1;
	}
	array_free(&unloaded);
	if (kallsyms->functions.count > known)
		sort(kallsyms);
}

bool kallsyms_refresh(struct kallsyms *kallsyms, uint64_t address)
{
	if (!kallsyms || (address >= kallsyms->core_start && address < kallsyms->core_end))
		return false;
	uint64_t now = clock_now_ns();
	if (now - kallsyms->checked_ns < KALLSYMS_CHECK_INTERVAL_NS ||
	    now - kallsyms->read_ns < READ_INTERVAL_NS)
		return false;
	if (now - kallsyms->read_ns < READ_INTERVAL_KNOWN_NS && kallsyms_at(kallsyms, address))
		return false;
	uint64_t state = current_state(kallsyms);
	if (state == kallsyms->state)
		return false;
	AUTO(kallsyms) struct kallsyms *newer = memory_new(1, sizeof(*newer));
	newer->path = text_copy(kallsyms->path);
	if (read_list(newer, NULL))
		return false;
	keep_unloaded(newer, kallsyms);
	newer->state = state;
	newer->checked_ns = kallsyms->checked_ns;
	newer->last_program = kallsyms->last_program;
	struct kallsyms older = *kallsyms;
	*kallsyms = *newer;
	*newer = older; /* to be freed */
	return true;
}

const struct kallsyms_function *kallsyms_all(const struct kallsyms *kallsyms, size_t *count)
{
	*count = kallsyms->functions.count;
	return kallsyms->functions.items;
}

const struct kallsyms_function *kallsyms_at(const struct kallsyms *kallsyms, uint64_t address)
{
	size_t low = 0, high = kallsyms ? kallsyms->functions.count : 0;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (kallsyms->functions.items[middle].start <= address)
			low = middle + 1;
		else
			high = middle;
	}
	const struct kallsyms_function *found = low ? &kallsyms->functions.items[low - 1] : NULL;
	return found && address < found->end ? found : NULL;
}

void kallsyms_core(const struct kallsyms *kallsyms, uint64_t *start, uint64_t *end)
{
	*start = kallsyms->core_start;
	*end = kallsyms->core_end;
}

void kallsyms_tell_newest(struct kallsyms *kallsyms, uint32_t newest)
{
	kallsyms->last_program = newest;
}
