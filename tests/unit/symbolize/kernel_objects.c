/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel - the kernel as objects: its functions by a list of symbols, its lines by a small
 * program that stands for a vmlinux, moved as the kernel moves itself at its start.
 */
#include "check.h"
#include "fixture.h"

#include <errno.h>

#define MOVED 0xffffffff81000000ull

static const char kernel_source[] = "void _stext(void)\n"
				    "{\n"
				    "}\n"
				    "__attribute__((noinline)) int vfs_read(int n)\n"
				    "{\n"
				    "	for (volatile int i = 0; i < n; i++)\n"
				    "		n ^= i;\n"
				    "	return n;\n"
				    "}\n"
				    "int main(int argc, char **argv)\n"
				    "{\n"
				    "	(void)argv;\n"
				    "	return vfs_read(argc);\n"
				    "}\n";

static const char names[] = "ffffffff81000000 T _stext\n"
			    "ffffffff81000000 T _text\n"
			    "ffffffff81000100 t ksys_read\n"
			    "ffffffff81000200 t do_one.isra.0\n"
			    "ffffffff81000300 T __sched_text_start\n"
			    "ffffffff81000300 T schedule\n"
			    "ffffffff81000400 T __sched_text_end\n"
			    "ffffffff81000500 t do_one\n"
			    "ffffffff81000600 t twin\n"
			    "ffffffff81000700 t other\n"
			    "ffffffff81000800 t twin\n"
			    "ffffffffc0000000 t ext4_sync_file\t[ext4]\n"
			    "ffffffffc0001000 t bpf_prog_1234_tick\t[bpf]\n";

struct kernel {
	struct scope *scope;
	struct symbols *symbols;
	char *list;
	struct error error;
};

static int kernel_engine_open(struct kernel *kernel, const char *content, const char *vmlinux,
			      const char *source_scope)
{
	*kernel = (struct kernel){.scope = scope_new()};
	fixture_begin();
	fixture_write("kallsyms", content, strlen(content));
	kernel->list = text_format("%s/kallsyms", fixture_directory);
	if (source_scope)
		scope_add(kernel->scope, source_scope, true);
	kernel->symbols = symbols_new(TARGET_LINE, kernel->scope);
	return symbols_add_kernel(kernel->symbols, kernel->list, vmlinux, true, &kernel->error);
}

static void kernel_close(struct kernel *kernel)
{
	symbols_free(kernel->symbols);
	scope_free(kernel->scope);
	free(kernel->list);
}

static const char *name_at(struct kernel *kernel, uint64_t address)
{
	uint32_t object;
	uint64_t offset;
	symbols_refresh_kernel(kernel->symbols, address);
	if (!symbols_kernel_offset(kernel->symbols, address, &object, &offset))
		return NULL;
	uint32_t location = symbols_location_at(kernel->symbols, object, offset);
	return location == SYMBOLS_NONE ? NULL : symbols_location(kernel->symbols, location)->name;
}

TEST("functions of the kernel, of modules and of BPF programs are locations")
{
	struct kernel kernel;
	CHECK_EQUAL(kernel_engine_open(&kernel, names, NULL, NULL), 0);
	CHECK_TEXT(name_at(&kernel, 0xffffffff81000180), "kernel:ksys_read");
	CHECK_TEXT(name_at(&kernel, 0xffffffffc0000fff), "kernel:ext4_sync_file");
	CHECK_TEXT(name_at(&kernel, 0xffffffffc0001001), "kernel:bpf_prog_1234_tick");
	CHECK(symbols_is_kernel(kernel.symbols, 0));
	kernel_close(&kernel);
}

TEST("a name finds all code of that name, with the compiler's parts")
{
	struct kernel kernel;
	const struct range *ranges;
	uint32_t location;
	CHECK_EQUAL(kernel_engine_open(&kernel, names, NULL, NULL), 0);
	CHECK_EQUAL(symbols_find_kernel(kernel.symbols, "do_one", &location, &kernel.error), 0);
	CHECK_TEXT(symbols_location(kernel.symbols, location)->name, "kernel:do_one");
	CHECK_TEXT(symbols_location(kernel.symbols, location)->function, "do_one");
	CHECK_EQUAL(symbols_location_ranges(kernel.symbols, location, &ranges), 2);
	CHECK_EQUAL(ranges[0].start, 0xffffffff81000200);
	CHECK_EQUAL(ranges[1].end, 0xffffffff81000600);
	CHECK_EQUAL(symbols_find_kernel(kernel.symbols, "twin", &location, &kernel.error), 0);
	CHECK_EQUAL(symbols_location_ranges(kernel.symbols, location, &ranges), 2);
	kernel_close(&kernel);
}

