/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waits - interposed: calls that wait for time, for a file or for a process, and calls that may end
 * such a wait elsewhere.
 *
 * Whether a file can wake somebody (a pipe, a socket, an eventfd; not a file on a disk) is asked of
 * the kernel before something is written to it.
 */
#include "runtime/real.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <stdarg.h>
#include <sys/stat.h>

/* Before something may be readable for another thread or process of the program. */
static void before_writing(int fd)
{
	struct stat status;
	const long arguments[6] = {fd, (long)"", (long)&status, AT_EMPTY_PATH, 0, 0};

	if (!thread_self.is_started || thread_self.depth)
		return;
	if (lever_system_call(SYS_newfstatat, arguments) || S_ISREG(status.st_mode) ||
	    S_ISBLK(status.st_mode) || S_ISDIR(status.st_mode))
		return;
	pause_before_wake();
	__atomic_store_n(&runtime_page->waking_ns, time_now(), __ATOMIC_RELEASE);
}

static void before_signalling(void)
{
	if (!thread_self.is_started || thread_self.depth)
		return;
	pause_before_wake();
	__atomic_store_n(&runtime_page->waking_ns, time_now(), __ATOMIC_RELEASE);
}

/* ---- time ---- */

/* As nanosleep; a tick that interrupts it does not end it. */
static int sleep_for(const struct timespec *length, struct timespec *left)
{
	struct timespec own, *room = left ? left : &own;
	uint32_t before;
	int code;

	do {
		before = thread_self.ticks;
		code = REAL(nanosleep)(length, room);
		length = room;
	} while (code == -1 && errno == EINTR && thread_self.ticks != before);
	return code;
}

RUNTIME_EXPORT int nanosleep(const struct timespec *length, struct timespec *left)
{
	WAIT(wait, WAIT_FOR_TIME)
	return sleep_for(length, left);
}

RUNTIME_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *length,
				   struct timespec *left)
{
	struct timespec own, *room = left ? left : &own;
	uint32_t before;
	int code;
	WAIT(wait, WAIT_FOR_TIME)

	do {
		before = thread_self.ticks;
		code = REAL(clock_nanosleep)(clock, flags, length, room);
		if (!(flags & TIMER_ABSTIME))
			length = room;
	} while (code == EINTR && thread_self.ticks != before);
	return code;
}

RUNTIME_EXPORT unsigned sleep(unsigned seconds)
{
	struct timespec length = {.tv_sec = seconds};
	WAIT(wait, WAIT_FOR_TIME)
	return sleep_for(&length, &length) ?
		       (unsigned)length.tv_sec + (length.tv_nsec >= 500000000) :
		       0;
}

RUNTIME_EXPORT int usleep(useconds_t length)
{
	const struct timespec time = {.tv_sec = length / 1000000,
				      .tv_nsec = length % 1000000 * 1000};
	WAIT(wait, WAIT_FOR_TIME)
	return sleep_for(&time, NULL);
}

RUNTIME_EXPORT int thrd_sleep(const struct timespec *length, struct timespec *left)
{
	WAIT(wait, WAIT_FOR_TIME)
	if (!sleep_for(length, left))
		return 0;
	return errno == EINTR ? -1 : -2;
}

/* ---- readiness; a look that does not wait is none of ours ---- */

RUNTIME_EXPORT int poll(struct pollfd *files, nfds_t count, int timeout)
{
	if (!timeout)
		return REAL(poll)(files, count, timeout);
	WAIT(wait, WAIT_FOR_FILE)
	return UNLESS_TICKED(REAL(poll)(files, count, timeout));
}

RUNTIME_EXPORT int ppoll(struct pollfd *files, nfds_t count, const struct timespec *timeout,
			 const sigset_t *mask)
{
	WAIT(wait, WAIT_FOR_FILE)
	return UNLESS_TICKED(REAL(ppoll)(files, count, timeout, mask));
}

RUNTIME_EXPORT int select(int count, fd_set *restrict readable, fd_set *restrict writable,
			  fd_set *restrict others, struct timeval *restrict timeout)
{
	if (timeout && !timeout->tv_sec && !timeout->tv_usec)
		return REAL(select)(count, readable, writable, others, timeout);
	WAIT(wait, WAIT_FOR_FILE)
	return UNLESS_TICKED(REAL(select)(count, readable, writable, others, timeout));
}

RUNTIME_EXPORT int pselect(int count, fd_set *restrict readable, fd_set *restrict writable,
			   fd_set *restrict others, const struct timespec *restrict timeout,
			   const sigset_t *restrict mask)
{
	WAIT(wait, WAIT_FOR_FILE)
	return UNLESS_TICKED(REAL(pselect)(count, readable, writable, others, timeout, mask));
}

RUNTIME_EXPORT int epoll_wait(int fd, struct epoll_event *found, int most, int timeout)
{
	if (!timeout)
		return REAL(epoll_wait)(fd, found, most, timeout);
	WAIT(wait, WAIT_FOR_FILE)
	return UNLESS_TICKED(REAL(epoll_wait)(fd, found, most, timeout));
}

