/* SPDX-License-Identifier: BSD-2-Clause */
/* file_lives - a state for each object, and the files that have its number. */
#include "experiment/target/file_lives.h"

#include "base/memory.h"

enum life { LIFE_NONE, LIFE_SHOWN, LIFE_HIDDEN };

struct object_life {
	enum life life;
	size_t rows;
	uint64_t used_ns, hidden_ns;
};

struct named_file {
	struct wire_file file;
	uint32_t object;
};

struct file_lives {
	ARRAY(struct object_life) objects; /* by number */
	ARRAY(struct named_file) files;
	size_t shown; /* how many of them are */
};

struct file_lives *file_lives_new(void)
{
	return memory_new(1, sizeof(struct file_lives));
}

void file_lives_free(struct file_lives *lives)
{
	if (!lives)
		return;
	array_free(&lives->objects);
	array_free(&lives->files);
	free(lives);
}

void file_lives_begin(struct file_lives *lives, uint32_t object, size_t rows, uint64_t now_ns)
{
	while (lives->objects.count <= object)
		*array_add(&lives->objects) = (struct object_life){0};
	lives->objects.items[object] =
		(struct object_life){.life = LIFE_SHOWN, .rows = rows, .used_ns = now_ns};
	lives->shown++;
}

void file_lives_set_rows(struct file_lives *lives, uint32_t object, size_t rows)
{
	if (file_lives_has(lives, object))
		lives->objects.items[object].rows = rows;
}

bool file_lives_has(const struct file_lives *lives, uint32_t object)
{
	return object < lives->objects.count && lives->objects.items[object].life != LIFE_NONE;
}

void file_lives_name(struct file_lives *lives, uint32_t object, const struct wire_file *file)
{
	for (size_t i = 0; i < lives->files.count; i++) {
		const struct named_file *known = &lives->files.items[i];
		if (known->object == object && known->file.inode == file->inode &&
		    known->file.device == file->device)
			return;
	}
	*array_add(&lives->files) = (struct named_file){.file = *file, .object = object};
}

void file_lives_use(struct file_lives *lives, uint32_t object, uint64_t now_ns)
{
	if (object < lives->objects.count)
		lives->objects.items[object].used_ns = now_ns;
}

uint64_t file_lives_used_ns(const struct file_lives *lives, uint32_t object)
{
	return file_lives_has(lives, object) ? lives->objects.items[object].used_ns : UINT64_MAX;
}

static void hide(struct file_lives *lives, uint32_t object, uint64_t now_ns,
		 const struct file_lives_actions *actions)
{
	for (size_t i = 0; i < lives->files.count; i++)
		if (lives->files.items[i].object == object)
			actions->hide(actions->context, &lives->files.items[i].file);
	lives->objects.items[object].life = LIFE_HIDDEN;
	lives->objects.items[object].hidden_ns = now_ns;
	lives->shown--;
}

static void show(struct file_lives *lives, uint32_t object,
		 const struct file_lives_actions *actions)
{
	for (size_t i = 0; i < lives->files.count; i++)
		if (lives->files.items[i].object == object)
			actions->show(actions->context, &lives->files.items[i].file, object);
	lives->objects.items[object].life = LIFE_SHOWN;
	lives->shown++;
}

static void drop(struct file_lives *lives, uint32_t object,
		 const struct file_lives_actions *actions)
{
	size_t kept = 0;

	for (size_t i = 0; i < lives->files.count; i++)
		if (lives->files.items[i].object != object)
			lives->files.items[kept++] = lives->files.items[i];
	lives->files.count = kept;
	lives->objects.items[object] = (struct object_life){0};
	actions->drop(actions->context, object);
}

static void go_on(struct file_lives *lives, uint32_t object, uint64_t now_ns,
		  const struct file_lives_actions *actions)
{
	const struct object_life *life = &lives->objects.items[object];
	bool is_unused = now_ns > life->used_ns + FILE_LIVES_UNUSED_NS;

	if (life->life == LIFE_HIDDEN && life->used_ns > life->hidden_ns)
		show(lives, object, actions);
	else if (life->life == LIFE_HIDDEN && now_ns > life->hidden_ns + FILE_LIVES_HIDDEN_NS)
		drop(lives, object, actions);
	else if (life->life == LIFE_SHOWN && is_unused &&
		 actions->is_removed(actions->context, object))
		hide(lives, object, now_ns, actions);
}

/* The shown object that was not used for longest, and long enough; -1: there is none. */
static int64_t find_oldest(const struct file_lives *lives, uint64_t now_ns)
{
	uint64_t least = now_ns;
	int64_t oldest = -1;

	for (size_t i = 0; i < lives->objects.count; i++) {
		const struct object_life *life = &lives->objects.items[i];
		if (life->life != LIFE_SHOWN || life->used_ns >= least)
			continue;
		least = life->used_ns;
		oldest = (int64_t)i;
	}
	return now_ns > least + FILE_LIVES_UNUSED_NS ? oldest : -1;
}

static size_t shown_rows(const struct file_lives *lives)
{
	size_t rows = 0;

	for (size_t i = 0; i < lives->objects.count; i++)
		if (lives->objects.items[i].life == LIFE_SHOWN)
			rows += lives->objects.items[i].rows;
	return rows;
}

void file_lives_sweep(struct file_lives *lives, uint64_t now_ns,
		      const struct file_lives_actions *actions)
{
	for (uint32_t i = 0; i < lives->objects.count; i++)
		go_on(lives, i, now_ns, actions);
	int64_t oldest = find_oldest(lives, now_ns);
	while (oldest >= 0 &&
	       (lives->shown > FILE_LIVES_MOST || shown_rows(lives) > FILE_LIVES_ROWS_MOST)) {
		hide(lives, (uint32_t)oldest, now_ns, actions);
		oldest = find_oldest(lives, now_ns);
	}
}
