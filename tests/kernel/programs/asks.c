// SPDX-License-Identifier: BSD-2-Clause
/*
 * asks - a client of servers: asks all of them at once, again and again, and waits for all answers.
 *
 *     asks SECONDS END ADDRESS PORT REQUEST ...
 *
 * REQUEST and END, by which an answer ends, have \r and \n as two characters each. Prints visits a
 * second.
 */
#include "lever.h"
#include "ring.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define SERVERS_MOST 8
#define ANSWER_MOST 65536

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static void unescape(char *text)
{
	char *to = text;

	for (; *text; text++) {
		bool is_escape = *text == '\\' && (text[1] == 'r' || text[1] == 'n');
		*to++ = (char)(!is_escape ? *text : *++text == 'r' ? '\r' : '\n');
	}
	*to = 0;
}

/* Whether the whole answer came. */
static bool take_answer(int server, const char *end)
{
	char answer[ANSWER_MOST];
	size_t size = 0, end_size = strlen(end);

	while (size < sizeof(answer)) {
		ssize_t more = read(server, answer + size, sizeof(answer) - size);
		if (more <= 0)
			return false;
		size += (size_t)more;
		if (size >= end_size && !memcmp(answer + size - end_size, end, end_size))
			return true;
	}
	return false;
}

int main(int count, char **arguments)
{
	int servers[SERVERS_MOST], asked = (count - 3) / 3;
	unsigned long visits = 0;

	if (asked < 1 || asked > SERVERS_MOST || count != 3 + 3 * asked)
		return 2;
	for (int i = 2; i < count; i++)
		unescape(arguments[i]);
	for (int i = 0; i < asked; i++) {
		const struct sockaddr_in at =
			address_of(arguments[3 + 3 * i], arguments[4 + 3 * i]);
		servers[i] = connect_to(&at);
	}
	double begin = now(), seconds = atof(arguments[1]);
	while (now() - begin < seconds) {
		for (int i = 0; i < asked; i++) {
			const char *request = arguments[5 + 3 * i];
			if (write(servers[i], request, strlen(request)) != (ssize_t)strlen(request))
				return 1;
		}
		for (int i = 0; i < asked; i++)
			if (!take_answer(servers[i], arguments[2]))
				return 1;
		LEVER_PROGRESS_NAMED("request");
		visits++;
	}
	printf("%.1f requests a second\n", (double)visits / (now() - begin));
	return 0;
}
