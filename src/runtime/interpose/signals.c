/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * signals - interposed: the program can neither block, take nor handle the signal of this library.
 *
 * That is SIGSTKFLT, which the kernel never sends. It coalesces: at most one is pending. (A
 * real-time signal would be queued at each tick, and with a full queue the kernel sends SIGIO,
 * which ends a program.)
 */
#include "runtime/interpose/signals.h"

#include "runtime/interpose/real.h"
#include "runtime/sample.h"

#include <errno.h>

static bool is_ours(int number)
{
	return number == RUNTIME_SIGNAL && runtime_page;
}

/* The set without our signal; in `room` if it had to be changed. */
static const sigset_t *without_ours(const sigset_t *set, sigset_t *room)
{
	if (!set || !runtime_page || sigismember(set, RUNTIME_SIGNAL) != 1)
		return set;
	*room = *set;
	sigdelset(room, RUNTIME_SIGNAL);
	return room;
}

void signals_open(void)
{
	struct sigaction action;

	__builtin_memset(&action, 0, sizeof(action));
	action.sa_sigaction = (void (*)(int, siginfo_t *, void *))sample_on_signal;
	action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
	sigfillset(&action.sa_mask);
	REAL(sigaction)(RUNTIME_SIGNAL, &action, NULL);
}

void signals_let_through(void)
{
	sigset_t ours;

	sigemptyset(&ours);
	sigaddset(&ours, RUNTIME_SIGNAL);
	REAL(pthread_sigmask)(SIG_UNBLOCK, &ours, NULL);
}

RUNTIME_EXPORT int sigaction(int number, const struct sigaction *restrict action,
			     struct sigaction *restrict old)
{
	if (!is_ours(number))
		return REAL(sigaction)(number, action, old);
	if (old) {
		__builtin_memset(old, 0, sizeof(*old));
		old->sa_handler = SIG_DFL;
	}
	return 0;
}

RUNTIME_EXPORT sighandler_t signal(int number, sighandler_t handler)
{
	return is_ours(number) ? SIG_DFL : REAL(signal)(number, handler);
}

RUNTIME_EXPORT int sigprocmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	sigset_t room;
	return REAL(sigprocmask)(how, how == SIG_UNBLOCK ? set : without_ours(set, &room), old);
}

RUNTIME_EXPORT int pthread_sigmask(int how, const sigset_t *restrict set, sigset_t *restrict old)
{
	sigset_t room;
	return REAL(pthread_sigmask)(how, how == SIG_UNBLOCK ? set : without_ours(set, &room), old);
}

RUNTIME_EXPORT int sigwait(const sigset_t *restrict set, int *restrict number)
{
	sigset_t room;
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(sigwait)(without_ours(set, &room), number);
}

RUNTIME_EXPORT int sigwaitinfo(const sigset_t *restrict set, siginfo_t *restrict information)
{
	sigset_t room;
	WAIT(wait, WAIT_FOR_FILE)
	return REAL(sigwaitinfo)(without_ours(set, &room), information);
}

RUNTIME_EXPORT int sigtimedwait(const sigset_t *restrict set, siginfo_t *restrict information,
				const struct timespec *restrict timeout)
{
	sigset_t room;
	WAIT(wait, WAIT_FOR_FILE)
	return RESTART_AFTER_TICK(
		REAL(sigtimedwait)(without_ours(set, &room), information, timeout));
}

RUNTIME_EXPORT int signalfd(int fd, const sigset_t *set, int flags)
{
	sigset_t room;
	return REAL(signalfd)(fd, without_ours(set, &room), flags);
}
