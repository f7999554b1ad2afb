/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * real - the functions behind those that we interpose.
 *
 * All are looked up at once, by the constructor or by the first call before it (from another
 * library's constructor). This library exports each of the names.
 */
#pragma once

#include "runtime/wait.h"
#include "runtime/wake.h"

#include <dirent.h>
#include <fcntl.h>
#include <mqueue.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <threads.h>
#include <unistd.h>

/* Called by programs that are built with _FORTIFY_SOURCE; in no header. */
ssize_t __read_chk(int, void *, size_t, size_t);
ssize_t __pread_chk(int, void *, size_t, off_t, size_t);
ssize_t __pread64_chk(int, void *, size_t, off64_t, size_t);
ssize_t __recv_chk(int, void *, size_t, size_t, int);
ssize_t __recvfrom_chk(int, void *restrict, size_t, size_t, int, __SOCKADDR_ARG,
		       socklen_t *restrict);
int __poll_chk(struct pollfd *, nfds_t, int, size_t);
int __ppoll_chk(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t);
size_t __fread_chk(void *restrict, size_t, size_t, size_t, FILE *restrict);
char *__fgets_chk(char *restrict, size_t, int, FILE *restrict);

/* clang-format off */
#define REAL_THREADS(X) \
	X(pthread_create) X(pthread_exit) X(pthread_join) X(pthread_timedjoin_np) \
	X(pthread_clockjoin_np) X(pthread_kill) X(pthread_sigqueue) X(pthread_sigmask) \
	X(pthread_cancel) X(thrd_create) X(thrd_exit) X(thrd_join)
#define REAL_LOCKS(X) \
	X(pthread_mutex_lock) X(pthread_mutex_trylock) X(pthread_mutex_timedlock) \
	X(pthread_mutex_clocklock) X(pthread_mutex_unlock) X(pthread_rwlock_rdlock) \
	X(pthread_rwlock_tryrdlock) X(pthread_rwlock_timedrdlock) \
	X(pthread_rwlock_clockrdlock) X(pthread_rwlock_wrlock) X(pthread_rwlock_trywrlock) \
	X(pthread_rwlock_timedwrlock) X(pthread_rwlock_clockwrlock) X(pthread_rwlock_unlock) \
	X(pthread_spin_lock) X(pthread_spin_trylock) X(pthread_spin_unlock) \
	X(pthread_cond_wait) X(pthread_cond_timedwait) X(pthread_cond_clockwait) \
	X(pthread_cond_signal) X(pthread_cond_broadcast) X(pthread_barrier_wait) X(sem_wait) \
	X(sem_trywait) X(sem_timedwait) X(sem_clockwait) X(sem_post) X(semop) X(semtimedop) \
	X(mtx_lock) X(mtx_trylock) X(mtx_timedlock) X(mtx_unlock) X(cnd_wait) \
	X(cnd_timedwait) X(cnd_signal) X(cnd_broadcast)
#define REAL_WAITS(X) \
	X(nanosleep) X(clock_nanosleep) X(pause) X(sigsuspend) X(poll) X(__poll_chk) \
	X(ppoll) X(__ppoll_chk) X(select) X(pselect) X(epoll_wait) X(epoll_pwait) \
	X(epoll_pwait2) X(read) X(__read_chk) X(readv) X(pread) X(__pread_chk) X(pread64) \
	X(__pread64_chk) X(preadv) X(preadv64) X(preadv2) X(preadv64v2) X(write) X(writev) \
	X(pwrite) X(pwrite64) X(pwritev) X(pwritev64) X(pwritev2) X(pwritev64v2) X(fsync) \
	X(fdatasync) X(syncfs) X(sync_file_range) X(sendfile) X(sendfile64) X(splice) \
	X(copy_file_range) X(accept) X(accept4) X(connect) X(recv) X(__recv_chk) X(recvfrom) \
	X(__recvfrom_chk) X(recvmsg) X(recvmmsg) X(send) X(sendto) X(sendmsg) X(sendmmsg) \
	X(close) X(shutdown) X(eventfd_read) X(eventfd_write) X(flock) X(lockf) X(lockf64) \
	X(fcntl) X(fcntl64) X(msgsnd) X(msgrcv) X(mq_send) X(mq_timedsend) X(mq_receive) \
	X(mq_timedreceive) X(wait) X(waitpid) X(wait3) X(wait4) X(waitid) X(system) \
	X(pclose)
#define REAL_STREAMS(X) \
	X(fread) X(__fread_chk) X(fgets) X(__fgets_chk) X(fgetc) X(getc) X(getline) \
	X(getdelim) X(__getdelim) X(fwrite) X(fputs) X(fflush) X(fclose)
#define REAL_SIGNALS(X) \
	X(sigaction) X(signal) X(sigprocmask) X(sigwait) X(sigwaitinfo) X(sigtimedwait) \
	X(signalfd) X(kill) X(killpg) X(sigqueue) X(tgkill)
#define REAL_PROCESSES(X) \
	X(execve) X(execvpe) X(fexecve) X(posix_spawn) X(posix_spawnp) X(_exit) X(_Exit) \
	X(quick_exit)
#define REAL_ALL(X) \
	REAL_THREADS(X) REAL_LOCKS(X) REAL_WAITS(X) REAL_STREAMS(X) REAL_SIGNALS(X) \
	REAL_PROCESSES(X)
/* clang-format on */

#define REAL_MEMBER(name) __typeof__(&name) name##_;
struct real {
	REAL_ALL(REAL_MEMBER)
	long (*syscall_)(long number, ...);
};
#undef REAL_MEMBER

extern struct real real __attribute__((visibility("hidden")));
void real_look_up(void);

/* A member with another name, since libc may define the name as a macro. */
#define REAL(name) ((__builtin_expect(!real.name##_, 0) ? real_look_up() : (void)0), real.name##_)

/* ---- rows of the tables: a function that is interposed, its parameters, its arguments ---- */

/* Waits for another thread, which has woken the caller if the result is `success`. */
#define WAITS_FOR_THREAD(name, success, parameters, ...) \
	RUNTIME_EXPORT int name parameters               \
	{                                                \
		WAIT(waiting, WAIT_FOR_THREAD)           \
		int code = REAL(name)(__VA_ARGS__);      \
		waiting.was_woken = code == (success);   \
		return code;                             \
	}

/* May wake another thread. */
#define WAKES(name, parameters, ...)            \
	RUNTIME_EXPORT int name parameters      \
	{                                       \
		pay_before_wake();              \
		return REAL(name)(__VA_ARGS__); \
	}
