/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * calls_processes - of the program calls: signals, children, what is shared between processes, and
 * threads of a library that is loaded later.
 */
#include "calls.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>

extern char **environ;

/* ---- signals ---- */

static volatile sig_atomic_t seen, seen_value;

static void on_signal(int number)
{
	seen = number;
}

static void on_value(int number, siginfo_t *information, void *context)
{
	(void)context;
	seen = number;
	seen_value = information->si_value.sival_int;
}

static int was_seen(int number)
{
	int is_right = seen == number;
	seen = 0;
	return is_right;
}

static pthread_t receiver;
static pid_t receiver_id;

static int send_kill(void *unused)
{
	(void)unused;
	return kill(getpid(), SIGUSR1);
}

static int send_to_thread(void *unused)
{
	(void)unused;
	return tgkill(getpid(), receiver_id, SIGUSR1);
}

static void call_handlers(void)
{
	struct sigaction action = {.sa_handler = on_signal}, old;
	union sigval value = {.sival_int = 42};

	say("sigaction", !sigaction(SIGUSR1, &action, NULL) && !sigaction(SIGUSR1, NULL, &old) &&
				 old.sa_handler == on_signal);
	say("signal", signal(SIGUSR2, on_signal) == SIG_DFL);
	say("kill", !kill(getpid(), SIGUSR1) && was_seen(SIGUSR1));
	say("tgkill", !send_to_thread(NULL) && was_seen(SIGUSR1));
	say("pthread_kill", !pthread_kill(pthread_self(), SIGUSR2) && was_seen(SIGUSR2));
	setpgid(0, 0);
	say("killpg", !killpg(getpgrp(), SIGUSR1) && was_seen(SIGUSR1));
	action = (struct sigaction){.sa_sigaction = on_value, .sa_flags = SA_SIGINFO};
	sigaction(SIGRTMIN + 1, &action, NULL);
	say("sigqueue",
	    !sigqueue(getpid(), SIGRTMIN + 1, value) && was_seen(SIGRTMIN + 1) && seen_value == 42);
	say("pthread_sigqueue",
	    !pthread_sigqueue(pthread_self(), SIGRTMIN + 1, value) && was_seen(SIGRTMIN + 1));
}

/* A call that a signal of the program's ends, and no other. */
#define ENDED(name, call)                                                                    \
	do {                                                                                 \
		later(send_to_thread, NULL);                                                 \
		errno = 0;                                                                   \
		int answer = call;                                                           \
		say(#name,                                                                   \
		    answer == -1 && errno == EINTR && later_is_done() && was_seen(SIGUSR1)); \
	} while (0)

static void call_interrupted(void)
{
	struct timespec minute = {.tv_sec = 60}, left = {0};
	struct pollfd none = {.fd = -1};
	sigset_t nothing;
	sem_t never;

	sigemptyset(&nothing);
	sem_init(&never, 0, 0);
	ENDED(pause, pause());
	ENDED(sigsuspend, sigsuspend(&nothing));
	ENDED(nanosleep ended, nanosleep(&minute, &left));
	say("nanosleep tells what is left", left.tv_sec == 59);
	ENDED(poll ended, poll(&none, 1, 60000));
	ENDED(ppoll ended, ppoll(&none, 1, &minute, &nothing));
	ENDED(sem_wait ended, sem_wait(&never));
	later(send_to_thread, NULL);
	say("sleep ended", sleep(60) >= 59 && later_is_done() && was_seen(SIGUSR1));
}

