/* SPDX-License-Identifier: BSD-2-Clause */
/* parser - the process that reads binaries: its answers, its end, and answers that are lies. */
#include "symbolize/parser/parser.h"
#include "symbolize/batches.h"
#include "symbolize/far_calls.h"

#include "base/cleanup.h"
#include "base/file.h"
#include "symbolize/internal.h"
#include "symbolize/object/unwind.h"
#include "symbolize/parser/start.h"
#include "symbolize/python.h"

#include "fixture.h"

#include "check.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static bool is_same(const char *one, const char *other)
{
	return one && other ? !strcmp(one, other) : one == other;
}

/* The file by this process, and by a parser. */
struct pair {
	struct fixture own;
	struct symbols *asked;
	uint32_t object;
};

static bool open_pair(struct pair *pair, const char *name)
{
	AUTO(text) char *path = text_format("%s/%s", fixture_directory, name);

	if (fixture_open(&pair->own, name, TARGET_LINE, NULL))
		return false;
	pair->asked = symbols_start(TARGET_LINE, pair->own.scope);
	return pair->asked->parser &&
	       !symbols_add_object(pair->asked, path, NULL, true, &pair->object, NULL);
}

static void close_pair(struct pair *pair)
{
	symbols_free(pair->asked);
	fixture_close(&pair->own);
}

static bool has_same_ranges(struct pair *pair, uint32_t own, uint32_t asked)
{
	const struct range *mine, *theirs;
	size_t count = symbols_location_ranges(pair->own.symbols, own, &mine);

	return symbols_location_ranges(pair->asked, asked, &theirs) == count &&
	       !memcmp(mine, theirs, count * sizeof(*mine));
}

static bool has_same_names(struct pair *pair, uint32_t mine, uint32_t theirs)
{
	if (mine == SYMBOLS_NONE || theirs == SYMBOLS_NONE)
		return mine == theirs;
	const struct symbols_location *one = symbols_location(pair->own.symbols, mine);
	const struct symbols_location *other = symbols_location(pair->asked, theirs);
	return is_same(one->name, other->name) && is_same(one->file, other->file) &&
	       is_same(one->function, other->function) && one->line == other->line &&
	       one->kind == other->kind;
}

static bool has_same_location(struct pair *pair, uint64_t offset)
{
	uint32_t mine = symbols_location_at(pair->own.symbols, pair->own.object, offset);
	uint32_t theirs = symbols_location_at(pair->asked, pair->object, offset);

	return has_same_names(pair, mine, theirs) &&
	       (mine == SYMBOLS_NONE || has_same_ranges(pair, mine, theirs));
}

/* The number of lines that were found. */
static unsigned compare(struct pair *pair)
{
	unsigned differing = 0;

	for (uint64_t offset = 0; offset < 0x3000; offset++) {
		differing += !has_same_location(pair, offset);
		differing +=
			!is_same(symbols_function_at(pair->own.symbols, pair->own.object, offset),
				 symbols_function_at(pair->asked, pair->object, offset));
	}
	CHECK_EQUAL(differing, 0);
	return symbols_location_count(pair->asked);
}

TEST("a parser answers as this process would: lines, functions, ranges, searches, unwinding")
{
	struct pair pair;
	struct symbols_addresses mine = {0}, theirs = {0};
	struct unwind_row *rows, *told;
	uint32_t location, other;

	fixture_begin();
	CHECK(fixture_run("gcc -O1 -g main.c -o plain"));
	CHECK(open_pair(&pair, "plain"));
	CHECK(compare(&pair) > 5);
	size_t count = symbols_unwind_rows(pair.own.symbols, pair.own.object, &rows);
	CHECK_EQUAL(symbols_unwind_rows(pair.asked, pair.object, &told), count);
	CHECK(count > 5 && !memcmp(rows, told, count * sizeof(*rows)));
	free(rows);
	free(told);
	CHECK_EQUAL(symbols_find(pair.own.symbols, "work", &location, NULL), 0);
	CHECK_EQUAL(symbols_find(pair.asked, "work", &other, NULL), 0);
	CHECK(has_same_ranges(&pair, location, other));
	CHECK_EQUAL(symbols_breakpoints(pair.own.symbols, "main.c:12", SYMBOLS_NONE, &mine, NULL),
		    0);
	CHECK_EQUAL(symbols_breakpoints(pair.asked, "main.c:12", SYMBOLS_NONE, &theirs, NULL), 0);
	CHECK(mine.count && theirs.count == mine.count &&
	      mine.items[0].offset == theirs.items[0].offset);
	struct error one = {0}, two = {0};
	CHECK_EQUAL(symbols_find(pair.own.symbols, "wirk", &location, &one),
		    symbols_find(pair.asked, "wirk", &location, &two));
	CHECK_TEXT(one.text, two.text);
	CHECK_EQUAL(one.code, two.code);
	array_free(&mine);
	array_free(&theirs);
	close_pair(&pair);
}

