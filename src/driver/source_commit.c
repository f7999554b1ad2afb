/* SPDX-License-Identifier: BSD-2-Clause */
/* source_commit - reads .git/HEAD and the branch that it names; gitrepository-layout(5). */
#include "driver/source_commit.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/memory.h"
#include "base/text.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define SHA1_DIGITS 40
#define SHA256_DIGITS 64
#define SIZE_MOST (64 << 20) /* of packed branches */
#define HEX "0123456789abcdef"

/* NULL for what is no file, and for one of unlikely size. */
static char *read_file(const char *folder, const char *name)
{
	AUTO(text) char *path = text_format("%s/%s", folder, name);
	struct stat status;
	bool is_file = !stat(path, &status) && S_ISREG(status.st_mode);

	return is_file && status.st_size <= SIZE_MOST ? file_read(path, NULL, NULL) : NULL;
}

/* The first line of a file of git, or NULL. */
static char *read_line(const char *folder, const char *name)
{
	char *line = read_file(folder, name);

	if (line)
		line[strcspn(line, "\r\n")] = 0;
	return line;
}

static bool is_commit(const char *text, size_t length)
{
	return (length == SHA1_DIGITS || length == SHA256_DIGITS) && strspn(text, HEX) == length;
}

/* Packed branches stand in one file as lines "COMMIT NAME". */
static char *find_packed(const char *git, const char *branch)
{
	AUTO(text) char *packed = read_file(git, "packed-refs");
	char *rest = packed, *line;

	while (rest && (line = strsep(&rest, "\n"))) {
		size_t digits = strcspn(line, " ");
		bool is_it = line[digits] && text_equals(line + digits + 1, branch);
		line[digits] = 0;
		if (is_it && is_commit(line, digits))
			return text_copy(line);
	}
	return NULL;
}

/* A branch of the folder `git`, or of the one that it shares with other working trees. */
static char *read_branch(const char *git, const char *branch)
{
	AUTO(text) char *common = read_line(git, "commondir");
	AUTO(text)
	char *shared = !common          ? text_copy(git) :
		       common[0] == '/' ? text_copy(common) :
					  text_format("%s/%s", git, common);
	AUTO(text) char *commit = NULL;

	if (strstr(branch, ".."))
		return NULL;
	commit = read_line(shared, branch);
	if (commit && is_commit(commit, strlen(commit)))
		return text_copy(commit);
	return find_packed(shared, branch);
}

static char *read_head(const char *git)
{
	static const char branch[] = "ref: ";
	AUTO(text) char *head = read_line(git, "HEAD");

	if (head && text_starts_with(head, branch))
		return read_branch(git, head + strlen(branch));
	return head && is_commit(head, strlen(head)) ? text_copy(head) : NULL;
}

/* .git is a folder, or in further working trees a file that names one. */
static char *find_git(const char *folder)
{
	static const char link[] = "gitdir: ";
	char *git = text_format("%s/.git", folder);
	struct stat status;

	if (!stat(git, &status) && S_ISDIR(status.st_mode))
		return git;
	free(git);
	AUTO(text) char *line = read_line(folder, ".git");
	if (!line || !text_starts_with(line, link))
		return NULL;
	const char *target = line + strlen(link);
	return target[0] == '/' ? text_copy(target) : text_format("%s/%s", folder, target);
}

char *source_commit_of_folder(const char *folder)
{
	AUTO(text) char *at = realpath(folder, NULL);

	while (at && at[0]) {
		AUTO(text) char *git = find_git(at);
		if (git)
			return read_head(git);
		*strrchr(at, '/') = 0;
	}
	return NULL;
}

char *source_commit(const char *program)
{
	AUTO(text) char *file = program ? realpath(program, NULL) : NULL;
	char *commit = NULL;

	if (file) {
		*strrchr(file, '/') = 0;
		commit = source_commit_of_folder(file[0] ? file : "/");
	}
	return commit ? commit : source_commit_of_folder(".");
}
