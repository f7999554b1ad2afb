/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * blocking_calls - interposed: calls that wait for time, for a file or for a process, and calls
 * that may end such a wait elsewhere. A row of a table is a function, its parameters and its
 * arguments.
 *
 * Before a write, the kernel is asked whether the file can wake a thread (a pipe, a socket, an
 * eventfd; not a file on a disk).
 */
#include "runtime/interpose/real.h"

#include <stdarg.h>

/* ---- time ---- */

/* nanosleep that a tick does not end. */
static int sleep_for(const struct timespec *length, struct timespec *left)
{
	struct timespec own, *room = left ? left : &own;
	uint32_t before = thread_self.interrupted_calls;
	int code;

	while ((code = REAL(nanosleep)(length, room)) == -1 && errno == EINTR &&
	       thread_self.interrupted_calls != before) {
		thread_self.interrupted_calls = before;
		length = room;
	}
	return code;
}

RUNTIME_EXPORT int nanosleep(const struct timespec *length, struct timespec *left)
{
	WAIT(waiting, WAIT_FOR_TIME)
	return sleep_for(length, left);
}

RUNTIME_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *length,
				   struct timespec *left)
{
	struct timespec own, *room = left ? left : &own;
	uint32_t before = thread_self.interrupted_calls;
	int code;
	WAIT(waiting, WAIT_FOR_TIME)

	while ((code = REAL(clock_nanosleep)(clock, flags, length, room)) == EINTR &&
	       thread_self.interrupted_calls != before) {
		thread_self.interrupted_calls = before;
		if (!(flags & TIMER_ABSTIME))
			length = room;
	}
	return code;
}

RUNTIME_EXPORT unsigned sleep(unsigned seconds)
{
	struct timespec length = {.tv_sec = seconds};
	WAIT(waiting, WAIT_FOR_TIME)
	return sleep_for(&length, &length) ?
		       (unsigned)length.tv_sec + (length.tv_nsec >= 500000000) :
		       0;
}

RUNTIME_EXPORT int usleep(useconds_t length)
{
	const struct timespec time = {.tv_sec = length / 1000000,
				      .tv_nsec = length % 1000000 * 1000};
	WAIT(waiting, WAIT_FOR_TIME)
	return sleep_for(&time, NULL);
}

RUNTIME_EXPORT int thrd_sleep(const struct timespec *length, struct timespec *left)
{
	WAIT(waiting, WAIT_FOR_TIME)
	if (!sleep_for(length, left))
		return 0;
	return errno == EINTR ? -1 : -2;
}

/* ---- files ---- */

/* Waits for the other end of a file. */
#define WAITS(type, name, parameters, ...)          \
	RUNTIME_EXPORT type name parameters         \
	{                                           \
		WAIT_ON(waiting, WAIT_FOR_FILE, fd) \
		return REAL(name)(__VA_ARGS__);     \
	}

/* Waits for a disk: calls with an offset, and calls that write data back. */
#define DISKS(type, name, parameters, ...)          \
	RUNTIME_EXPORT type name parameters         \
	{                                           \
		WAIT_ON(waiting, WAIT_FOR_DISK, fd) \
		return REAL(name)(__VA_ARGS__);     \
	}

/* Waits for files, unless `is_poll`; SA_RESTART does not restart it. */
#define POLLS(name, is_poll, parameters, ...)                       \
	RUNTIME_EXPORT int name parameters                          \
	{                                                           \
		if (is_poll)                                        \
			return REAL(name)(__VA_ARGS__);             \
		WAIT(waiting, WAIT_FOR_FILE)                        \
		return RESTART_AFTER_TICK(REAL(name)(__VA_ARGS__)); \
	}

/* May make a file readable for another thread or process, and may wait for room. */
#define WRITES(type, name, parameters, ...)         \
	RUNTIME_EXPORT type name parameters         \
	{                                           \
		wait_before_writing(fd);            \
		WAIT_ON(waiting, WAIT_FOR_FILE, fd) \
		return REAL(name)(__VA_ARGS__);     \
	}

#define SET const sigset_t
#define TIME const struct timespec
#define PARTS const struct iovec
/* clang-format off */
POLLS(poll, !timeout, (struct pollfd *files, nfds_t count, int timeout), files, count, timeout)
POLLS(__poll_chk, !timeout, (struct pollfd *files, nfds_t count, int timeout, size_t room),
      files, count, timeout, room)
