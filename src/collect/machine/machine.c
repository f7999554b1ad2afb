/* SPDX-License-Identifier: BSD-2-Clause */
/* machine - tries and reads what the kernel engine needs, and describes what it finds. */
#include "collect/machine/machine.h"

#include "base/cleanup.h"
#include "base/cores.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"
#include "collect/bpf/loader.h"
#include "collect/bpf/lockdown.h"
#include "collect/bpf/tracefs.h"
#include "wire/record.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/capability.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

enum { KERNEL_MAJOR = 5, KERNEL_MINOR = 18 }; /* the oldest kernel that the engine supports */
enum { SAMPLE_RATE_WANTED_HZ = 10000 };       /* the engine's shortest period, 100 us */

enum { SYSTEM_MEMORY_MB = 720 }; /* of lever and its parser, docs/checked.md, "Continuous" */

CLEANUP_DEFINE(folder, DIR *, closedir, NULL)

/* For capabilities newer than the oldest headers. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif
#ifndef CAP_BPF
#define CAP_BPF 39
#endif

static struct machine_item *add(struct machine *machine, const char *what, enum machine_state state)
{
	machine->items = memory_resize(machine->items, machine->count + 1, sizeof(*machine->items));
	struct machine_item *item = &machine->items[machine->count++];
	*item = (struct machine_item){.what = what, .state = state};
	return item;
}

/* A file of /proc or /sys without its last newline, or NULL. */
static char *read_line(const char *root, const char *path)
{
	AUTO(text) char *full = text_format("%s%s", root, path);
	char *content = file_read(full, NULL, NULL);
	if (content)
		content[strcspn(content, "\n")] = 0;
	return content;
}

/* Reads the first two or three numbers of a release; returns how many there are. */
static int release_numbers(const char *release, unsigned numbers[3])
{
	int count = 0;
	while (count < 3 && isdigit((unsigned char)*release)) {
		char *end;
		numbers[count++] = (unsigned)strtoul(release, &end, 10);
		if (*end != '.')
			break;
		release = end + 1;
	}
	return count;
}

bool machine_kernel_is_at_least(const char *release, unsigned major, unsigned minor)
{
	unsigned numbers[3];
	if (release_numbers(release, numbers) < 2)
		return false;
	return numbers[0] > major || (numbers[0] == major && numbers[1] >= minor);
}

bool machine_kernel_may_hang(const char *release)
{
	unsigned numbers[3];
	return release_numbers(release, numbers) == 3 && numbers[0] == 6 && numbers[1] == 17 &&
	       numbers[2] >= 1 && numbers[2] <= 6;
}

int machine_may_pause(const char *release, bool is_forced, struct error *error)
{
	struct utsname host;

	if (!release && !uname(&host))
		release = host.release;
	if (is_forced || !release || !machine_kernel_may_hang(release))
		return 0;
	return error_set(error, -EPERM,
			 "Linux %s is reported to hang whole machines when cores are sampled by "
			 "cpu-clock (6.17.1 to 6.17.6); use 6.17.7 or newer, or take the risk with "
			 "--force",
			 release);
}

static void examine_kernel(struct machine *machine, const char *root)
{
	AUTO(text) char *release = read_line(root, "/proc/sys/kernel/osrelease");
	if (!release || !machine_kernel_is_at_least(release, KERNEL_MAJOR, KERNEL_MINOR)) {
		struct machine_item *item = add(machine, "kernel", MACHINE_MISSING);
		item->sentence = text_format("Linux %s is too old for the kernel engine",
					     release ? release : "of unknown release");
		item->remedy = text_format("use Linux %d.%d or newer", KERNEL_MAJOR, KERNEL_MINOR);
		return;
	}
	if (machine_kernel_may_hang(release)) {
		struct machine_item *item = add(machine, "kernel", MACHINE_LIMITED);
		item->sentence = text_format("Linux %s: sampling by cpu-clock is reported to hang "
					     "whole machines on 6.17.1 to 6.17.6",
					     release);
		item->remedy = text_copy("use Linux 6.17.7 or newer, or a machine that may hang");
		return;
	}
	add(machine, "kernel", MACHINE_FINE)->sentence = text_format("Linux %s", release);
}

