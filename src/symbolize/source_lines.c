/* SPDX-License-Identifier: BSD-2-Clause */
/* source_lines - hashes of lines, by file. */
#include "symbolize/source_lines.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/hash_map.h"
#include "base/interner.h"
#include "base/memory.h"
#include "base/source_file.h"
#include "base/text.h"

#include <ctype.h>
#include <string.h>

#define LETTERS_LEAST 4 /* "}" or "i++" may stand anywhere */

struct file_lines {
	ARRAY(uint64_t) hashes; /* by line, from 1 on; 0: too short */
};

struct source_lines {
	struct interner names;
	ARRAY(struct file_lines) files; /* by name */
};

struct source_lines *source_lines_new(void)
{
	return memory_new(1, sizeof(struct source_lines));
}

void source_lines_free(struct source_lines *lines)
{
	if (!lines)
		return;
	for (size_t i = 0; i < lines->files.count; i++)
		array_free(&lines->files.items[i].hashes);
	array_free(&lines->files);
	interner_clear(&lines->names);
	free(lines);
}

/* NULL: there is none that counts. To be freed. */
static char *read_source(const char *path)
{
	struct caller user = {0};
	struct stat status;

	caller_of_sudo(&user);
	AUTO(text) char *text = path[0] == '/' ? source_file_read(path, &user, &status) : NULL;
	if (!text || !(status.st_mode & S_IROTH))
		return NULL;
	char *taken = text;
	text = NULL;
	return taken;
}

/* `text`: room for the letters, too. */
static uint64_t hash_of(char *text, size_t length)
{
	size_t letters = 0;

	for (size_t i = 0; i < length; i++)
		if (!isspace((unsigned char)text[i]))
			text[letters++] = text[i];
	return letters < LETTERS_LEAST ? 0 : hash_bytes(text, letters);
}

static void read_lines(struct file_lines *lines, const char *path)
{
	AUTO(text) char *text = read_source(path);
	size_t size = text ? strlen(text) : 0;

	for (size_t begin = 0, end; begin < size; begin = end + 1) {
		const char *found = memchr(text + begin, '\n', size - begin);
		end = found ? (size_t)(found - text) : size;
		*array_add(&lines->hashes) = hash_of(text + begin, end - begin);
	}
}

char *source_lines_content(struct source_lines *lines, const char *file, unsigned line)
{
	if (!file || !line)
		return NULL;
	uint32_t number = interner_add(&lines->names, file);
	while (lines->files.count <= number) {
		struct file_lines *added = array_add(&lines->files);
		*added = (struct file_lines){0};
		if (lines->files.count > number)
			read_lines(added, file);
	}
	const struct file_lines *found = &lines->files.items[number];
	uint64_t hash = line <= found->hashes.count ? found->hashes.items[line - 1] : 0;
	return hash ? text_format("%016llx", (unsigned long long)hash) : NULL;
}
