/* SPDX-License-Identifier: BSD-2-Clause */
/* addresses - of hosts. */
#include "collect/hosts/addresses.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define ANY_PORT 9 /* nothing is sent to it */

static struct hosts_address kept(const struct sockaddr *given)
{
	struct hosts_address address = {.words = {0, 0, htonl(0xffff), 0}};

	if (given->sa_family == AF_INET)
		address.words[3] =
			((const struct sockaddr_in *)(const void *)given)->sin_addr.s_addr;
	else
		memcpy(&address, &((const struct sockaddr_in6 *)(const void *)given)->sin6_addr,
		       sizeof(address));
	return address;
}

static bool is_mapped(const struct hosts_address *address)
{
	return !address->words[0] && !address->words[1] && address->words[2] == htonl(0xffff);
}

static int refuse_name(const char *name, const char *why, struct error *error)
{
	return error_set(error, -EINVAL, "no address of host '%s': %s; give HOST=ADDRESS", name,
			 why);
}

int addresses_add(struct addresses *addresses, const char *host, char *name, size_t room,
		  struct error *error)
{
	const struct addrinfo wanted = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
	const char *given = strchr(host, '=');
	size_t length = given ? (size_t)(given - host) : strlen(host);
	unsigned first = addresses->first[addresses->hosts], next = first;
	struct addrinfo *all;

	if (!length || length >= room || memchr(host, ' ', length) || *host == '-')
		return error_set(error, -EINVAL, "'%s' is no name of a host", host);
	snprintf(name, room, "%.*s", (int)length, host);
	int code = getaddrinfo(given ? given + 1 : name, NULL, &wanted, &all);
	if (code)
		return refuse_name(name, gai_strerror(code), error);
	for (const struct addrinfo *one = all; one; one = one->ai_next)
		if ((one->ai_family == AF_INET || one->ai_family == AF_INET6) &&
		    next - first < ADDRESSES_OF_HOST_MOST)
			addresses->others[next++] = kept(one->ai_addr);
	freeaddrinfo(all);
	addresses->first[++addresses->hosts] = next;
	return 0;
}

/* The route's, which an unsent datagram already has. */
static bool address_towards(const struct hosts_address *other, struct hosts_address *own)
{
	struct sockaddr_in four = {.sin_family = AF_INET,
				   .sin_port = htons(ANY_PORT),
				   .sin_addr.s_addr = other->words[3]};
	struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(ANY_PORT)};
	bool is_four = is_mapped(other);
	const void *to = is_four ? (const void *)&four : &six;
	socklen_t size = is_four ? sizeof(four) : sizeof(six);
	struct sockaddr_storage from;
	socklen_t from_size = sizeof(from);

	memcpy(&six.sin6_addr, other, sizeof(*other));
	AUTO(fd) int any = socket(is_four ? AF_INET : AF_INET6, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (any < 0 || connect(any, to, size) ||
	    getsockname(any, (struct sockaddr *)&from, &from_size))
		return false;
	*own = kept((const struct sockaddr *)&from);
	return true;
}

int addresses_find_own(struct addresses *addresses, struct error *error)
{
	unsigned count = addresses->first[addresses->hosts];

	for (unsigned i = 0; i < count && addresses->own_count < ADDRESSES_OWN_MOST; i++) {
		struct hosts_address *own = &addresses->own[addresses->own_count];
		bool is_new = address_towards(&addresses->others[i], own);
		for (unsigned k = 0; k < addresses->own_count; k++)
			is_new &= memcmp(&addresses->own[k], own, sizeof(*own)) != 0;
		addresses->own_count += is_new;
	}
	return addresses->own_count ?
		       0 :
		       error_set(error, errno, "no way to the other hosts: %s", strerror(errno));
}

size_t addresses_for(const struct addresses *addresses, unsigned index, struct hosts_address *found)
{
	size_t count = addresses->own_count;

	memcpy(found, addresses->own, count * sizeof(*found));
	for (unsigned i = 0; i < addresses->first[addresses->hosts]; i++)
		if (i < addresses->first[index] || i >= addresses->first[index + 1])
			found[count++] = addresses->others[i];
	return count;
}

char *address_text(const struct hosts_address *address)
{
	char text[INET6_ADDRSTRLEN] = "";

	if (is_mapped(address))
		inet_ntop(AF_INET, &address->words[3], text, sizeof(text));
	else
		inet_ntop(AF_INET6, address, text, sizeof(text));
	return text_copy(text);
}