/* How often the process maps that file. This process does, too, so it had so before its start. */
static unsigned mappings(pid_t pid, const char *name)
{
	AUTO(text) char *path = text_format("/proc/%d/maps", (int)pid);
	AUTO(file) FILE *maps = fopen(path, "re");
	char line[4096];
	unsigned count = 0;

	while (maps && fgets(line, sizeof(line), maps))
		count += strstr(line, name) != NULL;
	return count;
}

static unsigned descriptors(pid_t pid)
{
	AUTO(text) char *path = text_format("/proc/%d/fd", (int)pid);
	DIR *folder = opendir(path);
	unsigned count = 0;

	while (folder && readdir(folder))
		count++;
	if (folder)
		closedir(folder);
	return count;
}

TEST("a forgotten object takes no memory and no descriptor, and is the same when it comes back")
{
	struct pair pair;
	uint32_t again;

	fixture_begin();
	CHECK(fixture_run("gcc -O1 -g main.c -o forgotten"));
	AUTO(text) char *path = text_format("%s/forgotten", fixture_directory);
	CHECK(open_pair(&pair, "forgotten"));
	pid_t parser = symbols_process(pair.asked);
	unsigned own = descriptors(getpid()), its = descriptors(parser);
	CHECK(compare(&pair) > 5);
	unsigned mapped = mappings(parser, "/forgotten");
	symbols_forget_object(pair.asked, pair.object);
	symbols_forget_object(pair.asked, pair.object);
	CHECK(mappings(parser, "/forgotten") < mapped);
	CHECK_EQUAL(descriptors(getpid()), own - 1);
	CHECK(descriptors(parser) <= its);
	CHECK_TEXT(symbols_function_at(pair.asked, pair.object, 1), "forgotten+0x1");
	CHECK_EQUAL(symbols_add_object(pair.asked, path, NULL, true, &again, NULL), 0);
	CHECK_EQUAL(again, pair.object);
	CHECK_EQUAL(descriptors(getpid()), own);
	CHECK(compare(&pair) > 5);
	symbols_forget_object(pair.asked, pair.object);
	CHECK(fixture_run("gcc -O2 -g main.c -o forgotten"));
	CHECK_EQUAL(symbols_add_object(pair.asked, path, NULL, true, &again, NULL), 0);
	CHECK(again != pair.object); /* it is another file */
	CHECK(!symbols_warning(pair.asked));
	close_pair(&pair);
}

TEST("a new process takes a parser's place: objects keep their numbers, and answers are the same")
{
	static const uint8_t lines[] = {0xf2, 0};
	const struct symbols_python_code code = {.number = 7,
						 .file = "/x.py",
						 .name = "f",
						 .first_line = 3,
						 .bytes = 8,
						 .lines = lines,
						 .lines_bytes = 1};
	struct pair pair;

	fixture_begin();
	CHECK(fixture_run("gcc -O1 -g main.c -o plain"));
	CHECK(open_pair(&pair, "plain"));
	uint32_t python = symbols_python_object(pair.asked);
	symbols_add_python_code(pair.asked, &code);
	uint32_t count = symbols_object_count(pair.asked);
	pid_t before = symbols_process(pair.asked);
	for (int round = 0; round < 3; round++) {
		CHECK(compare(&pair) > 5);
		CHECK_TEXT(symbols_function_at(pair.asked, python, 7ull << SYMBOLS_PYTHON_SHIFT),
			   "x.f");
		CHECK(symbols_renew(pair.asked));
		CHECK(symbols_process(pair.asked) != before);
		CHECK(kill(before, 0) && errno == ESRCH);
		before = symbols_process(pair.asked);
		CHECK(symbols_location_count(pair.asked) <= 1); /* that of Python */
	}
	CHECK_EQUAL(symbols_python_object(pair.asked), python);
	CHECK_EQUAL(symbols_object_count(pair.asked), count);
	CHECK(!symbols_warning(pair.asked));
	CHECK(!symbols_renew(pair.own.symbols)); /* it has none */
	close_pair(&pair);
}