static void examine_btf(struct machine *machine, const char *root)
{
	static const char exit_name[] = "\0btf_trace_sched_exit_tp"; /* with both zeros */
	AUTO(text) char *path = text_format("%s/sys/kernel/btf/vmlinux", root);
	size_t size = 0;
	struct error error = {0};
	AUTO(text) char *content = file_read(path, &size, &error);
	bool is_btf = content && size > 24 && (unsigned char)content[0] == 0x9f &&
		      (unsigned char)content[1] == 0xeb;
	if (!is_btf) {
		struct machine_item *item = add(machine, "BTF", MACHINE_MISSING);
		item->sentence =
			text_format("the kernel does not describe its types: %s",
				    content ? "/sys/kernel/btf/vmlinux is not BTF" : error.text);
		item->remedy = text_copy("use a kernel built with CONFIG_DEBUG_INFO_BTF "
					 "(all of today's large distributions)");
		return;
	}
	add(machine, "BTF", MACHINE_FINE)->sentence =
		text_format("the kernel describes its types (%zu kB)", size / 1024);
	machine->has_sched_exit = memmem(content, size, exit_name, sizeof(exit_name));
}

static bool has_capability(uint64_t effective, unsigned capability)
{
	return effective >> capability & 1;
}

static void examine_rights(struct machine *machine, const char *root)
{
	AUTO(text) char *path = text_format("%s/proc/self/status", root);
	AUTO(text) char *status = file_read(path, NULL, NULL);
	const char *line = status ? strstr(status, "\nCapEff:") : NULL;
	uint64_t effective = line ? strtoull(line + 8, NULL, 16) : 0;
	bool is_admin = has_capability(effective, CAP_SYS_ADMIN);
	if (is_admin ||
	    (has_capability(effective, CAP_BPF) && has_capability(effective, CAP_PERFMON))) {
		add(machine, "rights", MACHINE_FINE)->sentence =
			text_copy(is_admin ? "CAP_SYS_ADMIN" : "CAP_BPF and CAP_PERFMON");
		return;
	}
	struct machine_item *item = add(machine, "rights", MACHINE_MISSING);
	item->sentence = text_copy("this user may not load BPF programs: neither root nor CAP_BPF "
				   "with CAP_PERFMON");
	item->remedy = text_copy("sudo lever ..., or give lever CAP_BPF and CAP_PERFMON");
}

/* The smallest BPF program of the kind the engine samples with: it returns 0. */
static void examine_bpf(struct machine *machine)
{
	struct bpf_insn program[] = {
		{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0},
		{.code = BPF_JMP | BPF_EXIT},
	};
	union bpf_attr attributes;
	memset(&attributes, 0, sizeof(attributes));
	attributes.prog_type = BPF_PROG_TYPE_PERF_EVENT;
	attributes.insns = (uint64_t)(uintptr_t)program;
	attributes.insn_cnt = 2;
	attributes.license = (uint64_t)(uintptr_t) "Dual BSD/GPL";
	AUTO(fd) int fd = (int)syscall(SYS_bpf, BPF_PROG_LOAD, &attributes, sizeof(attributes));
	if (fd >= 0) {
		add(machine, "BPF", MACHINE_FINE)->sentence =
			text_copy("a BPF program can be loaded");
		return;
	}
	int code = errno;
	struct machine_item *item = add(machine, "BPF", MACHINE_MISSING);
	item->sentence =
		text_format("the kernel refuses to load a BPF program: %s", strerror(code));
	item->remedy = text_copy(
		code == ENOSYS ?
			"use a kernel built with CONFIG_BPF_SYSCALL" :
		code == EPERM ?
			"run as root; in a container, allow bpf() in its seccomp profile and "
			"give it CAP_BPF and CAP_PERFMON" :
			NULL);
}

static void examine_lockdown(struct machine *machine, const char *root)
{
	enum lockdown lockdown = lockdown_of(root);

	if (lockdown != LOCKDOWN_CONFIDENTIALITY) {
		add(machine, "lockdown", MACHINE_FINE)->sentence =
			text_format("the kernel is not locked down against reading%s",
				    lockdown == LOCKDOWN_INTEGRITY ?
					    " (it is against changes, which Lever does not need)" :
					    "");
		return;
	}
	struct machine_item *item = add(machine, "lockdown", MACHINE_MISSING);
	item->sentence = text_copy("the kernel is locked down (confidentiality): BPF may not read "
				   "its memory");
	item->remedy = text_copy("boot without lockdown=confidentiality");
}