POLLS(ppoll, false, (struct pollfd *files, nfds_t count, TIME *timeout, SET *mask),
      files, count, timeout, mask)
POLLS(__ppoll_chk, false,
      (struct pollfd *files, nfds_t count, TIME *timeout, SET *mask, size_t room),
      files, count, timeout, mask, room)
POLLS(select, timeout && !timeout->tv_sec && !timeout->tv_usec,
      (int count, fd_set *restrict readable, fd_set *restrict writable, fd_set *restrict others,
       struct timeval *restrict timeout), count, readable, writable, others, timeout)
POLLS(pselect, false,
      (int count, fd_set *restrict readable, fd_set *restrict writable, fd_set *restrict others,
       TIME *restrict timeout, SET *restrict mask),
      count, readable, writable, others, timeout, mask)
POLLS(epoll_wait, !timeout, (int fd, struct epoll_event *found, int most, int timeout),
      fd, found, most, timeout)
POLLS(epoll_pwait, !timeout,
      (int fd, struct epoll_event *found, int most, int timeout, SET *mask),
      fd, found, most, timeout, mask)
POLLS(epoll_pwait2, false,
      (int fd, struct epoll_event *found, int most, TIME *timeout, SET *mask),
      fd, found, most, timeout, mask)
POLLS(pause, false, (void), )
POLLS(sigsuspend, false, (SET *mask), mask)

WAITS(ssize_t, read, (int fd, void *bytes, size_t size), fd, bytes, size)
WAITS(ssize_t, __read_chk, (int fd, void *bytes, size_t size, size_t room), fd, bytes, size, room)
WAITS(ssize_t, readv, (int fd, PARTS *parts, int count), fd, parts, count)
DISKS(ssize_t, pread, (int fd, void *bytes, size_t size, off_t offset), fd, bytes, size, offset)
DISKS(ssize_t, __pread_chk, (int fd, void *bytes, size_t size, off_t offset, size_t room),
      fd, bytes, size, offset, room)
DISKS(ssize_t, pread64, (int fd, void *bytes, size_t size, off64_t offset),
      fd, bytes, size, offset)
DISKS(ssize_t, __pread64_chk, (int fd, void *bytes, size_t size, off64_t offset, size_t room),
      fd, bytes, size, offset, room)
DISKS(ssize_t, preadv, (int fd, PARTS *parts, int count, off_t offset), fd, parts, count, offset)
DISKS(ssize_t, preadv64, (int fd, PARTS *parts, int count, off64_t offset),
      fd, parts, count, offset)
/* The offset may be -1: the position of the file. */
WAITS(ssize_t, preadv2, (int fd, PARTS *parts, int count, off_t offset, int flags),
      fd, parts, count, offset, flags)
WAITS(ssize_t, preadv64v2, (int fd, PARTS *parts, int count, off64_t offset, int flags),
      fd, parts, count, offset, flags)
WAITS(ssize_t, recv, (int fd, void *bytes, size_t size, int flags), fd, bytes, size, flags)
WAITS(ssize_t, __recv_chk, (int fd, void *bytes, size_t size, size_t room, int flags),
      fd, bytes, size, room, flags)
WAITS(ssize_t, recvfrom,
      (int fd, void *restrict bytes, size_t size, int flags, __SOCKADDR_ARG address,
       socklen_t *restrict length), fd, bytes, size, flags, address, length)
WAITS(ssize_t, __recvfrom_chk,
      (int fd, void *restrict bytes, size_t size, size_t room, int flags, __SOCKADDR_ARG address,
       socklen_t *restrict length), fd, bytes, size, room, flags, address, length)
WAITS(ssize_t, recvmsg, (int fd, struct msghdr *message, int flags), fd, message, flags)
WAITS(int, recvmmsg,
      (int fd, struct mmsghdr *messages, unsigned count, int flags, struct timespec *timeout),
      fd, messages, count, flags, timeout)
WAITS(int, accept, (int fd, __SOCKADDR_ARG address, socklen_t *restrict length),
      fd, address, length)
WAITS(int, accept4, (int fd, __SOCKADDR_ARG address, socklen_t *restrict length, int flags),
      fd, address, length, flags)
WAITS(int, eventfd_read, (int fd, eventfd_t *value), fd, value)