static size_t resident_mb(pid_t pid)
{
	AUTO(text) char *path = text_format("/proc/%d/statm", (int)pid);
	AUTO(text) char *sizes = file_read(path, NULL, NULL);
	size_t pages = 0;

	return sizes && sscanf(sizes, "%*u %zu", &pages) == 1 ?
		       pages * (size_t)sysconf(_SC_PAGESIZE) >> 20 :
		       0;
}

TEST("a parser that replaces another one does not begin with the engine's memory")
{
	struct scope *scope = scope_new();
	struct symbols *symbols = symbols_start_renewable(TARGET_LINE, scope);
	size_t first_mb = resident_mb(symbols_process(symbols));
	size_t size = 64 << 20;
	char *memory = memory_new(size, 1);

	memset(memory, 1, size);
	CHECK(first_mb > 0);
	CHECK(symbols_renew(symbols));
	CHECK(resident_mb(symbols_process(symbols)) < first_mb + 32);
	CHECK(!symbols_warning(symbols));
	CHECK(symbols_renew(symbols));
	pid_t last = symbols_process(symbols);
	symbols_free(symbols);
	CHECK(kill(last, 0) && errno == ESRCH);
	CHECK(waitpid(-1, NULL, 0) == -1 && errno == ECHILD); /* nor the starter */
	free(memory);
	scope_free(scope);
}

#define OFFSETS 0x3000

/* As `lever record` asks: names of addresses only, many at once. */
static void compare_names(const char *name, unsigned least)
{
	AUTO(text) char *path = text_format("%s/%s", fixture_directory, name);
	struct symbols_address *addresses = memory_new(OFFSETS, sizeof(*addresses));
	uint32_t *locations = memory_new(OFFSETS, sizeof(*locations));
	unsigned differing = 0;
	struct pair pair;

	CHECK_EQUAL(fixture_open(&pair.own, name, TARGET_LINE, NULL), 0);
	pair.asked = symbols_start_renewable(TARGET_LINE, pair.own.scope);
	CHECK_EQUAL(symbols_add_object(pair.asked, path, NULL, true, &pair.object, NULL), 0);
	for (uint32_t i = 0; i < OFFSETS; i++)
		addresses[i] = (struct symbols_address){.object = pair.object, .offset = i};
	symbols_locations_at(pair.asked, addresses, OFFSETS, locations);
	for (uint32_t i = 0; i < OFFSETS; i++) {
		uint32_t mine = symbols_location_at(pair.own.symbols, pair.own.object, i);
		differing += !has_same_names(&pair, mine, locations[i]);
		differing += symbols_location_at(pair.asked, pair.object, i) != locations[i];
	}
	CHECK_EQUAL(differing, 0);
	CHECK(symbols_location_count(pair.asked) > least);
	free(addresses);
	free(locations);
	close_pair(&pair);
}

TEST("names of addresses, many at once, are those of symbols that know each line's code")
{
	fixture_begin();
	CHECK(fixture_run("gcc -O1 -g main.c -o once && gcc -O2 -g main.c -o twice && "
			  "gcc -O0 -g main.c -o plain && strip -g -o bare plain"));
	compare_names("once", 5);
	compare_names("twice", 5);
	compare_names("plain", 5);
	compare_names("bare", 2);
}

/* As `lever run` asks; without the parser, only what was told before can be right. */
static void compare_looked_up(const char *name)
{
	AUTO(text) char *path = text_format("%s/%s", fixture_directory, name);
	struct symbols_address *addresses = memory_new(2 * OFFSETS, sizeof(*addresses));
	unsigned differing = 0, none = 0;
	struct pair pair;

	CHECK_EQUAL(fixture_open(&pair.own, name, TARGET_LINE, NULL), 0);
	pair.asked = symbols_start_renewable(TARGET_LINE, pair.own.scope);
	CHECK_EQUAL(symbols_add_object(pair.asked, path, NULL, true, &pair.object, NULL), 0);
	for (uint32_t i = 0; i < 2 * OFFSETS; i++)
		addresses[i] =
			(struct symbols_address){.object = pair.object, .offset = i % OFFSETS};
	symbols_look_up_sampled(pair.asked, addresses, 2 * OFFSETS);
	CHECK_EQUAL(kill(symbols_process(pair.asked), SIGKILL), 0);
	for (uint32_t i = 0; i < OFFSETS; i++) {
		uint32_t mine = symbols_sampled_location(pair.own.symbols, pair.own.object, i);
		uint32_t told = symbols_sampled_location(pair.asked, pair.object, i);
		differing += !has_same_names(&pair, mine, told);
		none += told == SYMBOLS_NONE;
	}
	CHECK_EQUAL(differing, 0);
	CHECK(none < OFFSETS);
	free(addresses);
	close_pair(&pair);
}