RUNTIME_EXPORT int epoll_pwait(int fd, struct epoll_event *found, int most, int timeout,
			       const sigset_t *mask)
{
	if (!timeout)
		return REAL(epoll_pwait)(fd, found, most, timeout, mask);
	WAIT(wait, WAIT_FOR_FILE)
	return UNLESS_TICKED(REAL(epoll_pwait)(fd, found, most, timeout, mask));
}

RUNTIME_EXPORT int pause(void)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(pause)();
}

RUNTIME_EXPORT int sigsuspend(const sigset_t *mask)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(sigsuspend)(mask);
}

/* ---- reading ---- */

RUNTIME_EXPORT ssize_t read(int fd, void *bytes, size_t size)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(read)(fd, bytes, size);
}

RUNTIME_EXPORT ssize_t readv(int fd, const struct iovec *parts, int count)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(readv)(fd, parts, count);
}

RUNTIME_EXPORT ssize_t pread(int fd, void *bytes, size_t size, off_t offset)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(pread)(fd, bytes, size, offset);
}

RUNTIME_EXPORT ssize_t preadv(int fd, const struct iovec *parts, int count, off_t offset)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(preadv)(fd, parts, count, offset);
}

RUNTIME_EXPORT ssize_t pread64(int fd, void *bytes, size_t size, off64_t offset)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(pread64)(fd, bytes, size, offset);
}

RUNTIME_EXPORT ssize_t preadv64(int fd, const struct iovec *parts, int count, off64_t offset)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(preadv64)(fd, parts, count, offset);
}

RUNTIME_EXPORT ssize_t recv(int fd, void *bytes, size_t size, int flags)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(recv)(fd, bytes, size, flags);
}

RUNTIME_EXPORT ssize_t recvfrom(int fd, void *restrict bytes, size_t size, int flags,
				__SOCKADDR_ARG address, socklen_t *restrict length)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(recvfrom)(fd, bytes, size, flags, address, length);
}

RUNTIME_EXPORT ssize_t recvmsg(int fd, struct msghdr *message, int flags)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(recvmsg)(fd, message, flags);
}

RUNTIME_EXPORT int accept(int fd, __SOCKADDR_ARG address, socklen_t *restrict length)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(accept)(fd, address, length);
}

RUNTIME_EXPORT int accept4(int fd, __SOCKADDR_ARG address, socklen_t *restrict length, int flags)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(accept4)(fd, address, length, flags);
}

RUNTIME_EXPORT int eventfd_read(int fd, eventfd_t *value)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(eventfd_read)(fd, value);
}

/* ---- writing ---- */

RUNTIME_EXPORT ssize_t write(int fd, const void *bytes, size_t size)
{
	before_writing(fd);
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(write)(fd, bytes, size);
}

RUNTIME_EXPORT ssize_t writev(int fd, const struct iovec *parts, int count)
{
	before_writing(fd);
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(writev)(fd, parts, count);
}

RUNTIME_EXPORT ssize_t pwrite(int fd, const void *bytes, size_t size, off_t offset)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(pwrite)(fd, bytes, size, offset);
}

RUNTIME_EXPORT ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(pwritev)(fd, parts, count, offset);
}

RUNTIME_EXPORT ssize_t pwrite64(int fd, const void *bytes, size_t size, off64_t offset)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(pwrite64)(fd, bytes, size, offset);
}

RUNTIME_EXPORT ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(pwritev64)(fd, parts, count, offset);
}

RUNTIME_EXPORT ssize_t send(int fd, const void *bytes, size_t size, int flags)
{
	before_writing(fd);
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(send)(fd, bytes, size, flags);
}

RUNTIME_EXPORT ssize_t sendto(int fd, const void *bytes, size_t size, int flags,
			      __CONST_SOCKADDR_ARG address, socklen_t length)
{
	before_writing(fd);
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(sendto)(fd, bytes, size, flags, address, length);
}

RUNTIME_EXPORT ssize_t sendmsg(int fd, const struct msghdr *message, int flags)
{
	before_writing(fd);
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(sendmsg)(fd, message, flags);
}

RUNTIME_EXPORT int connect(int fd, __CONST_SOCKADDR_ARG address, socklen_t length)
{
	before_writing(fd);
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(connect)(fd, address, length);
}

RUNTIME_EXPORT int eventfd_write(int fd, eventfd_t value)
{
	before_writing(fd);
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(eventfd_write)(fd, value);
}

RUNTIME_EXPORT ssize_t sendfile(int fd, int from, off_t *offset, size_t size)
{
	before_writing(fd);
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(sendfile)(fd, from, offset, size);
}

RUNTIME_EXPORT ssize_t sendfile64(int fd, int from, off64_t *offset, size_t size)
{
	before_writing(fd);
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(sendfile64)(fd, from, offset, size);
}