static void call_blocked(void)
{
	struct timespec moment = {.tv_nsec = 2000000}, minute = {.tv_sec = 60};
	siginfo_t information;
	sigset_t set, all, old;
	int number = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigfillset(&all);
	say("sigprocmask", !sigprocmask(SIG_SETMASK, &all, &old) && !sigismember(&old, SIGUSR1));
	later(send_kill, NULL);
	say("sigwait", !sigwait(&all, &number) && number == SIGUSR1 && later_is_done());
	later(send_kill, NULL);
	say("sigwaitinfo", sigwaitinfo(&set, &information) == SIGUSR1 && later_is_done() &&
				   information.si_pid == getpid());
	later(send_kill, NULL);
	say("sigtimedwait",
	    sigtimedwait(&all, &information, &minute) == SIGUSR1 && later_is_done());
	say("sigtimedwait in time",
	    sigtimedwait(&set, &information, &moment) == -1 && errno == EAGAIN);
	struct signalfd_siginfo told;
	int fd = signalfd(-1, &all, SFD_CLOEXEC);
	later(send_kill, NULL);
	say("signalfd", read(fd, &told, sizeof(told)) == sizeof(told) &&
				told.ssi_signo == SIGUSR1 && later_is_done());
	close(fd);
	say("pthread_sigmask", !pthread_sigmask(SIG_SETMASK, &old, NULL) && !seen);
}

void call_signals(void)
{
	receiver = pthread_self();
	receiver_id = (pid_t)syscall(SYS_gettid);
	call_handlers();
	call_interrupted();
	call_blocked();
}

/* ---- children ---- */

static const char *own;
static char word_exit[] = "exit", word_code[] = "7", word_variable[] = "CALLS=yes";
static char *const words[] = {word_exit, word_exit, word_code, NULL};
static char *const variables[] = {word_variable, NULL};

enum way {
	EXECL,
	EXECLE,
	EXECLP,
	EXECV,
	EXECVE,
	EXECVP,
	EXECVPE,
	FEXECVE,
	EXIT,
	C99_EXIT,
	QUICK,
	IN_THREAD,
	WAYS
};

static void *end_all(void *unused)
{
	(void)unused;
	usleep(1000);
	exit(7);
}

static void go(enum way way)
{
	pthread_t thread;

	switch (way) {
	case EXECL:
		execl(own, own, "exit", "7", (char *)NULL);
		break;
	case EXECLE:
		execle(own, own, "exit", "7", (char *)NULL, variables);
		break;
	case EXECLP:
		execlp(own, own, "exit", "7", (char *)NULL);
		break;
	case EXECV:
		execv(own, words);
		break;
	case EXECVE:
		execve(own, words, variables);
		break;
	case EXECVP:
		execvp(own, words);
		break;
	case EXECVPE:
		execvpe(own, words, variables);
		break;
	case FEXECVE:
		fexecve(open(own, O_RDONLY), words, variables);
		break;
	case EXIT:
		_exit(7);
	case C99_EXIT:
		_Exit(7);
	case QUICK:
		quick_exit(7);
	case IN_THREAD:
		if (!pthread_create(&thread, NULL, end_all, NULL))
			pause();
		break;
	case WAYS:
		break;
	}
	_exit(99);
}

static pid_t child(enum way way)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		usleep(1000);
		go(way);
	}
	return pid;
}

static void call_endings(void)
{
	static const char *const names[WAYS] = {
		"execl",  "execle", "execlp",     "execv",
		"execve", "execvp", "execvpe",    "fexecve",
		"_exit",  "_Exit",  "quick_exit", "exit of a thread that is not the first"};

	setenv("CALLS", "yes", 1);
	for (int way = 0; way < WAYS; way++) {
		int status = 0;
		pid_t pid = child((enum way)way);
		say(names[way], waitpid(pid, &status, 0) == pid && WIFEXITED(status) &&
					WEXITSTATUS(status) == 7);
	}
}

