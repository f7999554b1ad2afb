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

bool html_is_built(void)
{
	return page_size_bytes > 0;
}

/* In one call, into a buffer of the greatest size. */
static unsigned char *deflated(const char *text, size_t size, size_t *deflated_size)
{
	z_stream stream = {.next_in = (unsigned char *)text, .avail_in = (uInt)size};
	assert(size < UINT32_MAX);
	int code = deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, RAW_WINDOW_BITS,
				MEMORY_LEVEL, Z_DEFAULT_STRATEGY);
	assert(code == Z_OK);
	size_t room = deflateBound(&stream, size);
	unsigned char *bytes = memory_new(room, 1);
	stream.next_out = bytes;
	stream.avail_out = (uInt)room;
	code = deflate(&stream, Z_FINISH);
	assert(code == Z_STREAM_END);
	*deflated_size = stream.total_out;
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
