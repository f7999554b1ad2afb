/* SPDX-License-Identifier: BSD-2-Clause */
/* ring - TCP connections from host to host; -1: there is none. */
#pragma once

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

static inline struct sockaddr_in address_of(const char *text, const char *port)
{
	struct sockaddr_in address = {.sin_family = AF_INET};

	inet_pton(AF_INET, text, &address.sin_addr);
	address.sin_port = htons((unsigned short)atoi(port));
	return address;
}

static inline int listen_at(const struct sockaddr_in *address)
{
	int one = 1, listener = socket(AF_INET, SOCK_STREAM, 0);

	setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (bind(listener, (const struct sockaddr *)address, sizeof(*address)) ||
	    listen(listener, 1))
		return -1;
	return listener;
}

static inline int connect_to(const struct sockaddr_in *address)
{
	int one = 1;

	for (int tries = 0; tries < 2000; tries++) {
		int socket_id = socket(AF_INET, SOCK_STREAM, 0);
		if (!connect(socket_id, (const struct sockaddr *)address, sizeof(*address))) {
			setsockopt(socket_id, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
			return socket_id;
		}
		close(socket_id);
		usleep(5000);
	}
	return -1;
}
