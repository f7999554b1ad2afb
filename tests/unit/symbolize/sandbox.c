/* SPDX-License-Identifier: BSD-2-Clause */
/* sandbox - what the process that reads binaries can still do. */
#include "symbolize/parser/sandbox.h"

#include "base/cleanup.h"
#include "symbolize/object/brokered.h"
#include "symbolize/parser/broker.h"

#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

static int refuse(const char *path, int flags)
{
	(void)flags;
	return strcmp(path, "/given") ? -ENOTDIR : 77;
}

/* The exit code of a process that enters the sandbox and then does this; 128 + signal. */
static int in_sandbox(int (*act)(void))
{
	int status, ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
		return -1;
	pid_t pid = fork();
	if (!pid)
		_exit(sandbox_enter(ends[1], refuse) ? 99 : act());
	close(ends[0]);
	close(ends[1]);
	waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static int is_refused(long result)
{
	return result == -1 && (errno == EPERM || errno == EACCES);
}

static int try_network(void)
{
	return !is_refused(socket(AF_INET, SOCK_STREAM, 0)) ||
	       !is_refused(socket(AF_UNIX, SOCK_STREAM, 0));
}

static int try_processes(void)
{
	char *const arguments[] = {(char *)(uintptr_t) "/bin/true", NULL};

	return !is_refused(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0)) ||
	       !is_refused(kill(getppid(), 0)) || !is_refused(execv(arguments[0], arguments)) ||
	       !is_refused(syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0)) ||
	       !is_refused(syscall(SYS_ptrace, 0, 0, 0, 0));
}

static int try_files(void)
{
	return !is_refused(unlink("/tmp/lever-none")) || !is_refused(chdir("/")) ||
	       !is_refused(access("/etc/passwd", R_OK)) || !is_refused(syscall(SYS_bpf, 0, 0, 0)) ||
	       !is_refused(syscall(SYS_memfd_create, "x", 0));
}

static int try_code(void)
{
	void *code = mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	void *data = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return code != MAP_FAILED || data == MAP_FAILED ||
	       !is_refused(mprotect(data, 4096, PROT_READ | PROT_EXEC));
}

static int try_opener(void)
{
	errno = 5;
	return open("/given", O_RDONLY) != 77 || errno != 5 || open("/other", O_RDONLY) != -1 ||
	       errno != ENOTDIR;
}

static volatile int *shared;

static int try_shared_memory(void)
{
	*shared = 1;
	return 0;
}

static int has_descriptors(void)
{
	for (int fd = SANDBOX_DESCRIPTOR + 1; fd < 1000; fd++)
		if (fcntl(fd, F_GETFD) != -1)
			return 1;
	return fcntl(SANDBOX_DESCRIPTOR, F_GETFD) == -1;
}

TEST("in the sandbox there are no sockets, processes, paths, executable memory")
{
	CHECK_EQUAL(in_sandbox(try_network), 0);
	CHECK_EQUAL(in_sandbox(try_processes), 0);
	CHECK_EQUAL(in_sandbox(try_files), 0);
	CHECK_EQUAL(in_sandbox(try_code), 0);
}

TEST("in the sandbox open(2) is the opener's, and errno is as that says")
{
	CHECK_EQUAL(in_sandbox(try_opener), 0);
}

TEST("the sandbox has no descriptor but its own, and no memory that it shares")
{
	int leaked = open("/dev/null", O_RDONLY);

	CHECK_EQUAL(in_sandbox(has_descriptors), 0);
	close(leaked);
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	CHECK(shared != MAP_FAILED);
	CHECK(in_sandbox(try_shared_memory) != 0);
	CHECK_EQUAL(*shared, 0);
}

TEST("the engine opens ELF files for the parser, and JIT files that it named, nothing else")
{
	char link[] = "/tmp/lever-sandbox-XXXXXX";
	struct broker broker = {0};
	int fd = mkstemp(link);

	CHECK(fd >= 0);
	CHECK_EQUAL(broker_open(&broker, "/etc/passwd"), -EACCES);
	CHECK_EQUAL(broker_open(&broker, "/dev/null"), -EACCES);
	CHECK_EQUAL(broker_open(&broker, "/tmp"), -EACCES);
	CHECK_EQUAL(broker_open(&broker, "/nowhere"), -ENOENT);
	CHECK_EQUAL(broker_open(&broker, link), -EACCES);
	broker_add(&broker, link, true);
	int opened = broker_open(&broker, link);
	CHECK(opened >= 0);
	close(opened);
	opened = broker_open(&broker, "/proc/self/exe");
	CHECK(opened >= 0);
	close(opened);
	close(fd);
	unlink(link);
	broker_clear(&broker);
}

TEST("under sudo the engine opens, with its own rights, no ELF files but those that it named")
{
	char path[] = "/tmp/lever-sandbox-XXXXXX";
	struct broker broker = {0};
	AUTO(fd) int file = mkstemp(path);

	if (geteuid() != 0)
		SKIP("not root");
	CHECK(write(file, "\177ELF", 4) == 4);
	setenv("SUDO_UID", "65534", 1);
	setenv("SUDO_GID", "65534", 1);
	CHECK_EQUAL(broker_open(&broker, path), -EACCES);
	CHECK(!fchmod(file, 0644));
	AUTO(fd) int allowed = broker_open(&broker, path);
	CHECK(allowed >= 0);
	CHECK(!fchmod(file, 0600));
	broker_add(&broker, path, false);
	AUTO(fd) int named = broker_open(&broker, path);
	CHECK(named >= 0);
	unsetenv("SUDO_UID");
	unsetenv("SUDO_GID");
	unlink(path);
	broker_clear(&broker);
}
