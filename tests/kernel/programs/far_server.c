// SPDX-License-Identifier: BSD-2-Clause
/*
 * far_server - answers the requests of `hosts`, by code that the client's host does not run.
 *
 *     far_server ADDRESS PORT THOUSANDS
 *
 * THOUSANDS: steps of work for each request. It has the second core, and ends with the connection.
 */
#include "ring.h"
#include "steps.h"

#include <sched.h>

static __attribute__((noinline)) void answer(double thousands)
{
	STEPS(thousands, 4);
}

int main(int count, char **arguments)
{
	cpu_set_t set;
	char request;

	if (count != 4)
		return 2;
	CPU_ZERO(&set);
	CPU_SET(1, &set);
	sched_setaffinity(0, sizeof(set), &set); /* fails on one core, where it is as well */
	struct sockaddr_in own = address_of(arguments[1], arguments[2]);
	int connection = accept(listen_at(&own), NULL, NULL), one = 1;
	setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	while (read(connection, &request, 1) == 1) {
		answer(atof(arguments[3]));
		if (write(connection, &request, 1) != 1)
			break;
	}
	return 0;
}