RUNTIME_EXPORT ssize_t splice(int from, off64_t *from_offset, int fd, off64_t *offset, size_t size,
			      unsigned flags)
{
	before_writing(fd);
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(splice)(from, from_offset, fd, offset, size, flags);
}

RUNTIME_EXPORT ssize_t copy_file_range(int from, off64_t *from_offset, int fd, off64_t *offset,
				       size_t size, unsigned flags)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(copy_file_range)(from, from_offset, fd, offset, size, flags);
}

RUNTIME_EXPORT int close(int fd)
{
	before_writing(fd);
	return REAL(close)(fd);
}

/* ---- the disk ---- */

RUNTIME_EXPORT int fsync(int fd)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(fsync)(fd);
}

RUNTIME_EXPORT int fdatasync(int fd)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(fdatasync)(fd);
}

RUNTIME_EXPORT int syncfs(int fd)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(syncfs)(fd);
}

RUNTIME_EXPORT int sync_file_range(int fd, off64_t offset, off64_t size, unsigned flags)
{
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(sync_file_range)(fd, offset, size, flags);
}

/* ---- other processes ---- */

RUNTIME_EXPORT int flock(int fd, int operation)
{
	if (operation & LOCK_UN)
		pause_before_wake();
	if (operation & (LOCK_UN | LOCK_NB))
		return REAL(flock)(fd, operation);
	WAIT(wait, WAIT_FOR_THREAD)
	return REAL(flock)(fd, operation);
}

RUNTIME_EXPORT pid_t wait(int *status)
{
	WAIT(waiting, WAIT_FOR_THREAD)
	return REAL(wait)(status);
}

RUNTIME_EXPORT pid_t waitpid(pid_t pid, int *status, int flags)
{
	if (flags & WNOHANG)
		return REAL(waitpid)(pid, status, flags);
	WAIT(waiting, WAIT_FOR_THREAD)
	return REAL(waitpid)(pid, status, flags);
}

RUNTIME_EXPORT pid_t wait3(int *status, int flags, struct rusage *usage)
{
	if (flags & WNOHANG)
		return REAL(wait3)(status, flags, usage);
	WAIT(waiting, WAIT_FOR_THREAD)
	return REAL(wait3)(status, flags, usage);
}

RUNTIME_EXPORT pid_t wait4(pid_t pid, int *status, int flags, struct rusage *usage)
{
	if (flags & WNOHANG)
		return REAL(wait4)(pid, status, flags, usage);
	WAIT(waiting, WAIT_FOR_THREAD)
	return REAL(wait4)(pid, status, flags, usage);
}

RUNTIME_EXPORT int waitid(idtype_t kind, id_t id, siginfo_t *information, int flags)
{
	if (flags & WNOHANG)
		return REAL(waitid)(kind, id, information, flags);
	WAIT(waiting, WAIT_FOR_THREAD)
	return REAL(waitid)(kind, id, information, flags);
}

/* ---- signals as messages ---- */

RUNTIME_EXPORT int kill(pid_t pid, int number)
{
	before_signalling();
	return REAL(kill)(pid, number);
}

RUNTIME_EXPORT int killpg(pid_t group, int number)
{
	before_signalling();
	return REAL(killpg)(group, number);
}

RUNTIME_EXPORT int tgkill(pid_t pid, pid_t tid, int number)
{
	before_signalling();
	return REAL(tgkill)(pid, tid, number);
}

RUNTIME_EXPORT int sigqueue(pid_t pid, int number, const union sigval value)
{
	before_signalling();
	return REAL(sigqueue)(pid, number, value);
}

RUNTIME_EXPORT int pthread_kill(pthread_t thread, int number)
{
	before_signalling();
	return REAL(pthread_kill)(thread, number);
}

RUNTIME_EXPORT int pthread_sigqueue(pthread_t thread, int number, const union sigval value)
{
	before_signalling();
	return REAL(pthread_sigqueue)(thread, number, value);
}

/* ---- system calls made by number: of these only futexes, which wait or wake ---- */

static bool is_futex_wait(long operation)
{
	switch (operation & FUTEX_CMD_MASK) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
	case FUTEX_LOCK_PI:
	case FUTEX_WAIT_REQUEUE_PI:
		return true;
	}
	return false;
}

RUNTIME_EXPORT long syscall(long number, ...)
{
	long arguments[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		arguments[i] = va_arg(list, long);
	va_end(list);
	if (number != SYS_futex)
		return REAL(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3],
				     arguments[4], arguments[5]);
	if (!is_futex_wait(arguments[1])) {
		pause_before_wake();
		return REAL(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3],
				     arguments[4], arguments[5]);
	}
	WAIT(wait, WAIT_FOR_THREAD)
	long code = REAL(syscall)(number, arguments[0], arguments[1], arguments[2], arguments[3],
				  arguments[4], arguments[5]);
	wait.was_woken = !code;
	return code;
}
