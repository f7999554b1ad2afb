/* SPDX-License-Identifier: BSD-2-Clause */
/* perf_script_line - fields from the right, as names of threads and functions hold blanks. */
#include "record/perf_script_line.h"

#include "base/text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define BLANKS " \t\n"
#define HEX "0123456789abcdef"
#define UNKNOWN "[unknown]"
#define KERNEL_ADDRESS_DIGITS 16 /* of which the first says that it is the kernel's */

/* The word that ends before `end`, cut off there; NULL if none is left. */
static char *word_before(char *line, char **end)
{
	char *stop = *end;
	while (stop > line && isspace((unsigned char)stop[-1]))
		stop--;
	char *start = stop;
	while (start > line && !isspace((unsigned char)start[-1]))
		start--;
	*stop = 0;
	*end = start;
	return start < stop ? start : NULL;
}

/* "12.345678:"; perf prints it in every format. */
static char *find_time(char *line, double *seconds)
{
	for (char *at = line; (at = strpbrk(at, "0123456789")); at += strspn(at, "0123456789.")) {
		size_t length = strspn(at, "0123456789.");
		char *rest;
		if (at == line || !isspace((unsigned char)at[-1]) || at[length] != ':' ||
		    !memchr(at, '.', length))
			continue;
		*seconds = strtod(at, &rest);
		if (rest == at + length)
			return at;
	}
	return NULL;
}

bool perf_script_has_time(char *line)
{
	double seconds;

	return find_time(line, &seconds);
}

static bool read_ids(char *word, struct perf_script_head *head)
{
	char *slash = strchr(word, '/');

	if (slash)
		*slash = 0;
	if (!text_to_unsigned(slash ? slash + 1 : word, &head->tid))
		return false;
	if (!slash || !text_to_unsigned(word, &head->pid))
		head->pid = head->tid;
	return true;
}

/* Behind the time: "1000 cpu-clock:u: ". */
static void read_event(char *rest, struct perf_script_head *head)
{
	rest += strspn(rest, " \t");
	size_t length = strcspn(rest, BLANKS);
	char *event = rest;
	if (isdigit((unsigned char)*rest) && strspn(rest, "0123456789") == length) {
		head->has_period = true;
		head->period = strtoull(rest, &event, 10);
		event += strspn(event, " \t");
	}
	head->event = event;
	length = strcspn(event, BLANKS);
	head->rest = event + length + (event[length] != 0);
	event[length] = 0;
	if (length && event[length - 1] == ':')
		event[length - 1] = 0;
}

bool perf_script_read_head(char *line, struct perf_script_head *head)
{
	char *time = find_time(line, &head->seconds), *end = time;
	char *word = time ? word_before(line, &end) : NULL;
	uint64_t number;

	if (!word)
		return false;
	size_t length = strlen(word);
	if (word[0] == '[' && word[length - 1] == ']') {
		word[length - 1] = 0;
		if (!text_to_unsigned(word + 1, &number) || number > UINT16_MAX)
			return false;
		head->cpu = (unsigned)number;
		head->has_cpu = true;
		word = word_before(line, &end);
	}
	if (!word || !read_ids(word, head))
		return false;
	while (end > line && isspace((unsigned char)end[-1]))
		*--end = 0;
	head->comm = line + strspn(line, " \t");
	read_event(strchr(time, ':') + 1, head);
	if (*head->comm && *head->event)
		return true;
	head->event = NULL;
	return false;
}

bool perf_script_lacks_time(const char *line)
{
	const char *at = line;
	size_t length;

	/* "comm  12/34 [001]  1000 cpu-clock:u: " */
	for (; (at = strpbrk(at, "0123456789")); at += length) {
		length = strspn(at, "0123456789");
		if (at == line || !isspace((unsigned char)at[-1]) || at[length] != ' ')
			continue;
		const char *event = at + length + 1;
		size_t size = strcspn(event, BLANKS);
		if (isalpha((unsigned char)*event) && event[size - 1] == ':')
			return true;
	}
	return false;
}