static int open_cpu_clock(void)
{
	struct perf_event_attr attributes;
	memset(&attributes, 0, sizeof(attributes));
	attributes.size = sizeof(attributes);
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_CPU_CLOCK;
	attributes.sample_period = 1000000;
	attributes.disabled = 1;
	return (int)syscall(SYS_perf_event_open, &attributes, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
}

static void examine_cpu_clock(struct machine *machine, const char *root)
{
	AUTO(text) char *paranoid = read_line(root, "/proc/sys/kernel/perf_event_paranoid");
	AUTO(fd) int fd = open_cpu_clock();
	if (fd >= 0) {
		add(machine, "sampling", MACHINE_FINE)->sentence =
			text_format("cpu-clock events of whole cores can be opened "
				    "(perf_event_paranoid is %s)",
				    paranoid ? paranoid : "unknown");
		return;
	}
	int code = errno;
	struct machine_item *item = add(machine, "sampling", MACHINE_MISSING);
	item->sentence = text_format("cpu-clock events of whole cores are refused: %s "
				     "(perf_event_paranoid is %s)",
				     strerror(code), paranoid ? paranoid : "unknown");
	item->remedy = text_copy(
		code == EPERM || code == EACCES ?
			"run as root or with CAP_PERFMON; in a container, allow perf_event_open "
			"in its seccomp profile" :
		code == ENOSYS ? "use a kernel built with CONFIG_PERF_EVENTS" :
				 NULL);
}

/* What `lever record` does with where BPF is refused: events of one's own threads. */
static void examine_own_events(struct machine *machine)
{
	struct perf_event_attr attributes = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attributes),
		.config = PERF_COUNT_SW_TASK_CLOCK,
		.sample_period = 1000000,
		.disabled = 1,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};
	AUTO(fd)
	int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0) {
		add(machine, "own events", MACHINE_FINE)->sentence =
			text_copy("lever record can sample your own processes without BPF, too, by "
				  "perf events");
		return;
	}
	int code = errno;
	struct machine_item *item = add(machine, "own events", MACHINE_LIMITED);
	item->sentence = text_format("perf events of one's own processes are refused: %s, so there "
				     "is no lever record without BPF",
				     strerror(code));
	item->remedy = text_copy("sudo sysctl kernel.perf_event_paranoid=2; in a container, allow "
				 "perf_event_open in its seccomp profile");
}

static void examine_sample_rate(struct machine *machine, const char *root)
{
	AUTO(text) char *text = read_line(root, "/proc/sys/kernel/perf_event_max_sample_rate");
	uint64_t rate;
	if (!text || !text_to_unsigned(text, &rate) || rate > 1000000000)
		return;
	if (rate >= SAMPLE_RATE_WANTED_HZ) {
		add(machine, "sample rate", MACHINE_FINE)->sentence =
			text_format("up to %u samples a second and core", (unsigned)rate);
		return;
	}
	struct machine_item *item = add(machine, "sample rate", MACHINE_LIMITED);
	item->sentence = text_format("at most %u samples a second and core, so answers take longer",
				     (unsigned)rate);
	item->remedy = text_format("sudo sysctl kernel.perf_event_max_sample_rate=%d "
				   "(the kernel lowers it when interrupts were slow)",
				   SAMPLE_RATE_WANTED_HZ);
}

/* State by core has a fixed length, of the cores that can exist. */
static void examine_cores(struct machine *machine, const char *root)
{
	AUTO(text) char *possible = read_line(root, "/sys/devices/system/cpu/possible");
	AUTO(text) char *online = read_line(root, "/sys/devices/system/cpu/online");
	unsigned end = possible ? cores_end(possible) : 0, most = bpf_loader_cores_most();
	if (!end)
		return;
	if (end <= most) {
		add(machine, "cores", MACHINE_FINE)->sentence =
			text_format("%u online, numbers up to %u; lever observes up to %u",
				    online ? cores_in(online) : cores_in(possible), end - 1,
				    most - 1);
		return;
	}
	struct machine_item *item = add(machine, "cores", MACHINE_MISSING);
	item->sentence = text_format("cores can have numbers up to %u, and lever observes up to %u",
				     end - 1, most - 1);
	item->remedy = text_format("boot with possible_cpus=%u, or use --engine runtime", most);
}

