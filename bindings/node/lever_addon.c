/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lever_addon - liblever.so for Node.js, by Node-API; lever.js is the interface.
 *
 *	cc -O2 -shared -fPIC -I/usr/include/node -o lever_addon.node lever_addon.c -ldl
 *
 * It loads liblever.so.1, or the file that LEVER_LIBRARY names. `load` returns the word that says
 * whether something listens, or why there is none.
 */
#include <dlfcn.h>
#include <node_api.h>
#include <stdint.h>
#include <stdlib.h>

static uint32_t (*lever_id)(const char *name);
static void (*lever_visit[4])(uint32_t id); /* progress, begin, end, instant */
static void (*lever_counter)(uint32_t id, int64_t value);

static napi_value text_value(napi_env environment, const char *text)
{
	napi_value value = NULL;
	napi_create_string_utf8(environment, text, NAPI_AUTO_LENGTH, &value);
	return value;
}

/* Returns the address of the word, or NULL with *why. */
static void *library_load(const char **why)
{
	static const char *const names[] = {"lever_progress", "lever_begin", "lever_end",
					    "lever_instant"};
	const char *path = getenv("LEVER_LIBRARY");
	void *library = dlopen(path ? path : "liblever.so.1", RTLD_NOW);
	void *(*word)(void) = NULL;

	if (library) {
		*(void **)&word = dlsym(library, "lever_listening_word");
		*(void **)&lever_id = dlsym(library, "lever_id");
		*(void **)&lever_counter = dlsym(library, "lever_counter");
		for (int i = 0; i < 4; i++)
			*(void **)&lever_visit[i] = dlsym(library, names[i]);
	}
	*why = library && word ? NULL : dlerror();
	return library && word ? word() : NULL;
}

static napi_value load(napi_env environment, napi_callback_info call)
{
	const char *why;
	void *word = library_load(&why);
	napi_value memory = NULL;

	(void)call;
	if (!word)
		return text_value(environment, why);
	if (napi_create_external_arraybuffer(environment, word, 4, NULL, NULL, &memory) != napi_ok)
		return text_value(environment, "this runtime has no external memory");
	return memory;
}

static napi_value id(napi_env environment, napi_callback_info call)
{
	size_t count = 1, length = 0;
	char name[512];
	napi_value word, result = NULL;

	napi_get_cb_info(environment, call, &count, &word, NULL, NULL);
	napi_get_value_string_utf8(environment, word, name, sizeof(name), &length);
	napi_create_uint32(environment, lever_id(name), &result);
	return result;
}

/* visit(which, id) */
static napi_value visit(napi_env environment, napi_callback_info call)
{
	size_t count = 2;
	napi_value words[2];
	uint32_t which = 0, number = 0;

	napi_get_cb_info(environment, call, &count, words, NULL, NULL);
	napi_get_value_uint32(environment, words[0], &which);
	napi_get_value_uint32(environment, words[1], &number);
	lever_visit[which & 3](number);
	return NULL;
}

/* counter(id, value) */
static napi_value counter(napi_env environment, napi_callback_info call)
{
	size_t count = 2;
	napi_value words[2];
	uint32_t number = 0;
	int64_t value = 0;

	napi_get_cb_info(environment, call, &count, words, NULL, NULL);
	napi_get_value_uint32(environment, words[0], &number);
	napi_get_value_int64(environment, words[1], &value);
	lever_counter(number, value);
	return NULL;
}

NAPI_MODULE_INIT()
{
	static const struct {
		const char *name;
		napi_callback function;
	} functions[] = {{"load", load}, {"id", id}, {"visit", visit}, {"counter", counter}};

	for (unsigned i = 0; i < sizeof(functions) / sizeof(functions[0]); i++) {
		napi_value function = NULL;
		napi_create_function(env, functions[i].name, NAPI_AUTO_LENGTH,
				     functions[i].function, NULL, &function);
		napi_set_named_property(env, exports, functions[i].name, function);
	}
	return exports;
}