WRITES(ssize_t, write, (int fd, const void *bytes, size_t size), fd, bytes, size)
WRITES(ssize_t, writev, (int fd, PARTS *parts, int count), fd, parts, count)
DISKS(ssize_t, pwrite, (int fd, const void *bytes, size_t size, off_t offset),
      fd, bytes, size, offset)
DISKS(ssize_t, pwrite64, (int fd, const void *bytes, size_t size, off64_t offset),
      fd, bytes, size, offset)
DISKS(ssize_t, pwritev, (int fd, PARTS *parts, int count, off_t offset), fd, parts, count, offset)
DISKS(ssize_t, pwritev64, (int fd, PARTS *parts, int count, off64_t offset),
      fd, parts, count, offset)
WRITES(ssize_t, pwritev2, (int fd, PARTS *parts, int count, off_t offset, int flags),
       fd, parts, count, offset, flags)
WRITES(ssize_t, pwritev64v2, (int fd, PARTS *parts, int count, off64_t offset, int flags),
       fd, parts, count, offset, flags)
WRITES(ssize_t, send, (int fd, const void *bytes, size_t size, int flags), fd, bytes, size, flags)
WRITES(ssize_t, sendto,
       (int fd, const void *bytes, size_t size, int flags, __CONST_SOCKADDR_ARG address,
	socklen_t length), fd, bytes, size, flags, address, length)
WRITES(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags), fd, message, flags)
WRITES(int, sendmmsg, (int fd, struct mmsghdr *messages, unsigned count, int flags),
       fd, messages, count, flags)
WRITES(int, connect, (int fd, __CONST_SOCKADDR_ARG address, socklen_t length),
       fd, address, length)
WRITES(int, eventfd_write, (int fd, eventfd_t value), fd, value)
WRITES(ssize_t, sendfile, (int fd, int from, off_t *offset, size_t size), fd, from, offset, size)
WRITES(ssize_t, sendfile64, (int fd, int from, off64_t *offset, size_t size),
       fd, from, offset, size)
WRITES(ssize_t, splice,
       (int from, off64_t *from_offset, int fd, off64_t *offset, size_t size, unsigned flags),
       from, from_offset, fd, offset, size, flags)
DISKS(ssize_t, copy_file_range,
      (int from, off64_t *from_offset, int fd, off64_t *offset, size_t size, unsigned flags),
      from, from_offset, fd, offset, size, flags)

DISKS(int, fsync, (int fd), fd)
DISKS(int, fdatasync, (int fd), fd)
DISKS(int, syncfs, (int fd), fd)
DISKS(int, sync_file_range, (int fd, off64_t offset, off64_t size, unsigned flags),
      fd, offset, size, flags)
/* clang-format on */

/* Wakes the other end, and releases locks of a file on a disk. */
RUNTIME_EXPORT int close(int fd)
{
	pay_before_wake();
	wait_before_writing(fd);
	return REAL(close)(fd);
}

RUNTIME_EXPORT int shutdown(int fd, int how)
{
	wait_before_writing(fd);
	return REAL(shutdown)(fd, how);
}

/* ---- other processes ---- */

/* Locks of files; each call may release one, too. */
#define FILE_LOCKS(name, may_wait, parameters, ...)     \
	RUNTIME_EXPORT int name parameters              \
	{                                               \
		pay_before_wake();                      \
		if (!(may_wait))                        \
			return REAL(name)(__VA_ARGS__); \
		WAIT(waiting, WAIT_FOR_LOCK)            \
		int code = REAL(name)(__VA_ARGS__);     \
		waiting.was_woken = !code;              \
		return code;                            \
	}

/* A file lock, by some commands; the third argument is passed on unchanged. */
#define CONTROLS(name)                                              \
	RUNTIME_EXPORT int name(int fd, int command, ...)           \
	{                                                           \
		va_list list;                                       \
		va_start(list, command);                            \
		void *lock = va_arg(list, void *);                  \
		va_end(list);                                       \
		if (command == F_SETLK || command == F_OFD_SETLK)   \
			pay_before_wake();                          \
		if (command != F_SETLKW && command != F_OFD_SETLKW) \
			return REAL(name)(fd, command, lock);       \
		pay_before_wake();                                  \
		WAIT(waiting, WAIT_FOR_LOCK)                        \
		int code = REAL(name)(fd, command, lock);           \
		waiting.was_woken = !code;                          \
		return code;                                        \
	}