/* In brackets, but the code of processes. */
static bool is_kernel_object(const char *object)
{
	static const char *const of_processes[] = {"[vdso]",     "[heap]", "[stack", "[uprobes]",
						   "[vsyscall]", "[anon",  UNKNOWN};

	for (size_t i = 0; i < sizeof(of_processes) / sizeof(*of_processes); i++)
		if (text_starts_with(object, of_processes[i]))
			return false;
	return object[0] == '[';
}

/* What stands in "(/usr/bin/x)" or "([kernel.kallsyms])"; the name before may hold brackets. */
static char *object_in(char *frame)
{
	char *found = NULL;

	for (char *at = strchr(frame, '('); at; at = strchr(at + 1, '('))
		if ((at == frame || at[-1] == ' ') && (strchr("/[", at[1]) || !found))
			found = at + 1;
	return found;
}

/* Cuts "(/usr/bin/x)" off, and "+0x34" before it; the object, or "". */
static char *cut_object(char *name, char *end)
{
	char *object = end > name && end[-1] == ')' ? object_in(name) : NULL;

	if (object) {
		end[-1] = 0;
		object[-1] = 0;
		if (object - 1 > name)
			object[-2] = 0;
	}
	char *offset = strstr(name, "+0x");
	for (char *next = offset; next; next = strstr(next + 1, "+0x"))
		offset = next;
	if (offset && strspn(offset + 3, HEX) == strlen(offset + 3))
		*offset = 0;
	return object ? object : end;
}

/* The word that is an address; NULL: it is none. *end: behind it and blanks. */
static char *read_address(char *line, char **end)
{
	char *word = line + strspn(line, BLANKS);
	size_t length = strspn(word, HEX);

	if (!length || (word[length] && !isspace((unsigned char)word[length])))
		return NULL;
	*end = word + length + strspn(word + length, BLANKS);
	return word;
}

bool perf_script_read_frame(char *line, struct perf_script_frame *frame)
{
	char *end = line + strlen(line), *name, *behind;

	while (end > line && isspace((unsigned char)end[-1]))
		end--;
	*end = 0;
	char *address = read_address(line, &name);
	if (!address)
		return false;
	/* With -F +addr in one line the address of data comes first. */
	char *second = read_address(name, &behind);
	if (second && *behind && *behind != '(') {
		address = second;
		name = behind;
	}
	bool is_high = strspn(address, HEX) == KERNEL_ADDRESS_DIGITS && *address == 'f';
	char *object = cut_object(name, end);
	*frame = (struct perf_script_frame){
		.name = *name && strcmp(name, UNKNOWN) != 0 ? name : NULL,
		.is_inlined = !strcmp(object, "inlined"),
		.is_kernel = is_high || is_kernel_object(object),
	};
	if (*object && !frame->is_inlined && strcmp(object, UNKNOWN) != 0 &&
	    strcmp(object, "[kernel.kallsyms]") != 0)
		frame->object = object;
	return true;
}

bool perf_script_read_source(char *line, char **file, unsigned *number)
{
	char *start = line + strspn(line, BLANKS), *colon = strrchr(start, ':');
	char *digits = colon ? colon + 1 : NULL;
	size_t length = digits ? strspn(digits, "0123456789") : 0;

	if (!length || length > 9 || (digits[length] && !strchr(BLANKS, digits[length])) ||
	    *start == '?' || *start == '|')
		return false;
	*number = (unsigned)strtoul(digits, NULL, 10);
	*colon = 0;
	*file = start;
	return *number && *start;
}

const char *perf_script_bare_event(const char *event, int *length)
{
	const char *slash = strchr(event, '/');
	const char *bare = slash && slash[1] && slash[1] != ':' ? slash + 1 : event;

	*length = (int)strcspn(bare, ":/");
	return bare;
}

static bool event_is(const char *event, const char *name)
{
	int length;
	const char *bare = perf_script_bare_event(event, &length);

	return (size_t)length == strlen(name) && !strncmp(bare, name, (size_t)length);
}

enum perf_script_weight perf_script_weight(const char *event)
{
	if (event_is(event, "cpu-clock") || event_is(event, "task-clock"))
		return WEIGHT_NS;
	if (event_is(event, "offcpu-time"))
		return WEIGHT_OFF_CPU;
	return event_is(event, "cycles") || event_is(event, "cpu-cycles") ? WEIGHT_CYCLES :
									    WEIGHT_NONE;
}