TEST("locations of samples that were looked up, many at once, need no further question")
{
	fixture_begin();
	CHECK(fixture_run("gcc -O2 -g main.c -o twice && gcc -O2 main.c -o bare"));
	compare_looked_up("twice");
	compare_looked_up("bare");
}

TEST("a parser that has ended is replaced, but not again at once, and the warning stays")
{
	struct scope *scope = scope_new();
	struct symbols_addresses found = {0};
	uint32_t object;

	fixture_begin();
	CHECK(fixture_run("gcc -O1 -g main.c -o plain"));
	AUTO(text) char *path = text_format("%s/plain", fixture_directory);
	struct symbols *symbols = symbols_start_renewable(TARGET_LINE, scope);
	CHECK_EQUAL(symbols_add_object(symbols, path, NULL, true, &object, NULL), 0);
	CHECK_EQUAL(symbols_breakpoints(symbols, "main.c:12", SYMBOLS_NONE, &found, NULL), 0);
	CHECK(!symbols_renew_if_needed(symbols));
	CHECK_EQUAL(kill(symbols_process(symbols), SIGBUS), 0);
	uint32_t location = symbols_location_at(symbols, object, found.items[0].offset + 1);
	CHECK_EQUAL(symbols_location(symbols, location)->line, 0);
	CHECK(symbols_renew_if_needed(symbols));
	location = symbols_location_at(symbols, object, found.items[0].offset + 1);
	CHECK_EQUAL(symbols_location(symbols, location)->line, 12);
	CHECK(strstr(symbols_warning(symbols), "was ended by signal 7 "));
	CHECK(strstr(symbols_warning(symbols), "until another process took its place"));
	CHECK_EQUAL(kill(symbols_process(symbols), SIGBUS), 0);
	location = symbols_location_at(symbols, object, found.items[0].offset + 0x1000);
	CHECK(!symbols_renew_if_needed(symbols)); /* 10 s later */
	array_free(&found);
	symbols_free(symbols);
	scope_free(scope);
}

TEST("a parser gets debug files of their own by the engine: .dwo, .debug, a build id's")
{
	struct pair pair;

	fixture_begin();
	CHECK(fixture_run("gcc -O1 -g -gdwarf-5 -gsplit-dwarf main.c -o split"));
	CHECK(open_pair(&pair, "split"));
	CHECK(compare(&pair) > 5);
	close_pair(&pair);
	CHECK(fixture_run("gcc -O1 -g main.c -o linked && "
			  "objcopy --only-keep-debug linked linked.debug && strip linked && "
			  "objcopy --add-gnu-debuglink=linked.debug linked"));
	CHECK(open_pair(&pair, "linked"));
	CHECK(symbols_object(pair.asked, pair.object)->has_lines);
	CHECK(compare(&pair) > 5);
	close_pair(&pair);
}

TEST("a parser gets debug files of servers by the engine, which has the network")
{
	struct pair pair;
	struct symbols_addresses found = {0};

	if (!dlopen("libdebuginfod.so.1", RTLD_LAZY))
		SKIP("libdebuginfod is not here");
	fixture_begin();
	AUTO(text) char *servers = text_format("file://%s/served", fixture_directory);
	AUTO(text) char *cache = text_format("%s/cache", fixture_directory);
	setenv("DEBUGINFOD_URLS", servers, 1);
	setenv("DEBUGINFOD_CACHE_PATH", cache, 1);
	CHECK(fixture_run("gcc -O1 -g -Wl,--build-id=0x5e44e401 main.c -o far && "
			  "mkdir -p served/buildid/5e44e401 && "
			  "objcopy --only-keep-debug far served/buildid/5e44e401/debuginfo && "
			  "strip -g far"));
	CHECK(open_pair(&pair, "far"));
	CHECK(symbols_object(pair.asked, pair.object)->has_lines);
	/* This process does not ask them: libdwfl has looked at the variable when it was loaded. */
	CHECK_EQUAL(symbols_breakpoints(pair.asked, "main.c:12", SYMBOLS_NONE, &found, NULL), 0);
	CHECK(found.count > 0);
	uint32_t location = symbols_location_at(pair.asked, pair.object, found.items[0].offset + 1);
	CHECK(location != SYMBOLS_NONE);
	CHECK_EQUAL(symbols_location(pair.asked, location)->line, 12);
	array_free(&found);
	close_pair(&pair);
	unsetenv("DEBUGINFOD_URLS");
	unsetenv("DEBUGINFOD_CACHE_PATH");
}