static void call_waiting(void)
{
	struct rusage usage;
	siginfo_t information = {0};
	char sh[] = "sh", option[] = "-c",
	     line[] = "exit 7", *const shell[] = {sh, option, line, NULL};
	int status = 0;
	pid_t pid = child(EXIT);

	say("wait", wait(&status) == pid && WEXITSTATUS(status) == 7);
	pid = child(EXIT);
	say("waitpid", waitpid(pid, &status, 0) == pid && waitpid(pid, &status, WNOHANG) == -1 &&
			       errno == ECHILD);
	pid = child(EXIT);
	say("wait3", wait3(&status, 0, &usage) == pid);
	pid = child(EXIT);
	say("wait4", wait4(pid, &status, 0, &usage) == pid);
	pid = child(EXIT);
	say("waitid",
	    !waitid(P_PID, (id_t)pid, &information, WEXITED) && information.si_status == 7);
	say("system", WEXITSTATUS(system("exit 7")) == 7 && system(NULL));
	FILE *pipe = popen("echo a; exit 7", "r");
	say("pclose", pipe && fgetc(pipe) == 'a' && WEXITSTATUS(pclose(pipe)) == 7);
	say("posix_spawn", !posix_spawn(&pid, own, NULL, NULL, words, variables) &&
				   waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
	say("posix_spawnp", !posix_spawnp(&pid, "sh", NULL, NULL, shell, environ) &&
				    waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
	pid = vfork();
	if (!pid) {
		execv(own, words);
		_exit(99);
	}
	say("vfork", waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
}

/* ---- shared between processes ---- */

struct shared {
	pthread_mutex_t mutex;
	pthread_cond_t condition;
	pthread_barrier_t barrier;
	pthread_rwlock_t rwlock;
	sem_t semaphore;
	int sum, other_sum, is_there;
	uint32_t word;
};

static void make_shared(struct shared *shared)
{
	pthread_mutexattr_t mutex;
	pthread_condattr_t condition;
	pthread_barrierattr_t barrier;
	pthread_rwlockattr_t rwlock;

	pthread_mutexattr_init(&mutex);
	pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
	pthread_mutex_init(&shared->mutex, &mutex);
	pthread_condattr_init(&condition);
	pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
	pthread_cond_init(&shared->condition, &condition);
	pthread_barrierattr_init(&barrier);
	pthread_barrierattr_setpshared(&barrier, PTHREAD_PROCESS_SHARED);
	pthread_barrier_init(&shared->barrier, &barrier, 2);
	pthread_rwlockattr_init(&rwlock);
	pthread_rwlockattr_setpshared(&rwlock, PTHREAD_PROCESS_SHARED);
	pthread_rwlock_init(&shared->rwlock, &rwlock);
	sem_init(&shared->semaphore, 1, 0);
}

static void share(struct shared *shared, bool is_child)
{
	for (int i = 0; i < 200; i++) {
		pthread_mutex_lock(&shared->mutex);
		shared->sum++;
		for (volatile int spin = 0; spin < 2000; spin++)
			;
		pthread_mutex_unlock(&shared->mutex);
		pthread_rwlock_wrlock(&shared->rwlock);
		shared->other_sum++;
		pthread_rwlock_unlock(&shared->rwlock);
		pthread_barrier_wait(&shared->barrier);
	}
	pthread_mutex_lock(&shared->mutex);
	if (is_child) {
		shared->is_there = 1;
		pthread_cond_signal(&shared->condition);
	}
	while (!shared->is_there)
		pthread_cond_wait(&shared->condition, &shared->mutex);
	pthread_mutex_unlock(&shared->mutex);
	if (is_child) {
		sem_post(&shared->semaphore);
		shared->word = 1;
		syscall(SYS_futex, &shared->word, FUTEX_WAKE, 1, NULL, NULL, 0);
		return;
	}
	sem_wait(&shared->semaphore);
	while (!*(volatile uint32_t *)&shared->word)
		syscall(SYS_futex, &shared->word, FUTEX_WAIT, 0, NULL, NULL, 0);
}

static void call_shared(void)
{
	struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status;

	make_shared(shared);
	fflush(stdout);
	pid_t pid = fork();
	share(shared, !pid);
	if (!pid)
		_exit(0);
	waitpid(pid, &status, 0);
	say("syscall", shared->word == 1);
	say("fork, and objects that are shared with the child",
	    !status && shared->sum == 400 && shared->other_sum == 400);
}

static void call_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);
	int (*sum)(int);

	if (!library)
		abort();
	*(void **)&sum = dlsym(library, "library_sum");
	say("dlopen of a library with threads", sum && sum(8) == 8 * 1000);
	say("dlclose", !dlclose(library));
}

void call_processes(const char *own_path, const char *library)
{
	own = own_path;
	call_endings();
	call_waiting();
	call_shared();
	call_library(library);
}
