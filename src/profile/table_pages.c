/* SPDX-License-Identifier: BSD-2-Clause */
/* table_pages - finds the leaves of a table, counts their rows, then decodes them in pieces. */
#include "profile/table_pages.h"

#include "base/cleanup.h"
#include "base/workers.h"
#include "profile/rows.h"

#include <limits.h>
#include <math.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Of the file's header. */
#define HEADER_BYTES 100
#define HEADER_PAGE_SIZE 16
#define HEADER_RESERVED 20
#define HEADER_ENCODING 56
#define ENCODING_UTF_8 1

/* Of a page. */
#define PAGE_INTERIOR 0x05
#define PAGE_LEAF 0x0d
#define PAGE_CELLS 3
#define PAGE_LAST_CHILD 8
#define INTERIOR_BYTES 12
#define LEAF_BYTES 8
#define OVERFLOW_REST 35 /* longer rows go on in other pages */

#define DEPTH_MOST 20
#define LEAVES_OF_PIECE 64
#define PAGES_AT_ONCE 16
#define PAGE_SIZE_MOST 65536

struct leaf {
	uint32_t page;
	unsigned cells;
	size_t first; /* number of its first row */
};

struct table_pages {
	int fd;
	unsigned page_size;
	uint32_t pages; /* of the file */
	const struct table *table;
	ARRAY(struct leaf) leaves;
	char *rows;
	atomic_bool is_strange;
};

static unsigned number_2(const unsigned char *bytes)
{
	return (unsigned)bytes[0] << 8 | bytes[1];
}

static uint32_t number_4(const unsigned char *bytes)
{
	return (uint32_t)number_2(bytes) << 16 | number_2(bytes + 2);
}

/* Reads a variable-length number of at most 9 bytes; NULL: it is not within the page. */
static const unsigned char *read_number(const unsigned char *at, const unsigned char *end,
					uint64_t *number)
{
	*number = 0;
	for (int i = 0; i < 9 && at < end; i++, at++) {
		if (i == 8) {
			*number = *number << 8 | *at;
			return at + 1;
		}
		*number = *number << 7 | (*at & 0x7f);
		if (!(*at & 0x80))
			return at + 1;
	}
	return NULL;
}

static bool read_pages(const struct table_pages *pages, uint32_t first, size_t count,
		       unsigned char *buffer)
{
	size_t size = count * pages->page_size;

	return first && first <= pages->pages &&
	       pread(pages->fd, buffer, size, (off_t)(first - 1) * pages->page_size) ==
		       (ssize_t)size;
}

/* ---- the tree ---- */

static bool add_leaves(struct table_pages *pages, uint32_t page, int depth);

static unsigned char type_of(const struct table_pages *pages, uint32_t page)
{
	unsigned char type = 0;

	return page && page <= pages->pages &&
			       pread(pages->fd, &type, 1, (off_t)(page - 1) * pages->page_size) ==
				       1 ?
		       type :
		       0;
}

/* All leaves are equally deep, so brothers of a leaf are leaves; read_leaf finds out if not. */
static bool add_child(struct table_pages *pages, uint32_t page, bool is_leaf, int depth)
{
	if (!is_leaf)
		return add_leaves(pages, page, depth + 1);
	if (pages->leaves.count >= pages->pages)
		return false; /* of a circle there are more leaves than pages */
	*array_add(&pages->leaves) = (struct leaf){.page = page};
	return true;
}

/* Children in their order; each interior page has one more than cells. */
static bool add_children(struct table_pages *pages, const unsigned char *content, int depth)
{
	unsigned cells = number_2(content + PAGE_CELLS);
	uint32_t last = number_4(content + PAGE_LAST_CHILD);
	bool is_leaf = type_of(pages, last) == PAGE_LEAF;

	if (INTERIOR_BYTES + 2 * (size_t)cells > pages->page_size)
		return false;
	for (unsigned i = 0; i < cells; i++) {
		unsigned at = number_2(content + INTERIOR_BYTES + 2 * (size_t)i);
		if (at + 4 > pages->page_size ||
		    !add_child(pages, number_4(content + at), is_leaf, depth))
			return false;
	}
	return add_child(pages, last, is_leaf, depth);
}

/* Of the tree below the page. */
static bool add_leaves(struct table_pages *pages, uint32_t page, int depth)
{
	unsigned char type = depth > DEPTH_MOST ? 0 : type_of(pages, page);

	if (type == PAGE_LEAF)
		return add_child(pages, page, true, depth);
	if (type != PAGE_INTERIOR)
		return false;
	AUTO(text) char *content = memory_new(pages->page_size, 1);
	return read_pages(pages, page, 1, (unsigned char *)content) &&
	       add_children(pages, (const unsigned char *)content, depth);
}

