/* SPDX-License-Identifier: BSD-2-Clause */
/* config - finds the files, and reads them line by line. */
#include "cli/options/config.h"

#include "base/caller.h"
#include "base/cleanup.h"
#include "base/text.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#define PROJECT_FILE ".lever"
#define USER_FILE "lever/config"
#define BYTES_MOST 65536

/* ---- a file's text ---- */

struct reader {
	struct config *config;
	const char *path;
	unsigned line;
	char *section; /* NULL: before the first */
};

static int complain(const struct reader *reader, struct error *error, const char *what)
{
	return error_set(error, -EINVAL, "%s:%u: %s", reader->path, reader->line, what);
}

static char *trim(char *text)
{
	text += strspn(text, " \t\r");
	size_t length = strlen(text);
	while (length && strchr(" \t\r", text[length - 1]))
		length--;
	text[length] = 0;
	return text;
}

/* Ends the text at a comment that is not within quotes. */
static void cut_comment(char *text)
{
	bool is_quoted = false;

	for (char *at = text; *at; at++) {
		if (*at == '\\' && at[1])
			at++;
		else if (*at == '"')
			is_quoted = !is_quoted;
		else if (!is_quoted && (*at == '#' || *at == ';'))
			*at = 0;
		if (!*at)
			return;
	}
}

/* Without quotes; a backslash stands before a quote or a backslash. False: a quote is open. */
static bool unquote(char *text)
{
	bool is_quoted = false;
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from == '"') {
			is_quoted = !is_quoted;
			continue;
		}
		if (*from == '\\' && (from[1] == '"' || from[1] == '\\'))
			from++;
		*to++ = *from;
	}
	*to = 0;
	return !is_quoted;
}

static int read_section(struct reader *reader, char *text, struct error *error)
{
	size_t length = strlen(text);

	if (length < 3 || text[length - 1] != ']')
		return complain(reader, error, "a section is written as [run]");
	text[length - 1] = 0;
	free(reader->section);
	reader->section = text_copy(trim(text + 1));
	return 0;
}

static int read_entry(struct reader *reader, char *text, struct error *error)
{
	char *equals = strchr(text, '=');

	if (!reader->section)
		return complain(reader, error,
				"an option stands before the first section; begin with [run]");
	if (equals)
		*equals = 0;
	char *name = trim(text), *value = equals ? trim(equals + 1) : NULL;
	if (!strncmp(name, "--", 2))
		return complain(reader, error, "options are written without dashes here");
	if (!*name)
		return complain(reader, error, "a name is missing before '='");
	if (value && !unquote(value))
		return complain(reader, error, "a quote is not closed");
	*array_add(&reader->config->entries) = (struct config_entry){
		.section = text_copy(reader->section),
		.name = text_copy(name),
		.value = value ? text_copy(value) : NULL,
		.path = reader->path,
		.line = reader->line,
	};
	return 0;
}

static int read_lines(struct reader *reader, char *rest, struct error *error)
{
	int code = 0;

	for (char *line; !code && (line = strsep(&rest, "\n"));) {
		reader->line++;
		cut_comment(line);
		char *text = trim(line);
		if (*text)
			code = *text == '[' ? read_section(reader, text, error) :
					      read_entry(reader, text, error);
	}
	free(reader->section);
	return code;
}

/* ---- files ---- */

static bool is_trusted(const struct stat *status)
{
	struct caller caller;
	bool is_callers = caller_of_sudo(&caller) && status->st_uid == caller.uid;

	return (!status->st_uid || status->st_uid == geteuid() || is_callers) &&
	       !(status->st_mode & S_IWOTH);
}

int config_read_text(struct config *config, const char *path, const char *text, struct error *error)
{
	AUTO(text) char *copy = text_copy(text);

	*array_add(&config->paths) = text_copy(path);
	struct reader reader = {.config = config,
				.path = config->paths.items[config->paths.count - 1]};
	return read_lines(&reader, copy, error);
}

static int read_open(struct config *config, int fd, const char *path, struct error *error)
{
	AUTO(text) char *text = memory_new(BYTES_MOST + 1, 1);
	ssize_t size = read(fd, text, BYTES_MOST + 1);

	if (size < 0)
		return error_set(error, errno, "cannot read %s: %s", path, strerror(errno));
	if (size > BYTES_MOST || memchr(text, 0, (size_t)size))
		return error_set(error, -EINVAL, "%s is no configuration: it is %s", path,
				 size > BYTES_MOST ? "too long" : "binary");
	return config_read_text(config, path, text, error);
}

int config_read_file(struct config *config, const char *path, struct error *error)
{
	AUTO(fd) int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	/* EACCES: a folder of somebody else, as HOME may be after a change of user. */
	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
		return 0;
	if (fd < 0 || fstat(fd, &status) || !S_ISREG(status.st_mode) || !is_trusted(&status)) {
		*array_add(&config->ignored) = text_format(
			"%s is not used: %s", path,
			fd < 0 ? strerror(errno) :
			!S_ISREG(status.st_mode) ?
				 "it is no file" :
				 "it belongs to another user, or all may write it; copy it");
		return 0;
	}
	return read_open(config, fd, path, error);
}

char *config_project_path(void)
{
	AUTO(text) char *folder = realpath(".", NULL);

	while (folder && *folder) {
		char *path =
			text_format("%s%s" PROJECT_FILE, folder, strcmp(folder, "/") ? "/" : "");
		struct stat status;
		if (!lstat(path, &status) && !S_ISDIR(status.st_mode))
			return path;
		free(path);
		*strrchr(folder, '/') = 0;
	}
	return NULL;
}

char *config_user_path(void)
{
	const char *config_home = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config_home && *config_home == '/')
		return text_format("%s/" USER_FILE, config_home);
	return home && *home == '/' ? text_format("%s/.config/" USER_FILE, home) : NULL;
}

int config_read(struct config *config, struct error *error)
{
	const char *other = getenv("LEVER_CONFIG");

	if (other)
		return *other ? config_read_file(config, other, error) : 0;
	AUTO(text) char *user = config_user_path();
	AUTO(text) char *project = config_project_path();
	int code = user ? config_read_file(config, user, error) : 0;
	return code || !project ? code : config_read_file(config, project, error);
}

void config_release(struct config *config)
{
	for (size_t i = 0; i < config->entries.count; i++) {
		free(config->entries.items[i].section);
		free(config->entries.items[i].name);
		free(config->entries.items[i].value);
	}
	for (size_t i = 0; i < config->paths.count; i++)
		free(config->paths.items[i]);
	for (size_t i = 0; i < config->ignored.count; i++)
		free(config->ignored.items[i]);
	array_free(&config->entries);
	array_free(&config->paths);
	array_free(&config->ignored);
}

/* ---- entries ---- */

bool config_entry_counts(const struct config *config, const struct config_entry *entry)
{
	for (size_t i = 0; i < config->entries.count; i++) {
		const struct config_entry *other = &config->entries.items[i];
		if (other > entry && other->path != entry->path &&
		    !strcmp(other->section, entry->section) && !strcmp(other->name, entry->name))
			return false;
	}
	return true;
}

int config_entry_flag(const struct config_entry *entry, bool *value, struct error *error)
{
	static const char *const words[] = {"true", "yes", "on", "1", "false", "no", "off", "0"};

	*value = true;
	for (size_t i = 0; entry->value && i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcasecmp(entry->value, words[i])) {
			*value = i < 4;
			return 0;
		}
	return entry->value ?
		       error_set(error, -EINVAL, "'%s' is neither true nor false", entry->value) :
		       0;
}
