/* SPDX-License-Identifier: BSD-2-Clause */
/* wait_classifier - the user's table, parsed, before the built-in one. */
#include "record/wait_classifier.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "base/text.h"
#include "wire/wait_class.h"

#include <errno.h>
#include <fnmatch.h>
#include <string.h>

struct rule {
	enum sample_class class;
	char *subclass; /* NULL: none */
	char *pattern;
	bool is_call;
	bool is_built_in;
};

struct wait_classifier {
	ARRAY(struct rule) rules; /* the user's first */
};

CLEANUP_DEFINE(wait_classifier, struct wait_classifier *, wait_classifier_free, NULL)

static const char *const wait_functions[] = {WAIT_FUNCTIONS};

bool wait_classifier_is_wait_function(const char *function)
{
	for (size_t i = 0; i < sizeof(wait_functions) / sizeof(*wait_functions); i++)
		if (!fnmatch(wait_functions[i], function, 0))
			return true;
	return false;
}

/* "I", "L", "S", "B" */
static bool read_class(const char *text, enum sample_class *class)
{
	for (unsigned i = CLASS_IO; i < SAMPLE_CLASSES; i++) {
		*class = i;
		if (!strcmp(text, sample_class_name(i)))
			return true;
	}
	return false;
}

static bool add_line(struct wait_classifier *classifier, char *line, bool is_built_in)
{
	enum sample_class class;

	line[strcspn(line, "#")] = 0;
	char *rest = NULL, *head = strtok_r(line, " \t\r", &rest);
	if (!head)
		return true;
	char *subclass = strchr(head, '/');
	if (subclass)
		*subclass++ = 0;
	if (!read_class(head, &class) || (subclass && !*subclass))
		return false;
	unsigned patterns = 0;
	for (char *word; (word = strtok_r(NULL, " \t\r", &rest)); patterns++) {
		bool is_call = text_starts_with(word, "call:");
		*array_add(&classifier->rules) = (struct rule){
			.class = class,
			.subclass = text_copy(subclass),
			.pattern = text_copy(word + (is_call ? strlen("call:") : 0)),
			.is_call = is_call,
			.is_built_in = is_built_in,
		};
	}
	return patterns;
}

/* The number of the first line that is not a rule; 0: all are. */
static unsigned add_table(struct wait_classifier *classifier, const char *table, bool is_built_in)
{
	AUTO(text) char *copy = text_copy(table);
	char *rest = copy;
	unsigned number = 0;

	for (char *line; (line = strsep(&rest, "\n"));) {
		number++;
		if (!add_line(classifier, line, is_built_in))
			return number;
	}
	return 0;
}

int wait_classifier_new(const char *path, struct wait_classifier **result, struct error *error)
{
	AUTO(wait_classifier)
	struct wait_classifier *classifier = memory_new(1, sizeof(*classifier));

	if (path) {
		AUTO(text) char *table = file_read(path, NULL, error);
		if (!table)
			return error ? error->code : -EIO;
		unsigned wrong = add_table(classifier, table, false);
		if (wrong)
			return error_set(
				error, -EINVAL,
				"%s:%u: not a rule; write CLASS[/SUBCLASS] PATTERN... with "
				"I, L, S or B as CLASS, like: B/queue mq_* call:msgrcv",
				path, wrong);
	}
	add_table(classifier, WAIT_RULES, true);
	*result = take(&classifier);
	return 0;
}

void wait_classifier_free(struct wait_classifier *classifier)
{
	if (!classifier)
		return;
	for (size_t i = 0; i < classifier->rules.count; i++) {
		free(classifier->rules.items[i].subclass);
		free(classifier->rules.items[i].pattern);
	}
	array_free(&classifier->rules);
	free(classifier);
}

static bool rule_matches(const struct rule *rule, const struct wait_site *site)
{
	const char *name = rule->is_call ? site->call : site->function;
	return name && !fnmatch(rule->pattern, name, 0);
}

/*
 * The kernel function decides before the system call: an fsync may wait for a mutex. If the
 * scheduler counts the wait as I/O, only built-in rules of class I apply.
 */
struct off_cpu_class wait_classifier_classify(const struct wait_classifier *classifier,
					      const struct wait_site *site)
{
	for (int pass = 0; pass < 3; pass++) {
		bool is_built_in = pass > 0, is_call = pass == 2;
		for (size_t i = 0; i < classifier->rules.count; i++) {
			const struct rule *rule = &classifier->rules.items[i];
			if (rule->is_built_in != is_built_in ||
			    (is_built_in && rule->is_call != is_call) ||
			    (is_built_in && site->is_io_wait && rule->class != CLASS_IO))
				continue;
			if (rule_matches(rule, site))
				return (struct off_cpu_class){rule->class, rule->subclass};
		}
	}
	return (struct off_cpu_class){site->is_io_wait ? CLASS_IO : CLASS_OTHER, NULL};
}
