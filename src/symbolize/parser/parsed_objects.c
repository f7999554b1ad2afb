/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * parsed_objects - tells the parser of files: when they are added, and again when another process
 * has taken its place.
 */
#include "base/cleanup.h"
#include "symbolize/object/jit_file.h"
#include "symbolize/object/object_file.h"
#include "symbolize/parser/parser.h"
#include "symbolize/scope.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ENDS_MOST 2 /* a file that ended so many processes is not read again */

const struct parsed_object *parser_object(const struct parser *parser, uint32_t object)
{
	assert(object < parser->objects.count);
	return parser->objects.items[object];
}

/* `status` of the file, or NULL if only the path counts. A file may have several paths. */
static bool find_object(const struct parser *parser, const char *path, const struct stat *status,
			uint32_t *object)
{
	for (size_t i = 0; i < parser->objects.count; i++) {
		const struct parsed_object *known = parser->objects.items[i];
		bool has_file = status && known->inode;
		bool is_same = has_file && known->inode == status->st_ino &&
			       known->device == status->st_dev;
		if (known->is_forgotten)
			continue;
		if (is_same || (!has_file && strcmp(known->shown.path, path) == 0)) {
			*object = (uint32_t)i;
			return true;
		}
	}
	return false;
}

/* A number of an inode that was closed may be another file's now: content and path must agree. */
static uint32_t find_forgotten(const struct parser *parser, const char *path,
			       const struct object_file *file)
{
	for (size_t i = 0; i < parser->objects.count; i++) {
		const struct parsed_object *known = parser->objects.items[i];
		if (known->is_forgotten && known->inode == file->inode &&
		    known->device == file->device && known->size == file->size &&
		    known->modified_ns == file->modified_ns && !strcmp(known->shown.path, path))
			return (uint32_t)i;
	}
	return SYMBOLS_NONE;
}

static int take_object_result(struct parser *parser, uint32_t *object, struct error *error)
{
	uint64_t told;
	int code = parser_take_result(parser, &told, error);

	if (code)
		return code;
	*object = parser_told_object(parser, told);
	if (*object != SYMBOLS_NONE)
		return 0;
	parser_distrust(parser);
	return parser_no_answer(parser, error);
}

static void keep_file(struct parsed_object *object, struct object_file *file)
{
	if ((object->inode && !object->is_forgotten) || object->shown.fd >= 0)
		return;
	object->is_forgotten = false;
	object->device = file->device;
	object->inode = file->inode;
	object->size = file->size;
	object->modified_ns = file->modified_ns;
	object->shown.fd = file->identity;
	file->identity = -1;
	if (object->shown.open_path)
		return;
	object->shown.open_path = file->open_path;
	file->open_path = NULL;
}

static bool ask_to_add(struct parser *parser, const char *path, bool is_main, int content)
{
	parser_begin(parser, OPERATION_ADD_OBJECT);
	message_add_text(&parser->ask, path);
	message_add(&parser->ask, scope_has_object(parser->scope, path, is_main));
	message_add(&parser->ask, is_main);
	return parser_ask(parser, path, content);
}

int parser_add_object(struct parser *parser, const char *path, const char *open_path, bool is_main,
		      uint32_t *object, struct error *error)
{
	struct object_file file;
	struct stat status;
	bool is_there = !stat(open_path ? open_path : path, &status);

	if (find_object(parser, path, is_there ? &status : NULL, object))
		return 0;
	int code = object_file_open(path, open_path, &file, error);
	if (code)
		return code;
	parser->adding = find_forgotten(parser, path, &file);
	uint32_t again = parser->adding;
	if (ask_to_add(parser, path, is_main, file.content)) {
		code = take_object_result(parser, object, error);
	} else if (again != SYMBOLS_NONE) {
		*object = again;
	} else {
		*object = (uint32_t)parser->objects.count;
		parser_add_object_by_hand(parser, path)->shown.in_scope =
			scope_has_object(parser->scope, path, is_main);
		parser->generation++;
	}
	parser->adding = SYMBOLS_NONE;
	if (!code) {
		parser->objects.items[*object]->is_main = is_main;
		keep_file(parser->objects.items[*object], &file);
	}
	object_file_close(&file);
	return code;
}

