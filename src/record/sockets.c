/* SPDX-License-Identifier: BSD-2-Clause */
/* sockets - reads /proc/PID/net/tcp, tcp6, udp, udp6 and unix. */
#include "record/sockets.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define STATE_LISTENS 0x0a /* TCP_LISTEN */

struct end {
	char address[33]; /* hexadecimal, as the table has it */
	unsigned port;
};

struct row {
	struct end local, remote;
	unsigned state;
	uint64_t inode;
};

static FILE *open_table(uint32_t tgid, const char *name)
{
	AUTO(text) char *path = text_format("/proc/%u/net/%s", tgid, name);
	return fopen(path, "re");
}

static bool read_row(const char *line, struct row *row)
{
	return sscanf(line,
		      " %*u: %32[0-9A-F]:%x %32[0-9A-F]:%x %x %*x:%*x %*x:%*x %*x %*u %*u %" SCNu64,
		      row->local.address, &row->local.port, row->remote.address, &row->remote.port,
		      &row->state, &row->inode) == 6;
}

/* Words of 32 bits in the order of this machine; IPv4 addresses in IPv6 are shown as such. */
static char *address_text(const char *hexadecimal)
{
	uint32_t words[4] = {0};
	char text[INET6_ADDRSTRLEN] = "";
	size_t count = strlen(hexadecimal) / 8;

	for (size_t i = 0; i < count && i < 4; i++)
		sscanf(hexadecimal + 8 * i, "%8" SCNx32, &words[i]);
	bool is_mapped = count == 4 && !words[0] && !words[1] && words[2] == htonl(0xffff);
	if (count == 1 || is_mapped)
		inet_ntop(AF_INET, &words[is_mapped ? 3 : 0], text, sizeof(text));
	else
		inet_ntop(AF_INET6, words, text, sizeof(text));
	return strchr(text, ':') ? text_format("[%s]", text) : text_copy(text);
}

static bool find(uint32_t tgid, const char *table, uint64_t inode, struct row *found)
{
	AUTO(file) FILE *file = open_table(tgid, table);
	AUTO(text) char *line = NULL;
	size_t room = 0;
	struct row row;

	while (file && getline(&line, &room, file) > 0)
		if (read_row(line, &row) && row.inode == inode) {
			*found = row;
			return true;
		}
	return false;
}

static bool listens(uint32_t tgid, const char *table, unsigned port)
{
	AUTO(file) FILE *file = open_table(tgid, table);
	AUTO(text) char *line = NULL;
	size_t room = 0;
	struct row row;

	while (file && getline(&line, &room, file) > 0)
		if (read_row(line, &row) && row.state == STATE_LISTENS && row.local.port == port)
			return true;
	return false;
}

static char *internet_name(uint32_t tgid, const char *table, const struct row *row)
{
	int length = (int)strcspn(table, "6");
	AUTO(text) char *remote = address_text(row->remote.address);

	if (!row->remote.port)
		return text_format("%.*s :%u", length, table, row->local.port);
	if (text_starts_with(table, "tcp") &&
	    (listens(tgid, "tcp", row->local.port) || listens(tgid, "tcp6", row->local.port)))
		return text_format("%.*s from %s to :%u", length, table, remote, row->local.port);
	return text_format("%.*s to %s:%u", length, table, remote, row->remote.port);
}

static char *unix_name(uint32_t tgid, uint64_t inode)
{
	AUTO(file) FILE *file = open_table(tgid, "unix");
	AUTO(text) char *line = NULL;
	size_t room = 0;

	while (file && getline(&line, &room, file) > 0) {
		uint64_t one = 0;
		int at = 0;
		line[strcspn(line, "\n")] = 0;
		if (sscanf(line, "%*x: %*x %*x %*x %*x %*x %" SCNu64 "%n", &one, &at) < 1 ||
		    one != inode)
			continue;
		return line[at] ? text_format("unix%s", line + at) : text_copy("unix socket");
	}
	return NULL;
}

char *sockets_name(uint32_t tgid, uint64_t inode)
{
	static const char *const tables[] = {"tcp", "tcp6", "udp", "udp6"};
	struct row row;

	for (size_t i = 0; i < sizeof(tables) / sizeof(*tables); i++)
		if (find(tgid, tables[i], inode, &row))
			return internet_name(tgid, tables[i], &row);
	char *name = unix_name(tgid, inode);
	return name ? name : text_copy("socket");
}
