/* SPDX-License-Identifier: BSD-2-Clause */
/* bpf_side - libbpf's words, the verifier's verdict, and the unwind rows. */
#include "collect/bpf/loader.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#define UNWIND_BYTES (WIRE_UNWIND_ROWS_MOST * sizeof(struct wire_unwind_row))

static bool is_verbose;

static int print_libbpf(enum libbpf_print_level level, const char *format, va_list arguments)
{
	if (!is_verbose || level == LIBBPF_DEBUG)
		return 0;
	return vfprintf(stderr, format, arguments);
}

void bpf_loader_set_verbose(bool verbose)
{
	is_verbose = verbose;
	libbpf_set_print(print_libbpf);
}

int bpf_loader_explain(int code, struct error *error)
{
	if (code == -EPERM || code == -EACCES)
		return error_set(error, code,
				 "the kernel refuses to load BPF programs; run as root, or with "
				 "CAP_BPF and CAP_PERFMON (`lever check` tells more)");
	return error_set(error, code,
			 "the kernel does not accept the BPF programs: %s; `lever check` "
			 "tells what is missing, --verbose shows the verifier's words",
			 strerror(-code));
}

int unwind_table_open(struct unwind_table *table, int map, struct wire_unwind_object *objects,
		      struct error *error)
{
	void *rows = mmap(NULL, UNWIND_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0);

	if (rows == MAP_FAILED)
		return error_set(error, errno, "cannot map the unwind rows: %s", strerror(errno));
	*table = (struct unwind_table){.rows = rows, .objects = objects};
	return 0;
}

void unwind_table_close(struct unwind_table *table)
{
	if (table->rows)
		munmap(table->rows, UNWIND_BYTES);
	table->rows = NULL;
}

int unwind_table_add(struct unwind_table *table, uint32_t object,
		     const struct wire_unwind_row *rows, size_t count)
{
	if (object >= WIRE_OBJECTS_MOST || count > WIRE_UNWIND_ROWS_MOST - table->count)
		return -E2BIG;
	struct wire_unwind_object *entry = &table->objects[object];
	if (count)
		memcpy(table->rows + table->count, rows, count * sizeof(*rows));
	entry->first = (uint32_t)table->count;
	table->count += count;
	__atomic_store_n(&entry->count, (uint32_t)count, __ATOMIC_RELEASE);
	return 0;
}