static unsigned processes_in(const char *root)
{
	AUTO(text) char *path = text_format("%s/proc", root);
	AUTO(folder) DIR *folder = opendir(path);
	unsigned count = 0;

	for (struct dirent *entry; folder && (entry = readdir(folder));)
		count += isdigit((unsigned char)entry->d_name[0]) != 0;
	return count;
}

/* "0.20 0.18 0.12 1/80 11206": of all tasks, the fourth field's second number. */
static unsigned threads_in(const char *root)
{
	AUTO(text) char *load = read_line(root, "/proc/loadavg");
	const char *slash = load ? strchr(load, '/') : NULL;

	return slash ? (unsigned)strtoul(slash + 1, NULL, 10) : 0;
}

static uint64_t available_mb_in(const char *root)
{
	AUTO(text) char *path = text_format("%s/proc/meminfo", root);
	AUTO(text) char *memory = file_read(path, NULL, NULL);
	const char *line = memory ? strstr(memory, "MemAvailable:") : NULL;

	return line ? strtoull(line + strlen("MemAvailable:"), NULL, 10) / 1024 : 0;
}

/* What of --system has a bound. Threads that wait are kept until they go on. */
static void examine_size(struct machine *machine, const char *root)
{
	unsigned threads = threads_in(root), processes = processes_in(root);
	unsigned most = machine->has_sched_exit ? RECORD_SLOTS : RECORD_HELD_MOST;
	uint64_t available_mb = available_mb_in(root);
	if (!threads || !available_mb)
		return;
	bool is_fine = threads <= most && available_mb >= SYSTEM_MEMORY_MB;
	struct machine_item *item = add(machine, "size", is_fine ? MACHINE_FINE : MACHINE_LIMITED);
	item->sentence = text_format(
		"%u processes, %u threads (lever record follows %u that wait at once), %llu MB of "
		"memory free (--system can take %d MB)",
		processes, threads, most, (unsigned long long)available_mb, SYSTEM_MEMORY_MB);
	if (!is_fine)
		item->remedy = text_copy("record fewer processes: --pid, --name or --cgroup "
					 "instead of --system");
}

static void examine_uprobes(struct machine *machine, const char *root)
{
	AUTO(text) char *type = read_line(root, "/sys/bus/event_source/devices/uprobe/type");
	if (type) {
		add(machine, "uprobes", MACHINE_FINE)->sentence =
			text_copy("progress points can be set in unmodified programs");
		return;
	}
	struct machine_item *item = add(machine, "uprobes", MACHINE_LIMITED);
	item->sentence =
		text_copy("no uprobes: --progress FUNCTION, FILE:LINE and usdt: do not work");
	item->remedy = text_copy("use a kernel built with CONFIG_UPROBE_EVENTS, or put "
				 "LEVER_PROGRESS into the source");
}

static void examine_tracefs(struct machine *machine)
{
	struct error error = {0};
	if (tracefs_tracepoint("sched", "sched_switch", &error) >= 0) {
		add(machine, "tracefs", MACHINE_FINE)->sentence =
			text_copy("tracepoints can be progress points");
		return;
	}
	struct machine_item *item = add(machine, "tracefs", MACHINE_LIMITED);
	item->sentence = text_format("--progress tracepoint: does not work: %s", error.text);
	item->remedy = text_copy("run as root; if it is not mounted: sudo mount -t tracefs tracefs "
				 "/sys/kernel/tracing");
}

static void examine_sched_exit(struct machine *machine)
{
	if (machine->has_sched_exit)
		add(machine, "sched_exit_tp", MACHINE_FINE)->sentence =
			text_copy("lever record samples waits at their end (sched_exit_tp)");
	else
		add(machine, "sched_exit_tp", MACHINE_LIMITED)->sentence = text_copy(
			"this kernel lacks the tracepoint sched_exit_tp (newer ones have it): "
			"lever record samples waits at their begin, only a part of the short ones, "
			"and separates waking up from waiting less well");
}

