/* SPDX-License-Identifier: BSD-2-Clause */
/* invitation - what an agent is told on its standard input. */
#include "collect/hosts/invitation.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORD "lever-agent"
#define LINE_MOST_BYTES 65536

char *invitation_text(const struct invitation *invitation, const char *version)
{
	AUTO(text) char *addresses = memory_new(1, LINE_MOST_BYTES);
	size_t length = 0;

	for (size_t i = 0; i < invitation->address_count; i++) {
		const uint32_t *words = invitation->addresses[i].words;
		length += (size_t)snprintf(addresses + length, LINE_MOST_BYTES - length,
					   " %" PRIx32 ":%" PRIx32 ":%" PRIx32 ":%" PRIx32,
					   words[0], words[1], words[2], words[3]);
	}
	return text_format(WORD " %s %u %s %s %s %s %s %s %016" PRIx64 "%s\n", version,
			   invitation->index, invitation->verb, invitation->name,
			   invitation->endpoint, invitation->coordinator, invitation->keys.open,
			   invitation->keys.secret, invitation->tag, addresses);
}

/* Byte by byte: what follows the line is not for us. */
static bool read_line(int input, char *line, size_t room)
{
	for (size_t i = 0; i + 1 < room; i++) {
		if (read(input, &line[i], 1) != 1)
			return false;
		line[i + 1] = 0;
		if (line[i] == '\n')
			return true;
	}
	return false;
}

int invitation_read(int input, const char *version, struct invitation *invitation,
		    struct error *error)
{
	AUTO(text) char *line = memory_new(1, LINE_MOST_BYTES);
	char theirs[64];
	int at = 0, next;

	memset(invitation, 0, sizeof(*invitation));
	if (isatty(input) || !read_line(input, line, LINE_MOST_BYTES) ||
	    sscanf(line, WORD " %63s", theirs) != 1)
		return error_set(error, -EPROTO,
				 "the input is no invitation; an agent is started by \"lever run "
				 "--hosts\"");
	if (strcmp(theirs, version) != 0)
		return error_set(error, -EPROTO,
				 "this is lever %s, and the coordinator is lever %s; install the "
				 "same version on all hosts",
				 version, theirs);
	if (sscanf(line, WORD " %*s %u %15s %127s %127s %40s %40s %40s %" SCNx64 "%n",
		   &invitation->index, invitation->verb, invitation->name, invitation->endpoint,
		   invitation->coordinator, invitation->keys.open, invitation->keys.secret,
		   &invitation->tag, &at) != 8)
		return error_set(error, -EPROTO, "the invitation is damaged");
	for (char *rest = line + at; invitation->address_count < HOSTS_ADDRESSES_MOST;
	     rest += next) {
		uint32_t *words = invitation->addresses[invitation->address_count].words;
		if (sscanf(rest, " %" SCNx32 ":%" SCNx32 ":%" SCNx32 ":%" SCNx32 "%n", &words[0],
			   &words[1], &words[2], &words[3], &next) != 4)
			break;
		invitation->address_count++;
	}
	return 0;
}