TEST("a parser reads files of JIT code that the engine names, and reads them again when they grow")
{
	static const char one[] = "1000 10 first\n", two[] = "1000 10 first\n2000 10 second\n";
	struct scope *scope = scope_new();
	uint32_t object;

	fixture_begin();
	AUTO(text) char *path = text_format("%s/perf-1.map", fixture_directory);
	fixture_write("perf-1.map", one, strlen(one));
	struct symbols *symbols = symbols_start(TARGET_FUNCTION, scope);
	CHECK_EQUAL(symbols_add_jit(symbols, path, &object, NULL), 0);
	CHECK_TEXT(symbols_function_at(symbols, object, 0x1008), "first");
	CHECK(symbols_names_may_appear(symbols));
	fixture_write("perf-1.map", two, strlen(two));
	uint32_t location = symbols_location_at(symbols, object, 0x2008);
	CHECK(location != SYMBOLS_NONE);
	CHECK_TEXT(symbols_location(symbols, location)->name, "second");
	symbols_free(symbols);
	scope_free(scope);
}

/* `signal` ends the parser after a first answer; what was told stays, the rest are addresses. */
static void end_by(int signal, const char *said)
{
	struct pair pair;
	struct error error = {0};
	const struct range *ranges;
	struct unwind_row *rows;
	uint32_t location, another;

	CHECK(fixture_run("gcc -O1 -g main.c -o plain && gcc -O1 -g main.c -o second"));
	CHECK(open_pair(&pair, "plain"));
	CHECK_EQUAL(symbols_find(pair.asked, "main.c:12", &location, NULL), 0);
	size_t count = symbols_location_ranges(pair.asked, location, &ranges);
	CHECK(count && !symbols_warning(pair.asked));
	uint64_t known = ranges[0].start;
	uint32_t line = symbols_location_at(pair.asked, pair.object, known);
	CHECK_EQUAL(kill(symbols_process(pair.asked), signal), 0);
	AUTO(text) char *path = text_format("%s/second", fixture_directory);
	CHECK_EQUAL(symbols_add_object(pair.asked, path, NULL, true, &another, NULL), 0);
	CHECK(symbols_warning(pair.asked) && strstr(symbols_warning(pair.asked), said));
	CHECK_EQUAL(symbols_process(pair.asked), 0);
	CHECK_EQUAL(symbols_location_at(pair.asked, pair.object, known), line);
	CHECK_EQUAL(symbols_location_ranges(pair.asked, location, &ranges), count);
	uint32_t block = symbols_location_at(pair.asked, another, 0x1234);
	CHECK_TEXT(symbols_location(pair.asked, block)->name, "second+0x1000");
	CHECK_EQUAL(symbols_location_ranges(pair.asked, block, &ranges), 1);
	CHECK_TEXT(symbols_function_at(pair.asked, another, 0x1234), "second+0x1234");
	CHECK(symbols_object(pair.asked, another)->fd >= 0);
	CHECK_EQUAL(symbols_unwind_rows(pair.asked, another, &rows), 0);
	CHECK(symbols_find(pair.asked, "work", &another, &error) && strstr(error.text, said));
	CHECK(symbols_system_call(pair.asked, 1) != SYMBOLS_NONE);
	CHECK(symbols_wait_class(pair.asked, CLASS_IO, SYMBOLS_NONE) != SYMBOLS_NONE);
	CHECK(symbols_scope_ranges(pair.asked, pair.object, &ranges) > 0);
	close_pair(&pair);
}

