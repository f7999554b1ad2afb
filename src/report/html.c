/* SPDX-License-Identifier: BSD-2-Clause */
/* html - deflates the data, and writes them at the mark of the page. */
#include "report/html.h"

#include "base/memory.h"
#include "report/page.h"

#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#define RAW_WINDOW_BITS (-15)
#define MEMORY_LEVEL 9
#define FAST_BYTES (32 << 20) /* longer data are deflated fast: 3 times faster, a fifth longer */
#define PIECE_BYTES (1u << 30)

bool html_is_built(void)
{
	return page_size_bytes > 0;
}

static size_t least(size_t one, size_t other)
{
	return one < other ? one : other;
}

/* Into a buffer of the greatest size; in pieces, as zlib counts them by 32 bits. */
static unsigned char *deflated(const char *text, size_t size, size_t *deflated_size)
{
	z_stream stream = {.next_in = (unsigned char *)text};
	int code = deflateInit2(&stream, size > FAST_BYTES ? Z_BEST_SPEED : Z_DEFAULT_COMPRESSION,
				Z_DEFLATED, RAW_WINDOW_BITS, MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
	assert(code == Z_OK);
	size_t room = deflateBound(&stream, size), done = 0;
	unsigned char *bytes = memory_new(room, 1);
	stream.next_out = bytes;
	for (code = Z_OK; code == Z_OK;) {
		done = (size_t)((const char *)stream.next_in - text);
		stream.avail_in = (uInt)least(size - done, PIECE_BYTES);
		stream.avail_out =
			(uInt)least(room - (size_t)(stream.next_out - bytes), PIECE_BYTES);
		code = deflate(&stream, done + stream.avail_in == size ? Z_FINISH : Z_NO_FLUSH);
	}
	assert(code == Z_STREAM_END);
	*deflated_size = (size_t)(stream.next_out - bytes);
	deflateEnd(&stream);
	return bytes;
}

/* RFC 4648, section 4. */
static void write_base64(FILE *out, const unsigned char *bytes, size_t size)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	for (size_t i = 0; i < size; i += 3) {
		unsigned second = i + 1 < size ? bytes[i + 1] : 0;
		unsigned third = i + 2 < size ? bytes[i + 2] : 0;
		unsigned group = (unsigned)bytes[i] << 16 | second << 8 | third;
		fputc(digits[group >> 18], out);
		fputc(digits[group >> 12 & 63], out);
		fputc(i + 1 < size ? digits[group >> 6 & 63] : '=', out);
		fputc(i + 2 < size ? digits[group & 63] : '=', out);
	}
}

static void write_page(FILE *out, const char *data, size_t size)
{
	const char *mark = memmem(page, page_size_bytes, PAGE_MARK, strlen(PAGE_MARK));
	assert(mark);
	size_t head = (size_t)(mark - page), tail = head + strlen(PAGE_MARK), deflated_size;
	unsigned char *bytes = deflated(data, size, &deflated_size);
	fwrite(page, 1, head, out);
	write_base64(out, bytes, deflated_size);
	fwrite(page + tail, 1, page_size_bytes - tail, out);
	free(bytes);
}

void html_begin(struct html_page *html)
{
	*html = (struct html_page){0};
	html->data = open_memstream(&html->text, &html->size);
	fputs("{\"report\": ", html->data);
}

void html_key(struct html_page *html, const char *key)
{
	fprintf(html->data, ", \"%s\": ", key);
}

void html_end(struct html_page *html, FILE *out)
{
	fputs("}\n", html->data);
	fclose(html->data);
	write_page(out, html->text, html->size);
	free(html->text);
}
