/* SPDX-License-Identifier: BSD-2-Clause */
/* path - cleans and compares source paths. */
#include "base/path.h"

#include "base/memory.h"

#include <string.h>

/* Appends a component to `path`, or removes one for "..". Returns the new length. */
static size_t path_push(char *path, size_t length, const char *component, size_t size)
{
	if (size == 0 || (size == 1 && component[0] == '.'))
		return length;
	size_t start = length;
	while (start && path[start - 1] != '/')
		start--;
	bool is_up = size == 2 && memcmp(component, "..", 2) == 0;
	bool last_is_up = length - start == 2 && memcmp(path + start, "..", 2) == 0;
	if (is_up && length > start && !last_is_up)
		return start > 1 ? start - 1 : start;
	if (is_up && length == 1 && path[0] == '/')
		return length;
	if (length && path[length - 1] != '/')
		path[length++] = '/';
	memcpy(path + length, component, size);
	return length + size;
}

char *path_clean(const char *directory, const char *file)
{
	const char *parts[2] = {directory && file[0] != '/' ? directory : "", file};
	char *path = memory_new(strlen(parts[0]) + strlen(parts[1]) + 3, 1);
	size_t length = 0;

	if (parts[0][0] == '/' || (!parts[0][0] && file[0] == '/'))
		path[length++] = '/';
	for (int i = 0; i < 2; i++) {
		const char *at = parts[i];
		while (*at) {
			size_t size = strcspn(at, "/");
			length = path_push(path, length, at, size);
			at += size + (at[size] == '/');
		}
	}
	path[length] = '\0';
	return path;
}

const char *path_base(const char *path)
{
	const char *slash = strrchr(path, '/');
	return slash ? slash + 1 : path;
}

bool path_has_tail(const char *path, const char *tail)
{
	while (tail[0] == '.' && tail[1] == '/')
		tail += 2;
	size_t length = strlen(path), size = strlen(tail);
	if (size == 0 || size > length || strcmp(path + length - size, tail) != 0)
		return false;
	return size == length || tail[0] == '/' || path[length - size - 1] == '/';
}

const char *path_tail(const char *path, unsigned components)
{
	const char *at = path + strlen(path);
	while (at > path) {
		if (at[-1] == '/' && --components == 0)
			break;
		at--;
	}
	return at;
}
