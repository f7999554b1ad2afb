// SPDX-License-Identifier: BSD-2-Clause
/* program_text - simulated programs as text, to be printed, changed, and read again. */
#include "program_text.h"

#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
	[OPERATION_COMPUTE] = "compute",
	[OPERATION_LOCK] = "lock",
	[OPERATION_UNLOCK] = "unlock",
	[OPERATION_WAIT] = "wait",
	[OPERATION_POST] = "post",
	[OPERATION_PUT] = "put",
	[OPERATION_TAKE] = "take",
	[OPERATION_BARRIER] = "barrier",
	[OPERATION_READ_LOCK] = "read_lock",
	[OPERATION_WRITE_LOCK] = "write_lock",
	[OPERATION_READ_UNLOCK] = "read_unlock",
	[OPERATION_WRITE_UNLOCK] = "write_unlock",
	[OPERATION_SPIN_LOCK] = "spin_lock",
	[OPERATION_SPIN_UNLOCK] = "spin_unlock",
	[OPERATION_SPIN_WAIT] = "spin_wait",
	[OPERATION_SPIN_POST] = "spin_post",
	[OPERATION_SPIN_BARRIER] = "spin_barrier",
	[OPERATION_SLEEP] = "sleep",
	[OPERATION_RETRY_LOCK] = "retry_lock",
	[OPERATION_IO] = "io",
	[OPERATION_FLUSH] = "flush",
	[OPERATION_VISIT] = "visit",
};
#define NAME_COUNT (sizeof(names) / sizeof(names[0]))

static bool has_time_and_object(unsigned kind)
{
	return kind == OPERATION_RETRY_LOCK || kind == OPERATION_IO || kind == OPERATION_FLUSH;
}

static bool takes_time(unsigned kind)
{
	return kind == OPERATION_COMPUTE || kind == OPERATION_SLEEP || has_time_and_object(kind);
}

static void operation_print(const struct operation *operation, FILE *file)
{
	fprintf(file, " %s%s", names[operation->kind], operation->is_target ? "*" : "");
	if (operation->kind == OPERATION_VISIT)
		return;
	if (!takes_time(operation->kind)) {
		fprintf(file, "(%u)", operation->object);
		return;
	}
	fprintf(file, "(%.9g", operation->mean_ns / 1e3);
	if (operation->spread_percent)
		fprintf(file, "+-%u", operation->spread_percent);
	if (has_time_and_object(operation->kind))
		fprintf(file, ",%u", operation->object);
	fprintf(file, ")");
}

void program_print(const struct program *program, FILE *file)
{
	for (uint32_t i = 0; i < program->object_count; i++)
		fprintf(file, "object %d %d\n", program->objects[i].value,
			program->objects[i].capacity);
	for (uint32_t i = 0; i < program->role_count; i++) {
		const struct role *role = &program->roles[i];
		fprintf(file, "%s %u", role->is_foreign ? "foreign" : "threads", role->threads);
		for (uint32_t k = role->first; k < role->first + (uint32_t)role->count; k++)
			operation_print(&program->operations[k], file);
		fprintf(file, "\n");
	}
}

/* Of a parenthesis: LENGTH, LENGTH+-SPREAD, LENGTH,OBJECT, or OBJECT. */
static void numbers_read(struct operation *operation, const char *text)
{
	char *end;
	double first = strtod(text, &end);

	if (!takes_time(operation->kind)) {
		operation->object = (uint8_t)first;
		return;
	}
	operation->mean_ns = (uint32_t)(1000 * first + 0.5);
	if (!strncmp(end, "+-", 2))
		operation->spread_percent = (uint8_t)strtol(end + 2, &end, 10);
	if (*end == ',')
		operation->object = (uint8_t)strtol(end + 1, &end, 10);
}

static bool operation_read(struct operation *operation, char *text)
{
	char *open = strchr(text, '('), *star;

	if (open)
		*open = 0;
	star = strchr(text, '*');
	if (star)
		*star = 0;
	*operation = (struct operation){.is_target = star != NULL};
	while (operation->kind < NAME_COUNT && strcmp(text, names[operation->kind]))
		operation->kind++;
	if (open && operation->kind < NAME_COUNT)
		numbers_read(operation, open + 1);
	return operation->kind < NAME_COUNT && operation->object < PROGRAM_OBJECTS_MOST;
}

static bool role_read(struct program *program, bool is_foreign, char **rest)
{
	const char *threads = strtok_r(NULL, " \n", rest);
	struct role *role = &program->roles[program->role_count++];

	if (!threads || program->role_count == PROGRAM_ROLES_MOST)
		return false;
	*role = (struct role){.first = (uint16_t)program->operation_count,
			      .threads = (uint16_t)atoi(threads),
			      .is_foreign = is_foreign};
	program->thread_count += role->threads;
	for (char *text; (text = strtok_r(NULL, " \n", rest)); role->count++) {
		if (program->operation_count == PROGRAM_OPERATIONS_MOST ||
		    !operation_read(&program->operations[program->operation_count++], text))
			return false;
	}
	return role->count && program->thread_count <= PROGRAM_THREADS_MOST;
}

static bool line_read(struct program *program, char *line)
{
	struct object_start object = {0};
	char *rest;

	if (line[0] == '#' || line[0] == '\n')
		return true;
	if (sscanf(line, "object %d %d", &object.value, &object.capacity) == 2) {
		if (program->object_count == PROGRAM_OBJECTS_MOST)
			return false;
		program->objects[program->object_count++] = object;
		return true;
	}
	const char *word = strtok_r(line, " \n", &rest);
	if (!word || (strcmp(word, "threads") && strcmp(word, "foreign")))
		return false;
	return role_read(program, !strcmp(word, "foreign"), &rest);
}

unsigned program_read(FILE *file, struct program *program)
{
	char line[4096];

	*program = (struct program){.name = "file"};
	for (unsigned number = 1; fgets(line, sizeof(line), file); number++)
		if (!line_read(program, line))
			return number;
	return 0;
}
