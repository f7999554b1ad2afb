/* SPDX-License-Identifier: BSD-2-Clause */
/* listeners - sockets from /proc/PID/net, and their owners from /proc/PID/fd. */
#include "collect/process/listeners.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TCP_STATE_LISTEN 10 /* as in the kernel's TCP states */
#define UDP_STATE_UNCONNECTED 7

CLEANUP_DEFINE(folder, DIR *, closedir, NULL)

struct socket_owner {
	unsigned long inode;
	size_t port; /* index */
};

struct search {
	const uint16_t *ports;
	size_t port_count;
	struct {
		struct socket_owner *items;
		size_t count, capacity;
	} sockets;
	struct {
		char **items; /* network namespaces whose sockets are known, as links */
		size_t count, capacity;
	} namespaces;
};

static void add_socket(struct search *search, unsigned port, unsigned long inode)
{
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
		    row_state == state)
			add_socket(search, port, inode);
	}
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

/* The index of a port that the process has open; port_count: none. */
static size_t port_of(const struct search *search, pid_t pid, bool *is_found)
{
	AUTO(text) char *path = text_format("/proc/%d/fd", (int)pid);
	AUTO(folder) DIR *folder = opendir(path);
	size_t last = search->port_count;

	for (struct dirent *entry; folder && (entry = readdir(folder));) {
		char link[64] = "";
		unsigned long inode;
		if (readlinkat(dirfd(folder), entry->d_name, link, sizeof(link) - 1) <= 0 ||
		    sscanf(link, "socket:[%lu]", &inode) != 1)
			continue;
		for (size_t i = 0; i < search->sockets.count; i++) {
			if (search->sockets.items[i].inode != inode)
				continue;
			last = search->sockets.items[i].port;
			is_found[last] = true;
		}
	}
	return last;
}

void listeners_find(const struct process_table *table, const uint16_t *ports, size_t port_count,
		    bool *is_found, struct process_list *list)
{
	struct search search = {.ports = ports, .port_count = port_count};

	for (size_t i = 0; i < table->count; i++) {
		pid_t pid = table->items[i].pid;
		if (!add_namespace(&search, pid))
			continue;
		read_sockets(&search, pid, "tcp", TCP_STATE_LISTEN);
		read_sockets(&search, pid, "tcp6", TCP_STATE_LISTEN);
		read_sockets(&search, pid, "udp", UDP_STATE_UNCONNECTED);
		read_sockets(&search, pid, "udp6", UDP_STATE_UNCONNECTED);
	}
	for (size_t i = 0; i < table->count && search.sockets.count; i++) {
		pid_t pid = table->items[i].pid;
		if (port_of(&search, pid, is_found) < port_count && !process_list_has(list, pid))
			*array_add(list) = pid;
	}
	for (size_t i = 0; i < search.namespaces.count; i++)
		free(search.namespaces.items[i]);
	array_free(&search.namespaces);
	array_free(&search.sockets);
}
