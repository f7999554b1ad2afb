/* SPDX-License-Identifier: BSD-2-Clause */
/* addresses - of hosts. */
#include "collect/hosts/addresses.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int refuse_name(const char *name, const char *why, struct error *error)
{
	return error_set(error, -EINVAL, "no address of host '%s': %s; give HOST=ADDRESS", name,
			 why);
}

int address_of(const char *host, char *name, size_t room, uint32_t *address, struct error *error)
{
	const struct addrinfo wanted = {.ai_family = AF_INET, .ai_socktype = SOCK_STREAM};
	const char *given = strchr(host, '=');
	size_t length = given ? (size_t)(given - host) : strlen(host);
	struct addrinfo *found;

	if (!length || length >= room || memchr(host, ' ', length) || *host == '-')
		return error_set(error, -EINVAL, "'%s' is no name of a host", host);
	snprintf(name, room, "%.*s", (int)length, host);
	int code = getaddrinfo(given ? given + 1 : name, NULL, &wanted, &found);
	if (code)
		return refuse_name(name, gai_strerror(code), error);
	*address = ((const struct sockaddr_in *)(const void *)found->ai_addr)->sin_addr.s_addr;
	freeaddrinfo(found);
	return 0;
}

/* The route's, which an unsent datagram already has. */
int address_towards(uint32_t other, uint32_t *own, struct error *error)
{
	AUTO(fd) int any = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct sockaddr_in address = {.sin_family = AF_INET,
				      .sin_port = htons(9),
				      .sin_addr.s_addr = other};
	socklen_t size = sizeof(address);

	if (any < 0 || connect(any, (struct sockaddr *)&address, sizeof(address)) ||
	    getsockname(any, (struct sockaddr *)&address, &size))
		return error_set(error, errno, "no way to the other host: %s", strerror(errno));
	*own = address.sin_addr.s_addr;
	return 0;
}

char *address_text(uint32_t address)
{
	char text[INET_ADDRSTRLEN] = "";

	inet_ntop(AF_INET, &address, text, sizeof(text));
	return text_copy(text);
}