/* Message queues: a receiver makes room for a sender. */
#define QUEUES(type, name, is_poll, parameters, ...)                \
	RUNTIME_EXPORT type name parameters                         \
	{                                                           \
		pay_before_signal();                                \
		if (is_poll)                                        \
			return REAL(name)(__VA_ARGS__);             \
		WAIT(waiting, WAIT_FOR_FILE)                        \
		return RESTART_AFTER_TICK(REAL(name)(__VA_ARGS__)); \
	}

#define CHILDREN(type, name, is_poll, parameters, ...)  \
	RUNTIME_EXPORT type name parameters             \
	{                                               \
		if (is_poll)                            \
			return REAL(name)(__VA_ARGS__); \
		WAIT(waiting, WAIT_FOR_CHILD)           \
		return REAL(name)(__VA_ARGS__);         \
	}

#define SIGNALS(name, parameters, ...)          \
	RUNTIME_EXPORT int name parameters      \
	{                                       \
		pay_before_signal();            \
		return REAL(name)(__VA_ARGS__); \
	}

/* clang-format off */
FILE_LOCKS(flock, !(operation & (LOCK_UN | LOCK_NB)), (int fd, int operation), fd, operation)
FILE_LOCKS(lockf, command == F_LOCK, (int fd, int command, off_t size), fd, command, size)
FILE_LOCKS(lockf64, command == F_LOCK, (int fd, int command, off64_t size), fd, command, size)
CONTROLS(fcntl)
CONTROLS(fcntl64)

QUEUES(int, msgsnd, flags & IPC_NOWAIT, (int queue, const void *message, size_t size, int flags),
       queue, message, size, flags)
QUEUES(ssize_t, msgrcv, flags & IPC_NOWAIT,
       (int queue, void *message, size_t size, long type, int flags),
       queue, message, size, type, flags)
QUEUES(int, mq_send, false, (mqd_t queue, const char *message, size_t size, unsigned priority),
       queue, message, size, priority)
QUEUES(int, mq_timedsend, false,
       (mqd_t queue, const char *message, size_t size, unsigned priority, TIME *until),
       queue, message, size, priority, until)
QUEUES(ssize_t, mq_receive, false,
       (mqd_t queue, char *message, size_t size, unsigned *priority),
       queue, message, size, priority)
QUEUES(ssize_t, mq_timedreceive, false,
       (mqd_t queue, char *restrict message, size_t size, unsigned *restrict priority,
	TIME *restrict until), queue, message, size, priority, until)

CHILDREN(pid_t, wait, false, (int *status), status)
CHILDREN(pid_t, waitpid, flags & WNOHANG, (pid_t pid, int *status, int flags), pid, status, flags)
CHILDREN(pid_t, wait3, flags & WNOHANG, (int *status, int flags, struct rusage *usage),
	 status, flags, usage)
CHILDREN(pid_t, wait4, flags & WNOHANG,
	 (pid_t pid, int *status, int flags, struct rusage *usage), pid, status, flags, usage)
CHILDREN(int, waitid, flags & WNOHANG,
	 (idtype_t kind, id_t id, siginfo_t *information, int flags), kind, id, information, flags)
CHILDREN(int, system, !command, (const char *command), command)
CHILDREN(int, pclose, false, (FILE *stream), stream)

SIGNALS(kill, (pid_t pid, int number), pid, number)
SIGNALS(killpg, (pid_t group, int number), group, number)
SIGNALS(tgkill, (pid_t pid, pid_t tid, int number), pid, tid, number)
SIGNALS(sigqueue, (pid_t pid, int number, const union sigval value), pid, number, value)
SIGNALS(pthread_kill, (pthread_t thread, int number), thread, number)
SIGNALS(pthread_sigqueue, (pthread_t thread, int number, const union sigval value),
	thread, number, value)
/* clang-format on */

/* ---- system calls by number: only futexes, which wait or wake ---- */

RUNTIME_EXPORT long syscall(long number, ...)
{
	long a[6];
	va_list list;

	va_start(list, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(list, long);
	va_end(list);
	if (number != SYS_futex || !wait_futex_waits((unsigned long)a[1])) {
		if (number == SYS_futex)
			pay_before_wake();
		return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	}
	bool is_lock = wait_futex_is_lock((unsigned int)a[1], (unsigned int)a[2]);
	WAIT(waiting, is_lock ? WAIT_FOR_LOCK : WAIT_FOR_THREAD)
	long code = REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
	waiting.was_woken = !code;
	return code;
}
