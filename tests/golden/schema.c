/* SPDX-License-Identifier: BSD-2-Clause */
/* schema - a small validator; it complains about keywords that it does not know. */
#include "schema.h"

#include "base/cleanup.h"
#include "base/memory.h"

#include <jansson.h>
#include <stdbool.h>
#include <string.h>

struct place {
	json_t *root;     /* of the schema */
	const char *path; /* in the text, for complaints */
};

static char *check(const struct place *place, json_t *schema, json_t *value);

static bool is_type(json_t *value, const char *type)
{
	return (!strcmp(type, "object") && json_is_object(value)) ||
	       (!strcmp(type, "array") && json_is_array(value)) ||
	       (!strcmp(type, "string") && json_is_string(value)) ||
	       (!strcmp(type, "integer") && json_is_integer(value)) ||
	       (!strcmp(type, "number") && json_is_number(value)) ||
	       (!strcmp(type, "boolean") && json_is_boolean(value)) ||
	       (!strcmp(type, "null") && json_is_null(value));
}

static bool is_one_type(json_t *value, json_t *types)
{
	size_t i;
	json_t *type;
	if (json_is_string(types))
		return is_type(value, json_string_value(types));
	json_array_foreach(types, i, type)
	{
		if (is_type(value, json_string_value(type)))
			return true;
	}
	return false;
}

static bool is_in(json_t *value, json_t *choices)
{
	size_t i;
	json_t *choice;
	json_array_foreach(choices, i, choice)
	{
		if (json_equal(value, choice))
			return true;
	}
	return false;
}

static char *check_required(const struct place *place, json_t *names, json_t *value)
{
	size_t i;
	json_t *name;
	json_array_foreach(names, i, name)
	{
		if (json_is_object(value) && !json_object_get(value, json_string_value(name)))
			return text_format("%s lacks %s", place->path, json_string_value(name));
	}
	return NULL;
}

static char *check_properties(const struct place *place, json_t *schema, json_t *value)
{
	json_t *properties = json_object_get(schema, "properties");
	bool is_closed = json_is_false(json_object_get(schema, "additionalProperties"));
	const char *key;
	json_t *member;
	json_object_foreach(value, key, member)
	{
		AUTO(text) char *path = text_format("%s.%s", place->path, key);
		struct place inner = {place->root, path};
		json_t *rule = json_object_get(properties, key);
		if (!rule && is_closed)
			return text_format("%s is not in the schema", path);
		char *complaint = rule ? check(&inner, rule, member) : NULL;
		if (complaint)
			return complaint;
	}
	return NULL;
}

static char *check_items(const struct place *place, json_t *rule, json_t *value)
{
	size_t i;
	json_t *item;
	json_array_foreach(value, i, item)
	{
		AUTO(text) char *path = text_format("%s[%zu]", place->path, i);
		struct place inner = {place->root, path};
		char *complaint = check(&inner, rule, item);
		if (complaint)
			return complaint;
	}
	return NULL;
}

static char *check_reference(const struct place *place, const char *reference, json_t *value)
{
	static const char start[] = "#/$defs/";
	json_t *rule = NULL;
	if (!strncmp(reference, start, strlen(start)))
		rule = json_object_get(json_object_get(place->root, "$defs"),
				       reference + strlen(start));
	return rule ? check(place, rule, value) : text_format("the schema lacks %s", reference);
}

static bool is_within(const char *keyword, json_t *bound, json_t *value)
{
	double limit = json_number_value(bound), number = json_number_value(value);
	if (!json_is_number(value))
		return true;
	return !strcmp(keyword, "minimum") ? number >= limit : number <= limit;
}

static char *check_keyword(const struct place *place, const char *keyword, json_t *schema,
			   json_t *value)
{
	static const char *const silent[] = {"$schema", "title", "description", "$defs",
					     "additionalProperties"};
	json_t *rule = json_object_get(schema, keyword);
	bool fine = false;
	for (size_t i = 0; i < sizeof(silent) / sizeof(silent[0]); i++)
		fine |= !strcmp(keyword, silent[i]);
	if (!strcmp(keyword, "required"))
		return check_required(place, rule, value);
	if (!strcmp(keyword, "properties"))
		return check_properties(place, schema, value);
	if (!strcmp(keyword, "items"))
		return check_items(place, rule, value);
	if (!strcmp(keyword, "$ref"))
		return check_reference(place, json_string_value(rule), value);
	if (!strcmp(keyword, "type"))
		fine = is_one_type(value, rule);
	else if (!strcmp(keyword, "const"))
		fine = json_equal(rule, value);
	else if (!strcmp(keyword, "enum"))
		fine = is_in(value, rule);
	else if (!strcmp(keyword, "minimum") || !strcmp(keyword, "maximum"))
		fine = is_within(keyword, rule, value);
	return fine ? NULL : text_format("%s does not keep to %s", place->path, keyword);
}

static char *check(const struct place *place, json_t *schema, json_t *value)
{
	const char *keyword;
	json_t *rule;
	json_object_foreach(schema, keyword, rule)
	{
		char *complaint = check_keyword(place, keyword, schema, value);
		if (complaint)
			return complaint;
	}
	return NULL;
}

char *schema_complaint(const char *schema_path, const char *text)
{
	json_error_t error;
	json_t *schema = json_load_file(schema_path, 0, &error);
	if (!schema)
		return text_format("%s: %s", schema_path, error.text);
	json_t *value = text ? json_loads(text, 0, &error) : NULL;
	struct place place = {schema, "report"};
	char *complaint = value ? check(&place, schema, value) :
				  text_format("not JSON: %s in line %d",
					      text ? error.text : "nothing", text ? error.line : 0);
	json_decref(value);
	json_decref(schema);
	return complaint;
}