TEST("after a parser was killed, crashed, or does not answer, code is told by addresses")
{
	fixture_begin();
	end_by(SIGKILL, "was ended by signal 9");
	end_by(SIGSEGV, "was ended by signal 11");
	setenv("LEVER_PARSER_SECONDS", "1", 1);
	end_by(SIGSTOP, "did not answer for 1 s");
	unsetenv("LEVER_PARSER_SECONDS");
}

/* ---- a parser that was taken over ---- */

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (random_state >> 33) % below;
}

static void add_lie(struct message *answer)
{
	static const uint64_t numbers[] = {0, 1, 2, SYMBOLS_NONE, UINT64_MAX, 1ull << 32};

	if (draw(3) == 0)
		message_add_text(answer, draw(2) ? "name" : NULL);
	else if (draw(2))
		message_add(answer, numbers[draw(sizeof(numbers) / sizeof(*numbers))]);
	else
		message_add_bytes(answer, numbers, draw(sizeof(numbers)));
}

/* Never silent and never done: it asks for files again and again, or its answer drips. */
static _Noreturn void delay(int socket, bool drips)
{
	struct message_header header = {.bytes = 1u << 20, .kind = MESSAGE_ANSWER};
	struct message message = {0};
	uint64_t kind;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	message_send(socket, MESSAGE_READY, &message, -1, NULL);
	message_receive(socket, &kind, &message, NULL, NULL);
	if (drips && send(socket, &header, sizeof(header), 0) < 0)
		_exit(1);
	while (drips && send(socket, "", 1, 0) == 1)
		usleep(1000);
	message_empty(&message);
	message_add(&message, 0);
	while (!message_send(socket, MESSAGE_OPEN, &message, -1, NULL) &&
	       !message_receive(socket, &kind, &message, NULL, NULL)) {
		message_empty(&message);
		message_add(&message, 0);
		usleep(1000);
	}
	_exit(0);
}

TEST("a parser that is never silent and never answers is ended after four times its time")
{
	AUTO(text) char *path = text_format("%s/plain", fixture_directory);

	fixture_begin();
	CHECK(fixture_run("gcc -O1 -g main.c -o plain"));
	setenv("LEVER_PARSER_SECONDS", "1", 1);
	for (int drips = 0; drips < 2; drips++) {
		struct scope *scope = scope_new();
		struct symbols *symbols = symbols_new(TARGET_LINE, scope);
		int ends[2];
		uint32_t object;
		CHECK(!socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends));
		pid_t pid = fork();
		if (!pid)
			delay(ends[1], drips);
		close(ends[1]);
		symbols->parser = parser_new(ends[0], pid, scope);
		time_t begin = time(NULL);
		CHECK(!symbols_add_object(symbols, path, NULL, true, &object, NULL));
		CHECK(time(NULL) - begin >= 3);
		CHECK(strstr(symbols_warning(symbols), "did not answer for 1 s") != NULL);
		symbols_free(symbols);
		scope_free(scope);
	}
	unsetenv("LEVER_PARSER_SECONDS");
}

/* Begins as a right answer does, as often as not. */
static _Noreturn void lie(int socket)
{
	struct message ask = {0}, answer = {0};
	uint64_t kind;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	message_send(socket, MESSAGE_READY, &answer, -1, NULL);
	while (!message_receive(socket, &kind, &ask, NULL, NULL)) {
		message_empty(&answer);
		if (draw(4)) {
			message_add(&answer, draw(5));
			message_add(&answer, 0);
			for (uint64_t i = draw(3); i; i--) {
				message_add(&answer, draw(3));
				message_add_text(&answer, "/path");
				for (int j = 0; j < 6; j++)
					message_add(&answer, draw(2));
			}
			message_add(&answer, SYMBOLS_NONE);
			message_add(&answer, 0);
			message_add_bytes(&answer, NULL, 0);
		}
		for (uint64_t i = draw(6); i; i--)
			add_lie(&answer);
		message_send(socket, draw(20) ? MESSAGE_ANSWER : MESSAGE_OPEN, &answer, -1, NULL);
	}
	_exit(0);
}

static struct symbols *start_liar(const struct scope *scope)
{
	struct symbols *symbols = symbols_new(TARGET_LINE, scope);
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		abort();
	pid_t pid = fork();
	if (!pid)
		lie(ends[1]);
	close(ends[1]);
	symbols->parser = parser_new(ends[0], pid, scope);
	return symbols;
}