static bool ask_to_add_jit(struct parser *parser, const char *path)
{
	AUTO(text) char *names = jit_file_names_path(path);

	if (strcmp(path, SYMBOLS_JIT_UNTOLD) != 0)
		broker_add(&parser->broker, path, true);
	if (names)
		broker_add(&parser->broker, names, true);
	parser_begin(parser, OPERATION_ADD_JIT);
	message_add_text(&parser->ask, path);
	return parser_ask(parser, path, -1);
}

int parser_add_jit(struct parser *parser, const char *path, uint32_t *object, struct error *error)
{
	bool is_known = find_object(parser, path, NULL, object);

	if (!is_known && strcmp(path, SYMBOLS_JIT_UNTOLD) != 0 && access(path, R_OK) != 0)
		return error_set(error, errno, "cannot read the JIT map %s: %s", path,
				 strerror(errno));
	parser->adding = is_known ? *object : SYMBOLS_NONE;
	bool is_answered = ask_to_add_jit(parser, path);
	parser->adding = SYMBOLS_NONE;
	if (!is_answered)
		return find_object(parser, path, NULL, object) ? 0 :
								 parser_no_answer(parser, error);
	int code = take_object_result(parser, object, error);
	if (!code)
		parser->objects.items[*object]->is_jit = true;
	return code;
}

uint32_t parser_python_object(struct parser *parser)
{
	if (parser->python_object != SYMBOLS_NONE)
		return parser->python_object;
	parser_begin(parser, OPERATION_PYTHON_OBJECT);
	uint32_t told = SYMBOLS_NONE;
	if (parser_ask(parser, NULL, -1))
		told = parser_told_object(parser, message_take(&parser->answer));
	if (told == SYMBOLS_NONE) {
		parser_distrust(parser);
		told = (uint32_t)parser->objects.count;
		parser_add_object_by_hand(parser, RECORDING_PYTHON_OBJECT);
	}
	parser->python_object = told;
	return parser->python_object;
}

void parser_forget_object(struct parser *parser, uint32_t object)
{
	struct parsed_object *forgotten = parser->objects.items[object];

	if (forgotten->is_forgotten || forgotten->shown.fd < 0)
		return;
	if (forgotten->served != SYMBOLS_NONE) {
		parser_begin(parser, OPERATION_FORGET_OBJECT);
		message_add(&parser->ask, forgotten->served);
		parser_ask(parser, forgotten->shown.path, -1);
	}
	forgotten->served = SYMBOLS_NONE;
	forgotten->is_forgotten = true;
	forgotten->scope_generation = 0;
	ranges_clear(&forgotten->scope_ranges);
	close(forgotten->shown.fd);
	forgotten->shown.fd = -1;
}

static void ask_to_see_through(struct parser *parser, uint32_t object)
{
	parser_begin(parser, OPERATION_SEE_THROUGH);
	message_add(&parser->ask, parser_served(parser, object));
	parser_ask(parser, NULL, -1);
}

static bool add_file_again(struct parser *parser, const struct parsed_object *object)
{
	struct object_file file;
	bool is_told = !object_file_again(object->shown.path, object->shown.fd, &file, NULL) &&
		       ask_to_add(parser, object->shown.path, object->is_main, file.content);

	object_file_close(&file);
	return is_told;
}

bool parser_serve_object(struct parser *parser, uint32_t object)
{
	struct parsed_object *told = parser->objects.items[object];
	bool is_told = false;

	if (told->served != SYMBOLS_NONE)
		return true;
	if (told->ends >= ENDS_MOST)
		return false;
	parser->adding = object;
	if (object == parser->python_object) {
		parser_begin(parser, OPERATION_PYTHON_OBJECT);
		is_told = parser_ask(parser, NULL, -1);
	} else if (told->is_jit) {
		is_told = ask_to_add_jit(parser, told->shown.path);
	} else if (told->shown.fd >= 0) {
		is_told = add_file_again(parser, told);
	}
	parser->adding = SYMBOLS_NONE;
	is_told = is_told && told->served != SYMBOLS_NONE;
	if (is_told && told->is_seen_through)
		ask_to_see_through(parser, object);
	return is_told;
}

bool parser_begin_about(struct parser *parser, enum operation operation, uint32_t object)
{
	if (parser->ended || !parser_serve_object(parser, object))
		return false;
	parser_begin(parser, operation);
	message_add(&parser->ask, parser_served(parser, object));
	return true;
}

void parser_see_through(struct parser *parser, uint32_t object)
{
	if (parser->ended || !parser_serve_object(parser, object))
		return;
	parser->objects.items[object]->is_seen_through = true;
	ask_to_see_through(parser, object);
}
