/* SPDX-License-Identifier: BSD-2-Clause */
/* endpoint - parses and binds. */
#include "serve/endpoint.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#define WAITING_MOST 16
#define PATH_MODE 0660

#define FORMS "a port, 127.0.0.1:PORT, [::1]:PORT or unix:PATH"

static int parse_path(const char *path, struct endpoint *address, struct error *error)
{
	struct sockaddr_un found;

	if (!*path || strlen(path) >= sizeof(found.sun_path))
		return error_set(error, -EINVAL,
				 "'%s' is no path of a socket: it has 1 to %zu bytes", path,
				 sizeof(found.sun_path) - 1);
	*address = (struct endpoint){.is_path = true, .host = text_copy(path)};
	return 0;
}

static bool is_loopback(const char *host)
{
	struct in_addr four;

	return !strcmp(host, "::1") ||
	       (inet_pton(AF_INET, host, &four) == 1 && ntohl(four.s_addr) >> 24 == 127);
}

int endpoint_parse(const char *text, struct endpoint *address, struct error *error)
{
	const char *colon = strrchr(text, ':');
	const char *number = colon ? colon + 1 : text;
	uint64_t port;

	if (text_starts_with(text, "unix:"))
		return parse_path(text + strlen("unix:"), address, error);
	if (strchr(text, '/'))
		return parse_path(text, address, error);
	if (!text_to_unsigned(number, &port) || port > UINT16_MAX)
		return error_set(error, -EINVAL, "'%s' is not of the form " FORMS, text);
	AUTO(text)
	char *host =
		colon ? text_format("%.*s", (int)(colon - text), text) : text_copy("127.0.0.1");
	if (!strcmp(host, "localhost") || !*host) {
		free(host);
		host = text_copy("127.0.0.1");
	}
	size_t length = strlen(host);
	if (host[0] == '[' && host[length - 1] == ']') {
		memmove(host, host + 1, length - 2);
		host[length - 2] = '\0';
	}
	if (!is_loopback(host))
		return error_set(
			error, -EINVAL,
			"refusing to listen on '%s', which other machines may reach; use " FORMS
			", and ssh -L from elsewhere",
			host);
	*address = (struct endpoint){.host = take(&host), .port = (unsigned)port};
	return 0;
}

void endpoint_release(struct endpoint *address)
{
	free(address->host);
	*address = (struct endpoint){0};
}

static const char *remedy(const struct endpoint *address, int number)
{
	struct stat found;

	if (number == EADDRINUSE && address->is_path && !stat(address->host, &found) &&
	    !S_ISSOCK(found.st_mode))
		return "a file that is no socket stands there; choose another path";
	switch (number) {
	case EADDRINUSE:
		return address->is_path ?
			       "another server listens there; end it, or choose another path" :
			       "another program listens there; choose another port, or 0";
	case ENOENT:
		return "its folder does not exist; make it, or choose another path";
	case EACCES:
		return address->is_path ? "its folder does not let you write; choose another path" :
					  "ports below 1024 are for root; choose another, or 0";
	default:
		return strerror(number);
	}
}

static int fail(const struct endpoint *address, int number, struct error *error)
{
	AUTO(text) char *text = endpoint_text(address);

	return error_set(error, -number, "cannot listen on %s: %s", text, remedy(address, number));
}

/* A socket that a server which is gone has left. */
static void remove_old(const struct sockaddr_un *name)
{
	struct stat found;
	AUTO(fd) int probe = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (!lstat(name->sun_path, &found) && S_ISSOCK(found.st_mode) &&
	    connect(probe, (const struct sockaddr *)name, sizeof(*name)) && errno == ECONNREFUSED)
		unlink(name->sun_path);
}

static int listen_at_path(const struct endpoint *address, int *descriptor, struct error *error)
{
	struct sockaddr_un name = {.sun_family = AF_UNIX};
	AUTO(fd) int opened = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	memcpy(name.sun_path, address->host, strlen(address->host));
	remove_old(&name);
	mode_t mask = umask((mode_t)~PATH_MODE & 0777);
	int code = opened < 0 || bind(opened, (struct sockaddr *)&name, sizeof(name)) ||
				   listen(opened, WAITING_MOST) ?
			   errno :
			   0;
	umask(mask);
	if (code)
		return fail(address, code, error);
	*descriptor = opened;
	opened = -1;
	return 0;
}

/* The name as the system calls take it; its size. */
static socklen_t fill_name(const struct endpoint *address, struct sockaddr_storage *name)
{
	struct sockaddr_in *four = (struct sockaddr_in *)name;
	struct sockaddr_in6 *six = (struct sockaddr_in6 *)name;

	if (inet_pton(AF_INET, address->host, &four->sin_addr) == 1) {
		four->sin_family = AF_INET;
		four->sin_port = htons((uint16_t)address->port);
		return sizeof(*four);
	}
	inet_pton(AF_INET6, address->host, &six->sin6_addr);
	six->sin6_family = AF_INET6;
	six->sin6_port = htons((uint16_t)address->port);
	return sizeof(*six);
}

int endpoint_listen(struct endpoint *address, int *descriptor, struct error *error)
{
	struct sockaddr_storage name = {0};

	if (address->is_path)
		return listen_at_path(address, descriptor, error);
	socklen_t size = fill_name(address, &name);
	AUTO(fd) int opened = socket(name.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int on = 1;
	if (opened < 0 || setsockopt(opened, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) ||
	    bind(opened, (struct sockaddr *)&name, size) || listen(opened, WAITING_MOST) ||
	    getsockname(opened, (struct sockaddr *)&name, &size))
		return fail(address, errno, error);
	/* The port is at the same place in both. */
	address->port = ntohs(((struct sockaddr_in *)&name)->sin_port);
	*descriptor = opened;
	opened = -1;
	return 0;
}

char *endpoint_text(const struct endpoint *address)
{
	bool is_six = !address->is_path && strchr(address->host, ':');

	if (address->is_path)
		return text_format("unix:%s", address->host);
	return text_format("http://%s%s%s:%u", is_six ? "[" : "", address->host, is_six ? "]" : "",
			   address->port);
}