static void use(struct symbols *symbols, uint32_t object)
{
	struct symbols_addresses addresses = {0};
	struct ranges loops = {0}, helpers = {0};
	const struct range *ranges;
	struct range function;
	struct symbols_python python;
	struct unwind_row *rows;
	struct error error;
	uint32_t found[4], location = symbols_location_at(symbols, object, draw(9999));

	symbols_find(symbols, "work", &location, &error);
	symbols_breakpoints(symbols, "work", SYMBOLS_NONE, &addresses, &error);
	symbols_tail_calls(symbols, &(struct symbols_address){.object = object},
			   &(struct symbols_address){.object = object}, &addresses);
	for (size_t i = 0; i < addresses.count; i++)
		CHECK(symbols_object(symbols, addresses.items[i].object) != NULL);
	array_free(&addresses);
	size_t count = symbols_functions_at(symbols, object, 1, found, 4);
	for (size_t i = 0; i < count; i++)
		CHECK(symbols_location(symbols, found[i])->name != NULL);
	CHECK(symbols_function_at(symbols, object, draw(99)) != NULL);
	symbols_unwind_rows(symbols, object, &rows);
	free(rows);
	symbols_spin_loops(symbols, object, 1, &function, &loops, &helpers);
	ranges_clear(&loops);
	ranges_clear(&helpers);
	symbols_python(symbols, object, &python);
	symbols_scope_ranges(symbols, object, &ranges);
	CHECK(symbols_location(symbols, symbols_system_call(symbols, 1))->name != NULL);
	for (uint32_t i = 0; i < symbols_location_count(symbols); i++)
		symbols_location_ranges(symbols, i, &ranges);
	free(symbols_variable_at(symbols, object, 3));
	symbols_add_kernel(symbols, "/proc/kallsyms", NULL, true, &error);
	uint64_t offset;
	if (symbols_kernel_offset(symbols, 4096, &location, &offset))
		CHECK(symbols_object(symbols, location)->path != NULL);
}

TEST("answers of a parser that was taken over are checked: no number leads out of an array")
{
	AUTO(text) char *path = text_format("%s/plain", fixture_directory);
	unsigned distrusted = 0;

	fixture_begin();
	CHECK(fixture_run("gcc -O1 -g main.c -o plain"));
	for (unsigned round = 0; round < 300; round++) {
		struct scope *scope = scope_new();
		uint32_t object;
		random_state = round;
		struct symbols *symbols = start_liar(scope);
		CHECK(symbols->parser != NULL);
		if (!symbols_add_object(symbols, path, NULL, true, &object, NULL)) {
			CHECK(symbols_object(symbols, object)->path != NULL);
			use(symbols, object);
		}
		distrusted += symbols_warning(symbols) != NULL;
		symbols_free(symbols);
		scope_free(scope);
	}
	CHECK(distrusted > 250);
}

static const char far_caller[] = "int far(int);\n"
				 "int main(int n, char **v) { (void)v; return far(n) + 1; }\n";
static const char far_source[] = "#include <unistd.h>\n"
				 "volatile int asked;\n"
				 "int far(int x) { asked += x; return fsync(x); }\n";

TEST("a parser tells the calls by which another file enters a function that a jump leaves")
{
	struct pair pair;
	const struct symbols_address *calls;
	uint32_t library, far, around[4];

	fixture_begin();
	fixture_write("far.c", far_source, strlen(far_source));
	fixture_write("caller.c", far_caller, strlen(far_caller));
	if (!symbols_finds_spin_loops() ||
	    !fixture_run("gcc -O2 -fPIC -shared far.c -o libfar.so && strip -x libfar.so && "
			 "gcc -O2 caller.c -o caller ./libfar.so"))
		SKIP("needs gcc and Zydis");
	CHECK(open_pair(&pair, "caller"));
	AUTO(text) char *path = text_format("%s/libfar.so", fixture_directory);
	CHECK(!symbols_add_object(pair.asked, path, NULL, false, &library, NULL));
	CHECK_EQUAL(symbols_find_inclusive(pair.asked, "far", &far, NULL), 0);
	CHECK_EQUAL(symbols_far_calls(pair.asked, far, &calls), 0);
	for (uint64_t offset = 0; offset < 0x3000; offset++)
		symbols_functions_at(pair.asked, pair.object, offset, around, 4);
	CHECK_EQUAL(symbols_far_calls(pair.asked, far, &calls), 1);
	CHECK_EQUAL(calls[0].object, pair.object);
	close_pair(&pair);
}