/* ---- rows ---- */

/* Bytes of a value by its type in the file. */
static uint64_t size_of(uint64_t type)
{
	static const unsigned char sizes[] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0};

	return type < sizeof(sizes) ? sizes[type] : (type - 12) / 2;
}

static bool is_integer(uint64_t type)
{
	return (type >= 1 && type <= 6) || type == 8 || type == 9;
}

static bool is_text(uint64_t type)
{
	return type >= 13 && type % 2;
}

static uint64_t bits_of(const unsigned char *bytes, uint64_t size)
{
	uint64_t bits = size && bytes[0] & 0x80 ? UINT64_MAX : 0;

	for (uint64_t i = 0; i < size; i++)
		bits = bits << 8 | bytes[i];
	return bits;
}

static int64_t integer_of(uint64_t type, const unsigned char *bytes)
{
	return type >= 8 ? (int64_t)type - 8 : (int64_t)bits_of(bytes, size_of(type));
}

static bool set_real(uint64_t type, const unsigned char *bytes, double *field)
{
	uint64_t bits = bits_of(bytes, size_of(type));

	if (is_integer(type))
		*field = (double)integer_of(type, bytes);
	else
		memcpy(field, &bits, sizeof(bits));
	return (type == 7 || is_integer(type)) && isfinite(*field) && *field >= 0;
}

static bool set_choice(const struct column *column, const unsigned char *bytes, uint64_t size,
		       unsigned *field)
{
	const char *name;

	for (*field = 0; (name = column->choice(*field)); ++*field)
		if (strlen(name) == size && !memcmp(name, bytes, size))
			return true;
	return false;
}

static bool set_text(uint64_t type, const unsigned char *bytes, char **field)
{
	if (!type)
		return true; /* NULL */
	*field = is_text(type) ? memory_new(size_of(type) + 1, 1) : NULL;
	if (*field)
		memcpy(*field, bytes, size_of(type));
	return *field != NULL;
}

/* False: the column cannot hold the value. */
static bool set_field(const struct column *column, uint64_t type, const unsigned char *bytes,
		      void *row)
{
	void *field = (char *)row + column->offset;
	if (column->type == COLUMN_TEXT)
		return set_text(type, bytes, field);
	if (column->type == COLUMN_CHOICE)
		return is_text(type) && set_choice(column, bytes, size_of(type), field);
	if (column->type == COLUMN_REAL)
		return set_real(type, bytes, field);
	return is_integer(type) && rows_set_integer(column->type, integer_of(type, bytes), field);
}

/* A record: its head has the types of all values, then come these. The id is not among them. */
static bool read_record(const struct table *table, const unsigned char *record, size_t size,
			char *row)
{
	uint64_t head_size, type;
	const unsigned char *end = record + size;
	const unsigned char *head = read_number(record, end, &head_size);
	if (!head || head_size > size)
		return false;
	const unsigned char *values = record + head_size;
	const unsigned char *head_end = values;

	for (size_t i = 0; i < table->count; i++) {
		head = read_number(head, head_end, &type);
		if (!head || size_of(type) > (size_t)(end - values))
			return false;
		if (i && !set_field(&table->columns[i], type, values, row))
			return false;
		values += size_of(type);
	}
	return head == head_end;
}

static bool read_cell(const struct table_pages *pages, const unsigned char *page, unsigned at,
		      char *row)
{
	const unsigned char *end = page + pages->page_size;
	uint64_t size, id;
	const unsigned char *cell =
		at < pages->page_size ? read_number(page + at, end, &size) : NULL;

	cell = cell ? read_number(cell, end, &id) : NULL;
	return cell && size <= pages->page_size - OVERFLOW_REST && size <= (size_t)(end - cell) &&
	       rows_set_integer(COLUMN_ID, (int64_t)id, row + pages->table->columns[0].offset) &&
	       read_record(pages->table, cell, size, row);
}

static int64_t id_of(const struct table_pages *pages, size_t row)
{
	int64_t id;

	memcpy(&id, pages->rows + row * pages->table->row_size + pages->table->columns[0].offset,
	       sizeof(id));
	return id;
}

static bool read_leaf(const struct table_pages *pages, const struct leaf *leaf,
		      const unsigned char *page)
{
	size_t row_size = pages->table->row_size;

	if (page[0] != PAGE_LEAF || number_2(page + PAGE_CELLS) != leaf->cells ||
	    LEAF_BYTES + 2 * (size_t)leaf->cells > pages->page_size)
		return false;
	for (size_t i = 0; i < leaf->cells; i++) {
		size_t row = leaf->first + i;
		if (!read_cell(pages, page, number_2(page + LEAF_BYTES + 2 * i),
			       pages->rows + row * row_size) ||
		    (i && id_of(pages, row - 1) >= id_of(pages, row)))
			return false;
	}
	return true;
}

