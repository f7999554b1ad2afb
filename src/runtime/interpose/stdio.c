/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stdio - interposed: functions of libc's streams that read or write a file when the buffer is
 * empty or full. (libc does not call read and write there, but the kernel.) A call that the buffer
 * serves costs one comparison.
 *
 * printf, scanf and putc are not interposed: mostly a later fflush, which is, writes their output.
 */
#include "runtime/interpose/real.h"

static size_t buffered(const FILE *stream)
{
	return stream->_IO_read_ptr < stream->_IO_read_end ?
		       (size_t)(stream->_IO_read_end - stream->_IO_read_ptr) :
		       0;
}

static bool has_line(const FILE *stream, int end)
{
	size_t size = buffered(stream);
	return size && __builtin_memchr(stream->_IO_read_ptr, end, size);
}

/* True if `size` bytes need no system call. */
static bool has_room(const FILE *stream, size_t size)
{
	return stream->_IO_write_end > stream->_IO_write_ptr &&
	       (size_t)(stream->_IO_write_end - stream->_IO_write_ptr) > size;
}

static void before_writing(const FILE *stream)
{
	if (stream->_fileno >= 0)
		wait_before_writing(stream->_fileno);
}

#define READS(type, name, is_served, parameters, ...)            \
	RUNTIME_EXPORT type name parameters                      \
	{                                                        \
		if (is_served)                                   \
			return REAL(name)(__VA_ARGS__);          \
		WAIT_ON(waiting, WAIT_FOR_FILE, stream->_fileno) \
		return REAL(name)(__VA_ARGS__);                  \
	}

#define WRITES(type, name, size, parameters, ...)                \
	RUNTIME_EXPORT type name parameters                      \
	{                                                        \
		if (has_room(stream, size))                      \
			return REAL(name)(__VA_ARGS__);          \
		before_writing(stream);                          \
		WAIT_ON(waiting, WAIT_FOR_FILE, stream->_fileno) \
		return REAL(name)(__VA_ARGS__);                  \
	}

/* clang-format off */
READS(size_t, fread, buffered(stream) >= size * count,
      (void *restrict bytes, size_t size, size_t count, FILE *restrict stream),
      bytes, size, count, stream)
READS(size_t, __fread_chk, buffered(stream) >= size * count,
      (void *restrict bytes, size_t room, size_t size, size_t count, FILE *restrict stream),
      bytes, room, size, count, stream)
READS(char *, fgets, has_line(stream, '\n'),
      (char *restrict text, int size, FILE *restrict stream), text, size, stream)
READS(char *, __fgets_chk, has_line(stream, '\n'),
      (char *restrict text, size_t room, int size, FILE *restrict stream),
      text, room, size, stream)
READS(int, fgetc, buffered(stream), (FILE *stream), stream)
READS(int, getc, buffered(stream), (FILE *stream), stream)
READS(ssize_t, getline, has_line(stream, '\n'),
      (char **restrict line, size_t *restrict room, FILE *restrict stream),
      line, room, stream)
READS(ssize_t, getdelim, has_line(stream, end),
      (char **restrict line, size_t *restrict room, int end, FILE *restrict stream),
      line, room, end, stream)
/* Optimizing compilers call it for getline. */
READS(ssize_t, __getdelim, has_line(stream, end),
      (char **restrict line, size_t *restrict room, int end, FILE *restrict stream),
      line, room, end, stream)

WRITES(size_t, fwrite, size * count,
       (const void *restrict bytes, size_t size, size_t count, FILE *restrict stream),
       bytes, size, count, stream)
WRITES(int, fputs, __builtin_strlen(text), (const char *restrict text, FILE *restrict stream),
       text, stream)
/* clang-format on */

RUNTIME_EXPORT int getchar(void)
{
	return getc(stdin);
}

/* NULL: all streams. */
RUNTIME_EXPORT int fflush(FILE *stream)
{
	if (stream && stream->_IO_write_ptr == stream->_IO_write_base)
		return REAL(fflush)(stream);
	if (stream)
		before_writing(stream);
	WAIT_ON(waiting, WAIT_FOR_FILE, stream ? stream->_fileno : -1)
	return REAL(fflush)(stream);
}

RUNTIME_EXPORT int fclose(FILE *stream)
{
	before_writing(stream);
	WAIT_ON(waiting, WAIT_FOR_FILE, stream->_fileno)
	return REAL(fclose)(stream);
}
