/* SPDX-License-Identifier: BSD-2-Clause */
/* listeners - sockets from /proc/PID/net, and their owners from /proc/PID/fd. */
#include "collect/process/listeners.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TCP_STATE_LISTEN 10 /* as in the kernel's TCP states */
#define UDP_STATE_UNCONNECTED 7
#define UNIX_ACCEPTS 0x10000 /* flag, as in /proc/net/unix */
#define EPHEMERAL_DEFAULT 32768

CLEANUP_DEFINE(folder, DIR *, closedir, NULL)

struct socket_owner {
	unsigned long inode;
	size_t port; /* index of `ports`, or of `listeners` */
};

struct search {
	const uint16_t *ports; /* NULL: all */
	size_t port_count;
	unsigned ephemeral; /* UDP ports from here on are not asked for by their number */
	struct {
		struct listener *items; /* without `ports`: what was found */
		size_t count, capacity;
	} listeners;
	struct {
		struct socket_owner *items;
		size_t count, capacity;
	} sockets;
	struct {
		char **items; /* network namespaces whose sockets are known, as links */
		size_t count, capacity;
	} namespaces;
};

static void add_listener(struct search *search, unsigned port, const char *path,
			 unsigned long inode)
{
	*array_add(&search->sockets) = (struct socket_owner){inode, search->listeners.count};
	*array_add(&search->listeners) =
		(struct listener){.port = (uint16_t)port, .path = path ? text_copy(path) : NULL};
}

static void add_socket(struct search *search, unsigned port, unsigned long inode)
{
	if (!search->ports && inode)
		add_listener(search, port, NULL, inode);
	for (size_t i = 0; i < search->port_count; i++)
		if (search->ports[i] == port && inode)
			*array_add(&search->sockets) = (struct socket_owner){inode, i};
}

/* A row: "0: 0100007F:1538 00000000:0000 0A tx:rx timer retransmits uid timeout inode ...". */
static void read_sockets(struct search *search, pid_t pid, const char *protocol, unsigned state)
{
	AUTO(text) char *path = text_format("/proc/%d/net/%s", (int)pid, protocol);
	AUTO(file) FILE *file = fopen(path, "re");
	AUTO(text) char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		unsigned port, row_state;
		unsigned long inode;
		if (sscanf(line, " %*[^:]: %*[0-9A-Fa-f]:%x %*[^ ] %x %*s %*s %*s %*s %*s %lu",
			   &port, &row_state, &inode) == 3 &&
		    row_state == state &&
		    (state != UDP_STATE_UNCONNECTED || port < search->ephemeral))
			add_socket(search, port, inode);
	}
}

/* A row: "0000000000000000: 00000002 00000000 00010000 0001 01 INODE PATH". */
static void read_unix_sockets(struct search *search, pid_t pid)
{
	AUTO(text) char *path = text_format("/proc/%d/net/unix", (int)pid);
	AUTO(file) FILE *file = fopen(path, "re");
	AUTO(text) char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		unsigned flags;
		unsigned long inode;
		int at = 0;
		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, " %*[^:]: %*s %*s %x %*s %*s %lu %n", &flags, &inode, &at) == 2 &&
		    flags & UNIX_ACCEPTS && at && line[at])
			add_listener(search, 0, line + at, inode);
	}
}

static unsigned first_ephemeral_port(void)
{
	AUTO(file) FILE *file = fopen("/proc/sys/net/ipv4/ip_local_port_range", "re");
	unsigned first;

	return file && fscanf(file, "%u", &first) == 1 ? first : EPHEMERAL_DEFAULT;
}

/* False: it was known, or the process is gone. */
static bool add_namespace(struct search *search, pid_t pid)
{
	AUTO(text) char *path = text_format("/proc/%d/ns/net", (int)pid);
	char link[64];
	ssize_t length = readlink(path, link, sizeof(link) - 1);

	if (length <= 0)
		return false;
	link[length] = 0;
	for (size_t i = 0; i < search->namespaces.count; i++)
		if (!strcmp(search->namespaces.items[i], link))
			return false;
	*array_add(&search->namespaces) = text_copy(link);
	return true;
}

/* Marks what the process has open; returns whether there is anything. */
static bool mark_owned(const struct search *search, pid_t pid, bool *is_found)
{
	AUTO(text) char *path = text_format("/proc/%d/fd", (int)pid);
	AUTO(folder) DIR *folder = opendir(path);
	bool owns = false;

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		char link[64] = "";
		unsigned long inode;
		if (readlinkat(dirfd(folder), entry->d_name, link, sizeof(link) - 1) <= 0 ||
		    sscanf(link, "socket:[%lu]", &inode) != 1)
			continue;
		for (size_t i = 0; i < search->sockets.count; i++) {
			if (search->sockets.items[i].inode != inode)
				continue;
			is_found[search->sockets.items[i].port] = true;
			owns = true;
		}
	}
	return owns;
}

static void read_namespace(struct search *search, pid_t pid)
{
	if (!add_namespace(search, pid))
		return;
	read_sockets(search, pid, "tcp", TCP_STATE_LISTEN);
	read_sockets(search, pid, "tcp6", TCP_STATE_LISTEN);
	read_sockets(search, pid, "udp", UDP_STATE_UNCONNECTED);
	read_sockets(search, pid, "udp6", UDP_STATE_UNCONNECTED);
	if (!search->ports)
		read_unix_sockets(search, pid);
}

static void release(struct search *search)
{
	for (size_t i = 0; i < search->namespaces.count; i++)
		free(search->namespaces.items[i]);
	for (size_t i = 0; i < search->listeners.count; i++)
		free(search->listeners.items[i].path);
	array_free(&search->namespaces);
	array_free(&search->sockets);
	array_free(&search->listeners);
}

void listeners_find(const struct process_table *table, const uint16_t *ports, size_t port_count,
		    bool *is_found, struct process_list *list)
{
	struct search search = {.ports = ports, .port_count = port_count, .ephemeral = UINT_MAX};

	for (size_t i = 0; i < table->count; i++)
		read_namespace(&search, table->items[i].pid);
	for (size_t i = 0; i < table->count && search.sockets.count; i++) {
		pid_t pid = table->items[i].pid;
		if (mark_owned(&search, pid, is_found) && !process_list_has(list, pid))
			*array_add(list) = pid;
	}
	release(&search);
}

void listeners_each(const pid_t *pids, size_t count,
		    void (*found)(void *context, const struct listener *listener), void *context)
{
	struct search search = {.ephemeral = first_ephemeral_port()};

	for (size_t i = 0; i < count; i++)
		read_namespace(&search, pids[i]);
	AUTO(text) char *marks = memory_new(search.listeners.count + 1, sizeof(bool));
	bool *is_found = (bool *)marks;
	for (size_t i = 0; i < count && search.sockets.count; i++)
		mark_owned(&search, pids[i], is_found);
	for (size_t i = 0; i < search.listeners.count; i++)
		if (is_found[i])
			found(context, &search.listeners.items[i]);
	release(&search);
}
