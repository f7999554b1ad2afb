/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * prefork - three processes accept connections on one socket; each renders one answer and closes.
 * Three clients ask again and again, and read what they get. All queue for two cores.
 *
 * period = measured
 */
#include "work.h"

#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#define SERVERS 3
#define CLIENTS 3

static struct sockaddr_un address = {.sun_family = AF_UNIX};
static socklen_t address_size;

WORK_FUNCTION void render(uint64_t loops)
{
	WORK(loops); /* target A */
}

WORK_FUNCTION void check(uint64_t loops)
{
	WORK(loops); /* target B */
}

static void run_server(int listener)
{
	uint64_t loops = work_loops(500, 'A');
	char word[64];

	for (;;) {
		int client = accept(listener, NULL, NULL);
		if (client < 0)
			_exit(1);
		if (read(client, word, sizeof(word)) > 0) {
			render(loops);
			if (write(client, word, sizeof(word)) < 0)
				_exit(1);
			LEVER_PROGRESS_NAMED("answer");
		}
		close(client);
	}
}

static void *run_client(void *unused)
{
	uint64_t loops = work_loops(200, 'B'), answers = 0;
	char word[64] = {0};

	while (work_goes_on()) {
		int server = socket(AF_UNIX, SOCK_STREAM, 0);
		if (connect(server, (void *)&address, address_size) ||
		    write(server, word, sizeof(word)) < 0)
			exit(1);
		answers += read(server, word, sizeof(word)) > 0;
		close(server);
		check(loops);
	}
	__atomic_fetch_add(&work.visits, answers, __ATOMIC_RELAXED);
	return unused;
}

int main(int count, char **arguments)
{
	int listener = socket(AF_UNIX, SOCK_STREAM, 0);
	pid_t servers[SERVERS];
	pthread_t clients[CLIENTS];

	work_begin(count, arguments);
	int length = snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "prefork.%d",
			      getpid()); /* no file: the name begins with a zero */
	address_size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
	if (bind(listener, (void *)&address, address_size) || listen(listener, 16))
		return 1;
	for (int i = 0; i < SERVERS; i++) {
		servers[i] = fork();
		if (!servers[i])
			run_server(listener);
	}
	for (int i = 0; i < CLIENTS; i++)
		pthread_create(&clients[i], NULL, run_client, NULL);
	for (int i = 0; i < CLIENTS; i++)
		pthread_join(clients[i], NULL);
	for (int i = 0; i < SERVERS; i++) {
		kill(servers[i], SIGTERM);
		waitpid(servers[i], NULL, 0);
	}
	work_end();
	return 0;
}