static void examine_clocksource(struct machine *machine, const char *root)
{
	AUTO(text)
	char *source =
		read_line(root, "/sys/devices/system/clocksource/clocksource0/current_clocksource");
	if (!source)
		return;
	bool is_fast = !strcmp(source, "tsc") || !strcmp(source, "kvm-clock") ||
		       !strcmp(source, "arch_sys_counter") ||
		       text_starts_with(source, "hyperv_clocksource");
	struct machine_item *item = add(machine, "clock", is_fast ? MACHINE_FINE : MACHINE_LIMITED);
	item->sentence = text_format(is_fast ? "the clock is %s" :
					       "the clock is %s: slow to read, so pauses cost more",
				     source);
	if (!is_fast)
		item->remedy = text_copy("see dmesg for why the kernel distrusts the TSC "
					 "(unstable clocks skew every result)");
}

static void examine_memory_lock(struct machine *machine)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_MEMLOCK, &limit))
		return;
	struct machine_item *item = add(machine, "locked memory", MACHINE_FINE);
	if (limit.rlim_cur == RLIM_INFINITY)
		item->sentence = text_copy("no limit on locked memory");
	else /* since Linux 5.11, BPF memory is charged to the cgroup */
		item->sentence =
			text_format("the limit of %llu kB on locked memory does not bind BPF "
				    "on this kernel",
				    (unsigned long long)limit.rlim_cur / 1024);
}

struct machine *machine_examine(const char *root)
{
	struct machine *machine = memory_new(1, sizeof(*machine));
	examine_kernel(machine, root);
	examine_btf(machine, root);
	examine_rights(machine, root);
	examine_bpf(machine);
	examine_lockdown(machine, root);
	examine_cpu_clock(machine, root);
	examine_own_events(machine);
	examine_sample_rate(machine, root);
	examine_cores(machine, root);
	examine_uprobes(machine, root);
	examine_tracefs(machine);
	examine_sched_exit(machine);
	examine_size(machine, root);
	examine_clocksource(machine, root);
	examine_memory_lock(machine);
	return machine;
}

void machine_free(struct machine *machine)
{
	if (!machine)
		return;
	for (size_t i = 0; i < machine->count; i++) {
		free(machine->items[i].sentence);
		free(machine->items[i].remedy);
	}
	free(machine->items);
	free(machine);
}

int machine_needs(const struct machine *machine, struct error *error)
{
	AUTO(text) char *missing = text_copy("");
	bool is_rights_only = true;
	for (size_t i = 0; i < machine->count; i++) {
		const struct machine_item *item = &machine->items[i];
		if (item->state != MACHINE_MISSING)
			continue;
		is_rights_only &= !strcmp(item->what, "rights") || !strcmp(item->what, "BPF") ||
				  !strcmp(item->what, "sampling");
		char *longer = text_format("%s\n  %s: %s%s%s", missing, item->what, item->sentence,
					   item->remedy ? "\n    remedy: " : "",
					   item->remedy ? item->remedy : "");
		free(missing);
		missing = longer;
	}
	if (!*missing)
		return 0;
	return error_set(error, is_rights_only ? -EPERM : -ENOTSUP,
			 "the kernel engine cannot work here:%s", missing);
}

char *machine_runtime_engine(void)
{
	struct perf_event_attr attributes;

	memset(&attributes, 0, sizeof(attributes));
	attributes.size = sizeof(attributes);
	attributes.type = PERF_TYPE_SOFTWARE;
	attributes.config = PERF_COUNT_SW_TASK_CLOCK;
	attributes.sample_period = 1000000;
	attributes.disabled = 1;
	attributes.exclude_kernel = 1;
	attributes.exclude_hv = 1;
	AUTO(fd)
	int fd = (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd >= 0)
		return text_copy("works here, without rights (dynamically linked programs; no Go, "
				 "no Java)");
	return text_format("works here, without rights, by timers of CPU time: perf_event_open is "
			   "refused (%s), so samples are coarser and answers take longer\n%16s"
			   "remedy: sudo sysctl kernel.perf_event_paranoid=2, or allow "
			   "perf_event_open in the container's seccomp profile",
			   strerror(errno), "");
}
