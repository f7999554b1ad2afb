/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sandbox - no user, no capability, no system call but a few that touch only own memory and own
 * descriptors.
 *
 * open(2) is trapped: the kernel sends SIGSYS instead, and the handler puts the opener's result
 * where the system call's would be. So also files that libdw opens by itself come from the opener.
 */
#include "symbolize/parser/sandbox.h"

#include "base/cleanup.h"
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <ucontext.h>

#define NOBODY 65534
#define MEMORY_MOST (8ull << 30)

#if defined(__x86_64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OWN_ARCHITECTURE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define OWN_ARCHITECTURE AUDIT_ARCH_RISCV64
#endif

#ifndef OWN_ARCHITECTURE

int sandbox_enter(int kept, sandbox_open *opener)
{
	(void)kept, (void)opener;
	return -ENOSYS;
}

int sandbox_leave_engine(int kept)
{
	(void)kept;
	return -ENOSYS;
}

#else

/* ---- system calls ---- */

static const int allowed[] = {
	SYS_read,
	SYS_write,
	SYS_readv,
	SYS_writev,
	SYS_pread64,
	SYS_lseek,
	SYS_munmap,
	SYS_mremap,
	SYS_madvise,
	SYS_brk,
	SYS_fstat,
	SYS_close,
	SYS_dup,
	SYS_fcntl,
	SYS_ppoll,
	SYS_sendmsg,
	SYS_recvmsg,
	SYS_futex,
	SYS_clock_gettime,
	SYS_rt_sigreturn,
	SYS_exit,
	SYS_exit_group,
	SYS_sched_yield,
	SYS_getrandom,
	SYS_getpid,
	SYS_gettid,
	SYS_rt_sigaction,
	SYS_sigaltstack,
	SYS_gettimeofday,
	SYS_restart_syscall,
	SYS_rt_sigprocmask,
	SYS_getppid,
#ifdef SYS_poll
	SYS_poll,
#endif
#ifdef SYS_dup2
	SYS_dup2,
#endif
};

#define FILTER_MOST 128

struct filter {
	struct sock_filter items[FILTER_MOST];
	unsigned short count;
};

static void add(struct filter *filter, unsigned short code, uint32_t value, uint8_t yes, uint8_t no)
{
	filter->items[filter->count++] =
		(struct sock_filter){.code = code, .k = value, .jt = yes, .jf = no};
}

static void load(struct filter *filter, size_t at)
{
	add(filter, BPF_LD | BPF_W | BPF_ABS, (uint32_t)at, 0, 0);
}

static void end(struct filter *filter, uint32_t action)
{
	add(filter, BPF_RET | BPF_K, action, 0, 0);
}

static void if_call(struct filter *filter, int number, uint32_t action)
{
	add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 1);
	end(filter, action);
}

/* Of the call, allowed if an argument's low half has some of the bits, or none of them. */
static void if_bits(struct filter *filter, int number, int argument, uint32_t bits, bool has)
{
	add(filter, BPF_JMP | BPF_JEQ | BPF_K, (uint32_t)number, 0, 4);
	load(filter, offsetof(struct seccomp_data, args) + 8 * (size_t)argument);
	add(filter, BPF_JMP | BPF_JSET | BPF_K, bits, has ? 0 : 1, has ? 1 : 0);
	end(filter, SECCOMP_RET_ALLOW);
	end(filter, SECCOMP_RET_ERRNO | EACCES);
}

static int forbid_calls(void)
{
	struct filter filter = {0};

	load(&filter, offsetof(struct seccomp_data, arch));
	add(&filter, BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCHITECTURE, 1, 0);
	end(&filter, SECCOMP_RET_KILL_PROCESS);
	load(&filter, offsetof(struct seccomp_data, nr));
	for (size_t i = 0; i < sizeof(allowed) / sizeof(*allowed); i++)
		if_call(&filter, allowed[i], SECCOMP_RET_ALLOW);
#ifdef SYS_open
	if_call(&filter, SYS_open, SECCOMP_RET_TRAP);
#endif
	if_call(&filter, SYS_openat, SECCOMP_RET_TRAP);
	if_bits(&filter, SYS_mmap, 2, PROT_EXEC, false);
	if_bits(&filter, SYS_mprotect, 2, PROT_EXEC, false);
	if_bits(&filter, SYS_newfstatat, 3, AT_EMPTY_PATH, true);
	end(&filter, SECCOMP_RET_ERRNO | EPERM);
	struct sock_fprog program = {.len = filter.count, .filter = filter.items};
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) ? -errno : 0;
}

/* ---- open(2) ---- */

static sandbox_open *own_opener;