/* ---- pieces ---- */

static size_t leaves_before(const struct table_pages *pages, size_t piece)
{
	size_t most = pages->leaves.count, count = piece * LEAVES_OF_PIECE;

	return count < most ? count : most;
}

/* No more rows are believed than have room: each has a pointer, 3 sizes, an id and its types. */
static void count_piece(void *argument, size_t piece)
{
	struct table_pages *pages = argument;
	unsigned most = pages->page_size / (2 + 3 + (unsigned)pages->table->count);

	for (size_t i = leaves_before(pages, piece); i < leaves_before(pages, piece + 1); i++) {
		struct leaf *leaf = &pages->leaves.items[i];
		unsigned char cells[2];
		off_t at = (off_t)((int64_t)leaf->page - 1) * pages->page_size + PAGE_CELLS;
		if (pread(pages->fd, cells, sizeof(cells), at) == sizeof(cells) &&
		    number_2(cells) <= most)
			leaf->cells = number_2(cells);
		else
			pages->is_strange = true;
	}
}

/* Leaves that follow each other in the file are read at once. */
static void read_piece(void *argument, size_t piece)
{
	struct table_pages *pages = argument;
	size_t at = leaves_before(pages, piece), end = leaves_before(pages, piece + 1), count;
	AUTO(text) char *memory = memory_new(PAGES_AT_ONCE, pages->page_size);
	unsigned char *buffer = (unsigned char *)memory;

	for (; at < end && !pages->is_strange; at += count) {
		const struct leaf *leaf = &pages->leaves.items[at];
		for (count = 1; count < PAGES_AT_ONCE && at + count < end; count++)
			if (leaf[count].page != leaf->page + count)
				break;
		if (!read_pages(pages, leaf->page, count, buffer))
			pages->is_strange = true;
		for (size_t i = 0; i < count && !pages->is_strange; i++)
			if (!read_leaf(pages, &leaf[i], buffer + i * pages->page_size))
				pages->is_strange = true;
	}
}

static size_t number_rows(struct table_pages *pages)
{
	size_t count = 0;

	for (size_t i = 0; i < pages->leaves.count; i++) {
		pages->leaves.items[i].first = count;
		count += pages->leaves.items[i].cells;
	}
	return count;
}

/* From each leaf to the next one with rows; within leaves read_leaf has seen it. */
static bool are_leaves_ascending(const struct table_pages *pages)
{
	for (size_t i = 0; i < pages->leaves.count; i++) {
		const struct leaf *leaf = &pages->leaves.items[i];
		if (leaf->first && leaf->cells &&
		    id_of(pages, leaf->first - 1) >= id_of(pages, leaf->first))
			return false;
	}
	return true;
}

static bool read_header(struct table_pages *pages)
{
	unsigned char header[HEADER_BYTES];
	struct stat status;

	if (fstat(pages->fd, &status) ||
	    pread(pages->fd, header, sizeof(header), 0) != sizeof(header))
		return false;
	pages->page_size = number_2(header + HEADER_PAGE_SIZE);
	if (pages->page_size < 512 || pages->page_size > PAGE_SIZE_MOST ||
	    status.st_size / pages->page_size > UINT32_MAX)
		return false;
	pages->pages = (uint32_t)(status.st_size / pages->page_size);
	return !header[HEADER_RESERVED] && number_4(header + HEADER_ENCODING) == ENCODING_UTF_8;
}

static bool read_rows(struct table_pages *pages, uint32_t root, struct rows *rows)
{
	if (!read_header(pages) || !add_leaves(pages, root, 0))
		return false;
	size_t pieces = (pages->leaves.count + LEAVES_OF_PIECE - 1) / LEAVES_OF_PIECE;
	workers_run(pieces, count_piece, pages);
	if (pages->is_strange)
		return false;
	rows->count = rows->capacity = number_rows(pages);
	rows->items = pages->rows = memory_new_large(rows->count, pages->table->row_size);
	workers_run(pieces, read_piece, pages);
	return !pages->is_strange && are_leaves_ascending(pages);
}

bool table_pages_read(int fd, uint32_t root, size_t table, struct recording *recording)
{
	struct table_pages pages = {.fd = fd, .table = &schema_tables[table]};
	bool is_read = read_rows(&pages, root, (struct rows *)rows_of(recording, table));

	array_free(&pages.leaves);
	if (!is_read)
		rows_release(recording, table);
	return is_read;
}
