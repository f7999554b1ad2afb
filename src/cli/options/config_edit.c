/* SPDX-License-Identifier: BSD-2-Clause */
/* config_edit - copies a file's lines, all but those of one option. */
#include "cli/options/config_edit.h"

#include "base/caller.h"
#include "base/cleanup.h"
#include "base/file.h"
#include "base/output_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static void config_auto_release(struct config *config)
{
	config_release(config);
}

/* ---- text ---- */

static bool is_of(const struct config_entry *entry, const struct config_change *change)
{
	return !strcmp(entry->section, change->section) && !strcmp(entry->name, change->name);
}

static void write_value(FILE *out, const char *value)
{
	size_t length = strlen(value);
	bool is_plain = length && !strpbrk(value, "#;\"\\\t\r") && value[0] != ' ' &&
			value[length - 1] != ' ';

	if (is_plain) {
		fprintf(out, " = %s", value);
		return;
	}
	fputs(" = \"", out);
	for (; *value; value++)
		fprintf(out, *value == '"' || *value == '\\' ? "\\%c" : "%c", *value);
	fputc('"', out);
}

/* `like`: a line whose indentation the new one has. */
static void write_option(FILE *out, const struct config_change *change, const char *like)
{
	fprintf(out, "%.*s%s", (int)strspn(like, " \t"), like, change->name);
	if (change->value)
		write_value(out, change->value);
	fputc('\n', out);
}

/* The line behind which a new one belongs, 0: the file has no option of the section. */
static unsigned last_line(const struct config *old, const struct config_change *change)
{
	unsigned of_section = 0, of_option = 0;

	for (size_t i = 0; i < old->entries.count; i++) {
		const struct config_entry *entry = &old->entries.items[i];
		if (!strcmp(entry->section, change->section))
			of_section = entry->line;
		if (is_of(entry, change))
			of_option = entry->line;
	}
	return of_option ? of_option : of_section;
}

static bool is_replaced(const struct config *old, const struct config_change *change, unsigned line)
{
	for (size_t i = 0; i < old->entries.count; i++)
		if (old->entries.items[i].line == line && is_of(&old->entries.items[i], change))
			return !change->is_appended;
	return false;
}

char *config_edit(const struct config *old, const char *text, const struct config_change *change)
{
	char *edited = NULL, *rest;
	size_t size;
	unsigned behind = last_line(old, change), line = 0;
	AUTO(text) char *copy = text_copy(text);
	FILE *out = open_memstream(&edited, &size);

	if (!out)
		abort();
	if (*copy && copy[strlen(copy) - 1] == '\n')
		copy[strlen(copy) - 1] = 0;
	rest = *copy ? copy : NULL;
	for (char *one; (one = strsep(&rest, "\n"));) {
		line++;
		if (!is_replaced(old, change, line))
			fprintf(out, "%s\n", one);
		if (line == behind && !change->is_removed)
			write_option(out, change, one);
	}
	if (!behind && !change->is_removed) {
		fprintf(out, "[%s]\n", change->section);
		write_option(out, change, "\t");
	}
	fclose(out);
	return edited;
}

/* ---- files ---- */

char *config_edit_path(enum config_place place, struct error *error)
{
	const char *other = getenv("LEVER_CONFIG");
	char *path = NULL;

	if (other && !*other) {
		error_set(error, -EINVAL, "LEVER_CONFIG is empty, so no file is read; unset it");
		return NULL;
	}
	if (other)
		return text_copy(other);
	if (place != CONFIG_GLOBAL)
		path = config_project_path();
	if (!path && place == CONFIG_LOCAL) {
		AUTO(text) char *folder = realpath(".", NULL);
		if (folder)
			path = text_format("%s/.lever", folder);
	}
	if (!path && place != CONFIG_LOCAL)
		path = config_user_path();
	if (!path)
		error_set(error, -ENOENT, "there is no place for the file; set HOME to a folder");
	return path;
}

static int make_folders(const char *path)
{
	AUTO(text) char *folder = text_copy(path);

	for (char *slash = folder; (slash = strchr(slash + 1, '/')); *slash = '/') {
		*slash = 0;
		if (mkdir(folder, 0755) && errno != EEXIST)
			return -errno;
	}
	return 0;
}

/* Under sudo as the user behind it, where that user may. */
static int make_folders_of(const char *path, struct error *error)
{
	struct caller caller;
	struct caller_rights rights;
	int code = -EACCES;

	if (caller_of_sudo(&caller) && caller_rights_begin(&caller, &rights)) {
		code = make_folders(path);
		caller_rights_end(&rights);
	}
	if (code == -EACCES)
		code = make_folders(path);
	return code ? error_set(error, code, "cannot make the folder of %s: %s", path,
				strerror(-code)) :
		      0;
}

static int write_file(const char *path, const char *text, struct error *error)
{
	AUTO(output_file) struct output_file *file = NULL;

	if (make_folders_of(path, error) || output_file_open(path, &file, error))
		return error->code;
	fputs(text, output_file_stream(file));
	return output_file_finish(take(&file), error);
}

static bool has_option(const struct config *config, const struct config_change *change)
{
	for (size_t i = 0; i < config->entries.count; i++)
		if (is_of(&config->entries.items[i], change))
			return true;
	return false;
}

int config_edit_file(const char *path, const struct config_change *change, config_check *check,
		     struct config *edited, struct error *error)
{
	AUTO(config) struct config old = {0};

	if (config_read_file(&old, path, error))
		return error->code;
	if (old.ignored.count)
		return error_set(error, -EPERM, "%s", old.ignored.items[0]);
	if (change->is_removed && !has_option(&old, change))
		return error_set(error, -ENOENT, "%s does not give '%s.%s'", path, change->section,
				 change->name);
	AUTO(text) char *text = old.paths.count ? file_read(path, NULL, error) : text_copy("");
	if (!text)
		return error->code;
	AUTO(text) char *new_text = config_edit(&old, text, change);
	if (config_read_text(edited, path, new_text, error) || check(edited, error))
		return error->code;
	return write_file(path, new_text, error);
}