static uint64_t call_argument(const ucontext_t *context, int index)
{
#if defined(__x86_64__)
	static const int registers[] = {REG_RDI, REG_RSI, REG_RDX};
	return (uint64_t)context->uc_mcontext.gregs[registers[index]];
#elif defined(__aarch64__)
	return context->uc_mcontext.regs[index];
#else
	return context->uc_mcontext.__gregs[REG_A0 + index];
#endif
}

static void set_call_result(ucontext_t *context, long result)
{
#if defined(__x86_64__)
	context->uc_mcontext.gregs[REG_RAX] = result;
#elif defined(__aarch64__)
	context->uc_mcontext.regs[0] = (uint64_t)result;
#else
	context->uc_mcontext.__gregs[REG_A0] = (unsigned long)result;
#endif
}

static void on_trapped_call(int signal, siginfo_t *info, void *interrupted)
{
	ucontext_t *context = interrupted;
	int errno_before = errno;
	int first = 0;
	long result = -EACCES;

	(void)signal;
	if (info->si_syscall == SYS_openat)
		first = 1;
	uint64_t path = call_argument(context, first);
	if (path && (!first || (int)call_argument(context, 0) == AT_FDCWD ||
		     *(const char *)(uintptr_t)path == '/'))
		result = own_opener((const char *)(uintptr_t)path,
				    (int)call_argument(context, first + 1));
	set_call_result(context, result);
	errno = errno_before;
}

/* ---- everything else ---- */

static void forget_signals(void)
{
	struct sigaction trap = {.sa_sigaction = on_trapped_call, .sa_flags = SA_SIGINFO};
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		signal(number, SIG_DFL);
	sigemptyset(&none);
	sigaction(SIGSYS, &trap, NULL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static int forget_descriptors(int kept)
{
	int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (nothing < 0 || dup2(kept, SANDBOX_DESCRIPTOR) < 0)
		return -errno;
	for (int standard = 0; standard < SANDBOX_DESCRIPTOR; standard++)
		if (dup2(nothing, standard) < 0)
			return -errno;
#ifdef SYS_close_range
	if (!syscall(SYS_close_range, SANDBOX_DESCRIPTOR + 1, ~0u, 0))
		return 0;
#endif
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit))
		return -errno;
	for (rlim_t fd = SANDBOX_DESCRIPTOR + 1; fd < limit.rlim_cur && fd < 1 << 20; fd++)
		close((int)fd);
	return 0;
}

/* Such as the maps of BPF programs and the runtime engine's page: they are the engine's. */
static int forget_shared_memory(void)
{
	AUTO(file) FILE *maps = fopen("/proc/self/maps", "re");
	AUTO(text) char *line = NULL;
	size_t room = 0;

	if (!maps)
		return -errno;
	while (getline(&line, &room, maps) > 0) {
		uint64_t start, last;
		char rights[5];
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s", &start, &last, rights) == 3 &&
		    rights[3] == 's')
			munmap((void *)(uintptr_t)start, last - start);
	}
	return 0;
}

static void limit_resource(int resource, rlim_t most)
{
	struct rlimit limit;

	if (getrlimit(resource, &limit))
		return;
	if (limit.rlim_max > most)
		limit.rlim_max = most;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(resource, &limit);
}

/* Private memory that may be written; also what is only reserved, as a sanitizer's shadow. */
static rlim_t own_memory(void)
{
	AUTO(text) char *status = file_read("/proc/self/status", NULL, NULL);
	const char *line = status ? strstr(status, "\nVmData:") : NULL;
	unsigned long long kib = 0;

	return line && sscanf(line, "\nVmData: %llu", &kib) == 1 ? kib << 10 : 0;
}

static int forget_rights(void)
{
	struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = {0};

	/* In a user namespace there may be no such user: then without capabilities as root. */
	if (geteuid() == 0 && !setgroups(0, NULL) && !setresgid(NOBODY, NOBODY, NOBODY) &&
	    setresuid(NOBODY, NOBODY, NOBODY))
		return -errno;
	/* A change of the user would end the wish for a signal at the parent's end. */
	if (syscall(SYS_capset, &header, none) || prctl(PR_SET_PDEATHSIG, SIGKILL) ||
	    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0, 0, 0, 0))
		return -errno;
	return 0;
}

int sandbox_leave_engine(int kept)
{
	forget_signals();
	int code = forget_descriptors(kept);
	code = code ? code : forget_shared_memory();
	return code ? code : forget_rights();
}

int sandbox_enter(int kept, sandbox_open *opener)
{
	own_opener = opener;
	forget_signals();
	int code = forget_descriptors(kept);
	code = code ? code : forget_shared_memory();
	limit_resource(RLIMIT_DATA, own_memory() + MEMORY_MOST);
	limit_resource(RLIMIT_CORE, 0);
	limit_resource(RLIMIT_FSIZE, 0);
	code = code ? code : forget_rights();
	return code ? code : forbid_calls();
}

#endif
