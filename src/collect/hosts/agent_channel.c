/* SPDX-License-Identifier: BSD-2-Clause */
/* agent_channel - what every agent does with its input and its link. */
#include "collect/hosts/agent_channel.h"

#include "collect/hosts/messages.h"

#include <poll.h>
#include <time.h>
#include <unistd.h>

bool agent_input_has_ended(int input)
{
	struct pollfd end = {.fd = input, .events = POLLIN};
	char byte;

	return poll(&end, 1, 0) > 0 && read(input, &byte, 1) == 0;
}

void agent_say_hello(struct link *link)
{
	struct hosts_hello hello;
	struct timespec wall;

	clock_gettime(CLOCK_REALTIME, &wall);
	hello.wall_ns = (uint64_t)wall.tv_sec * 1000000000u + (uint64_t)wall.tv_nsec;
	link_send(link, 0,
		  &(struct link_content){.kind = HOSTS_HELLO,
					 .data = &hello,
					 .size = sizeof(hello)});
}
