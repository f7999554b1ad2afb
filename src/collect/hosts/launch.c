/* SPDX-License-Identifier: BSD-2-Clause */
/* launch - starts a command on another host. */
#include "collect/hosts/launch.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define WORDS_MOST 64

/* A word of the template, with the host in place of %h. */
static char *with_host(const char *word, const char *host)
{
	const char *place = strstr(word, "%h");

	return place ? text_format("%.*s%s%s", (int)(place - word), word, host, place + 2) :
		       text_copy(word);
}

static void run_child(int input, char **words)
{
	sigset_t none;

	setpgid(0, 0); /* Ctrl-C is the coordinator's: it ends the agents */
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	dup2(input, STDIN_FILENO);
	execvp(words[0], words);
	_exit(127);
}

int launch_start(char *const *launch, const char *host, const char *executable,
		 struct launched *launched, struct error *error)
{
	char *words[WORDS_MOST];
	int count = 0, ends[2];

	for (char *const *word = launch; *word && count + 3 < WORDS_MOST; word++)
		words[count++] = with_host(*word, host);
	if (!count)
		return error_set(error, -EINVAL, "the command of --launch is empty");
	words[count++] = text_copy(executable);
	words[count++] = text_copy("agent");
	words[count] = NULL;
	int code = pipe2(ends, O_CLOEXEC) ? -errno : 0;
	launched->pid = code ? -1 : fork();
	if (!launched->pid)
		run_child(ends[0], words);
	if (launched->pid < 0)
		code = error_set(error, errno, "cannot start '%s': %s", words[0], strerror(errno));
	else
		close(ends[0]);
	launched->input = launched->pid > 0 ? ends[1] : -1;
	for (int i = 0; i < count; i++)
		free(words[i]);
	return code;
}

int launch_write(const struct launched *launched, const char *text, struct error *error)
{
	const struct timespec at_once = {0};
	sigset_t broken, before;

	sigemptyset(&broken);
	sigaddset(&broken, SIGPIPE);
	pthread_sigmask(SIG_BLOCK, &broken, &before);
	ssize_t written = write(launched->input, text, strlen(text));
	int code = written < 0 ? -errno : 0;
	if (code == -EPIPE)
		sigtimedwait(&broken, NULL, &at_once);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (code == -EPIPE)
		return 0;
	if (!code && (size_t)written < strlen(text))
		code = -EIO;
	return code ? error_set(error, code, "cannot write to the command of --launch: %s",
				strerror(-code)) :
		      0;
}

const char *launch_remedy(int status)
{
	return status == 127 ?
		       ": no such program; install lever at the same path there, or correct "
		       "--launch" :
		       "; without a message of its own, the command of --launch does not start "
		       "\"lever agent\"";
}
