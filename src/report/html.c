/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * html - a profile as one page that needs nothing else: web/ made the page, this fills in the data.
 *
 * The data are JSON, deflated without a header (RFC 1951), in base64. So no name in them can be taken
 * for markup, whatever it holds. Of a causal profile they are {"report": what --format json gives,
 * "sources": sources.h}, of samples {"report": the same without its entries, "samples":
 * samples_page.h}, of a timeline {"report": its figures as JSON, "timeline": timeline_page.h}, of a
 * scaling {"report": the JSON}.
 */
#include "report/report.h"

#include "base/cleanup.h"
#include "report/causal/sources.h"
#include "report/json.h"
#include "report/page.h"
#include "report/samples/json.h"
#include "report/samples/page.h"
#include "report/timeline/page.h"

#include <assert.h>
#include <string.h>
#include <zlib.h>

#define RAW_WINDOW_BITS (-15)
#define MEMORY_LEVEL 9

bool report_has_html(void)
{
	return page_size_bytes > 0;
}

/* All at once, into room that is always enough. */
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

static void begin_data(FILE *data)
{
	fputs("{\"report\": ", data);
}

static void end_data(FILE *data, json_t *sources)
{
	fputs(", \"sources\": ", data);
	json_dumpf(sources, data, JSON_COMPACT);
	fputs("}\n", data);
	fclose(data);
	json_decref(sources);
}

void report_html(FILE *out, const struct recording *recording, const struct causal *causal)
{
	AUTO(text) char *text = NULL;
	size_t size = 0;
	FILE *data = open_memstream(&text, &size);
	begin_data(data);
	report_json(data, recording, causal);
	end_data(data, sources_of(recording, causal));
	write_page(out, text, size);
}

void report_samples_html(FILE *out, const struct recording *recording,
			 const struct samples *samples)
{
	AUTO(text) char *text = NULL;
	size_t size = 0;
	FILE *data = open_memstream(&text, &size);
	begin_data(data);
	json_t *report = samples_json_head(recording, samples);
	json_dumpf(report, data, JSON_COMPACT | JSON_REAL_PRECISION(JSON_DIGITS));
	json_decref(report);
	fputs(", \"samples\": ", data);
	samples_page_write(data, samples);
	fputs("}\n", data);
	fclose(data);
	write_page(out, text, size);
}

void report_timeline_html(FILE *out, const struct recording *recording,
			  const struct timeline *timeline)
{
	AUTO(text) char *text = NULL;
	size_t size = 0;
	FILE *data = open_memstream(&text, &size);
	begin_data(data);
	report_timeline_json(data, recording, timeline);
	fputs(", \"timeline\": ", data);
	timeline_page_write(data, timeline);
	fputs("}\n", data);
	fclose(data);
	write_page(out, text, size);
}

void report_scale_html(FILE *out, const struct recording *recording, const struct scale *scale)
{
	AUTO(text) char *text = NULL;
	size_t size = 0;
	FILE *data = open_memstream(&text, &size);
	begin_data(data);
	report_scale_json(data, recording, scale);
	fputs("}\n", data);
	fclose(data);
	write_page(out, text, size);
}
