/* SPDX-License-Identifier: BSD-2-Clause */
/* machine - sentences about machines that have or lack something, with made-up /proc and /sys. */
#include "collect/machine/machine.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "check.h"

#include <errno.h>
#include <ftw.h>
#include <sys/stat.h>

CLEANUP_DEFINE(machine, struct machine *, machine_free, NULL)

static char root[] = "/tmp/lever-test-machine-XXXXXX";

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
	(void)status, (void)kind, (void)where;
	return remove(path);
}

static void remove_root(void)
{
	nftw(root, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

/* Writes a file below the made-up root, with its folders. */
static bool put(const char *path, const char *content, size_t size)
{
	AUTO(text) char *full = text_format("%s%s", root, path);
	for (char *slash = strchr(full + strlen(root) + 1, '/'); slash;
	     slash = strchr(slash + 1, '/')) {
		*slash = 0;
		mkdir(full, 0777);
		*slash = '/';
	}
	AUTO(file) FILE *file = fopen(full, "w");
	return file && fwrite(content, 1, size, file) == size;
}

static bool put_text(const char *path, const char *text)
{
	return put(path, text, strlen(text));
}

/* A machine on which everything is there. */
static bool make_good_machine(void)
{
	static const char btf[] =
		"\x9f\xeb\x01 twenty-four bytes of header\0btf_trace_sched_exit_tp\0";
	static bool is_made;
	if (!is_made && !mkdtemp(root))
		return false;
	if (!is_made)
		atexit(remove_root);
	is_made = true;
	return put_text("/proc/sys/kernel/osrelease", "6.18.1-amd64\n") &&
	       put("/sys/kernel/btf/vmlinux", btf, sizeof(btf)) &&
	       put_text("/proc/self/status",
			"Name:\tx\nCapEff:\t000001ffffffffff\nSeccomp:\t0\n") &&
	       put_text("/sys/kernel/security/lockdown", "[none] integrity confidentiality\n") &&
	       put_text("/proc/sys/kernel/perf_event_max_sample_rate", "100000\n") &&
	       put_text("/sys/devices/system/cpu/possible", "0-1023\n") &&
	       put_text("/sys/devices/system/cpu/online", "0-3,8-11\n") &&
	       put_text("/proc/loadavg", "0.20 0.18 0.12 1/800 11206\n") &&
	       put_text("/proc/meminfo", "MemTotal: 9999999 kB\nMemAvailable: 4194304 kB\n") &&
	       put_text("/proc/1/comm", "init\n") &&
	       put_text("/sys/bus/event_source/devices/uprobe/type", "7\n") &&
	       put_text("/sys/devices/system/clocksource/clocksource0/current_clocksource",
			"tsc\n");
}

static const struct machine_item *item_of(const struct machine *machine, const char *what)
{
	for (size_t i = 0; i < machine->count; i++)
		if (!strcmp(machine->items[i].what, what))
			return &machine->items[i];
	return NULL;
}

/* The state of one item after one file was changed; -1 if the item is not there. */
static int state_with(const char *path, const char *content, const char *what)
{
	if (!make_good_machine() || !put_text(path, content))
		return -2;
	AUTO(machine) struct machine *machine = machine_examine(root);
	const struct machine_item *item = item_of(machine, what);
	if (item && item->state != MACHINE_FINE && !item->remedy)
		return -3;
	return item ? (int)item->state : -1;
}

TEST("releases are compared by their first two numbers")
{
	CHECK(machine_kernel_is_at_least("5.18.0", 5, 18));
	CHECK(machine_kernel_is_at_least("6.1.0-18-amd64", 5, 18));
	CHECK(machine_kernel_is_at_least("5.100", 5, 18));
	CHECK(!machine_kernel_is_at_least("5.17.99", 5, 18));
	CHECK(!machine_kernel_is_at_least("4.19", 5, 18));
	CHECK(!machine_kernel_is_at_least("", 5, 18));
	CHECK(!machine_kernel_is_at_least("six", 5, 18));
	CHECK(!machine_kernel_is_at_least("6", 5, 18));
}

TEST("the kernels that may hang are 6.17.1 to 6.17.6")
{
	CHECK(!machine_kernel_may_hang("6.17.0"));
	CHECK(machine_kernel_may_hang("6.17.1"));
	CHECK(machine_kernel_may_hang("6.17.6-arch1-1"));
	CHECK(!machine_kernel_may_hang("6.17.7"));
	CHECK(!machine_kernel_may_hang("6.17"));
	CHECK(!machine_kernel_may_hang("6.18.3"));
}

TEST("a kernel that may hang is refused with the reason, unless the user insists")
{
	struct error error = {0};
	CHECK_EQUAL(machine_may_pause("6.17.4-1-generic", false, &error), -EPERM);
	CHECK(strstr(error.text, "6.17.4-1-generic") && strstr(error.text, "--force"));
	CHECK_EQUAL(machine_may_pause("6.17.4-1-generic", true, NULL), 0);
	CHECK_EQUAL(machine_may_pause("6.17.7", false, NULL), 0);
}

TEST("what a good machine has is fine, and needs no remedy")
{
	CHECK(make_good_machine());
	AUTO(machine) struct machine *machine = machine_examine(root);
	static const char *const read_from_files[] = {"kernel",        "BTF",         "rights",
						      "lockdown",      "sample rate", "uprobes",
						      "sched_exit_tp", "clock",       "cores",
						      "size"};
	for (size_t i = 0; i < sizeof(read_from_files) / sizeof(read_from_files[0]); i++) {
		const struct machine_item *item = item_of(machine, read_from_files[i]);
		CHECK(item);
		CHECK_EQUAL(item->state, MACHINE_FINE);
		CHECK(item->sentence && !item->remedy);
	}
	CHECK(machine->has_sched_exit);
	CHECK_TEXT(item_of(machine, "cores")->sentence,
		   "8 online, numbers up to 1023; lever observes up to 1023");
	CHECK_TEXT(item_of(machine, "size")->sentence,
		   "1 processes, 800 threads (lever record follows 65536 that wait at once), "
		   "4096 MB of memory free (--system can take 720 MB)");
}

TEST("each lack is seen, and what is missing for the engine is told from what limits it")
{
	static const struct {
		const char *path, *content, *what;
		enum machine_state state;
	} lacks[] = {
		{"/proc/sys/kernel/osrelease", "5.17.3\n", "kernel", MACHINE_MISSING},
		{"/proc/sys/kernel/osrelease", "6.17.4\n", "kernel", MACHINE_LIMITED},
		{"/sys/kernel/btf/vmlinux", "no BTF, but a text of some length", "BTF",
		 MACHINE_MISSING},
		{"/proc/self/status", "CapEff:\n", "rights", MACHINE_MISSING},
		{"/proc/loadavg", "0.20 0.18 0.12 1/65537 11206\n", "size", MACHINE_LIMITED},
		{"/proc/meminfo", "MemAvailable: 700000 kB\n", "size", MACHINE_LIMITED},
		{"/proc/self/status", "x\nCapEff:\t0000004000000000\n", "rights", MACHINE_MISSING},
		{"/sys/kernel/security/lockdown", "none integrity [confidentiality]\n", "lockdown",
		 MACHINE_MISSING},
		{"/proc/sys/kernel/perf_event_max_sample_rate", "1000\n", "sample rate",
		 MACHINE_LIMITED},
		{"/sys/devices/system/cpu/possible", "0-1,1024\n", "cores", MACHINE_MISSING},
		{"/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n",
		 "clock", MACHINE_LIMITED},
	};
	for (size_t i = 0; i < sizeof(lacks) / sizeof(lacks[0]); i++)
		CHECK_EQUAL(state_with(lacks[i].path, lacks[i].content, lacks[i].what),
			    lacks[i].state);
}

TEST("CAP_BPF and CAP_PERFMON together are enough")
{
	CHECK_EQUAL(state_with("/proc/self/status", "x\nCapEff:\t000000c000000000\n", "rights"),
		    MACHINE_FINE);
}

TEST("a kernel locked down for integrity only is good enough")
{
	CHECK_EQUAL(state_with("/sys/kernel/security/lockdown",
			       "none [integrity] confidentiality\n", "lockdown"),
		    MACHINE_FINE);
}

TEST("an empty machine lacks what the engine needs, and the refusal says all of it")
{
	AUTO(machine) struct machine *machine = machine_examine("/nonexistent");
	struct error error = {0};
	CHECK_EQUAL(machine_needs(machine, &error), -ENOTSUP);
	CHECK(strstr(error.text, "Linux of unknown release is too old"));
	CHECK(strstr(error.text, "/sys/kernel/btf/vmlinux"));
	CHECK(strstr(error.text, "remedy: sudo lever"));
}