TEST("an unknown name is refused with the nearest ones")
{
	struct kernel kernel;
	uint32_t location;
	CHECK_EQUAL(kernel_engine_open(&kernel, names, NULL, NULL), 0);
	CHECK_EQUAL(symbols_find_kernel(kernel.symbols, "ksys_raed", &location, &kernel.error),
		    -ENXIO);
	CHECK(strstr(kernel.error.text, "ksys_read"));
	kernel_close(&kernel);
}

TEST("code that is loaded later has its own location, and older locations keep their numbers")
{
	struct kernel kernel;
	const struct range *ranges;
	uint32_t before, after;
	CHECK_EQUAL(kernel_engine_open(&kernel, names, NULL, NULL), 0);
	CHECK_EQUAL(symbols_find_kernel(kernel.symbols, "ext4_sync_file", &before, &kernel.error),
		    0);
	CHECK(!name_at(&kernel, 0xffffffffc0900010));
	AUTO(text) char *more = text_format("%sffffffffc0900000 t late\t[late]\n", names);
	fixture_write("kallsyms", more, strlen(more));
	sleep(1);
	usleep(100000);
	CHECK_TEXT(name_at(&kernel, 0xffffffffc0900010), "kernel:late");
	CHECK_EQUAL(symbols_find_kernel(kernel.symbols, "ext4_sync_file", &after, &kernel.error),
		    0);
	CHECK_EQUAL(before, after);
	CHECK_EQUAL(symbols_location_ranges(kernel.symbols, after, &ranges), 1);
	CHECK_EQUAL(ranges[0].start, 0xffffffffc0000000);
	CHECK_EQUAL(ranges[0].end, 0xffffffffc0001000);
	kernel_close(&kernel);
}

TEST("the range of the scheduler is known")
{
	struct kernel kernel;
	uint64_t start, end;
	CHECK_EQUAL(kernel_engine_open(&kernel, names, NULL, NULL), 0);
	symbols_scheduler(kernel.symbols, &start, &end);
	CHECK_EQUAL(start, 0xffffffff81000300);
	CHECK_EQUAL(end, 0xffffffff81000400);
	kernel_close(&kernel);
}

/* The list of symbols of a kernel that is this file, moved. */
static char *list_of(const char *file, uint64_t *vfs_read)
{
	uint64_t anchor = 0, size = 0;
	if (!fixture_symbol(file, "_stext", &anchor, &size) ||
	    !fixture_symbol(file, "vfs_read", vfs_read, &size))
		return NULL;
	*vfs_read += MOVED - anchor;
	return text_format("%llx T _stext\n%llx T vfs_read\n%llx t probe\t[module]\n", MOVED,
			   (unsigned long long)*vfs_read, MOVED + 0x40000000);
}

TEST("with a vmlinux, addresses of the running kernel have its lines, and lines have addresses")
{
	struct kernel kernel;
	const struct range *ranges;
	uint64_t vfs_read = 0;
	uint32_t location;
	fixture_begin();
	fixture_write("read_write.c", kernel_source, strlen(kernel_source));
	if (!fixture_run("mkdir -p fs && cp read_write.c fs && "
			 "cc -g -O1 -no-pie -Wl,--build-id=none -o vmlinux fs/read_write.c"))
		SKIP("cc makes no such program");
	AUTO(text) char *vmlinux = text_format("%s/vmlinux", fixture_directory);
	AUTO(text) char *list = list_of("vmlinux", &vfs_read);
	CHECK(list);
	CHECK_EQUAL(kernel_engine_open(&kernel, list, vmlinux, "fs/*"), 0);
	CHECK(name_at(&kernel, vfs_read) && strstr(name_at(&kernel, vfs_read), "read_write.c:"));
	/* Of modules there are no lines, and sources are asked for. */
	CHECK(!name_at(&kernel, MOVED + 0x40000000));
	CHECK_EQUAL(symbols_find_kernel(kernel.symbols, "read_write.c:7", &location, &kernel.error),
		    0);
	CHECK(symbols_location_ranges(kernel.symbols, location, &ranges) > 0);
	uint32_t object = symbols_location(kernel.symbols, location)->object;
	uint64_t address = symbols_kernel_address(kernel.symbols, object, ranges[0].start);
	CHECK(address > vfs_read && address < vfs_read + 4096);
	kernel_close(&kernel);
}

TEST("a file that is not the running kernel is refused")
{
	struct kernel kernel;
	fixture_begin();
	if (!fixture_run("cc -g -Wl,--build-id=none -o other main.c"))
		SKIP("cc makes no such program");
	AUTO(text) char *other = text_format("%s/other", fixture_directory);
	CHECK_EQUAL(kernel_engine_open(&kernel, names, other, NULL), -EINVAL);
	CHECK(strstr(kernel.error.text, "not the running kernel"));
	kernel_close(&kernel);
}
