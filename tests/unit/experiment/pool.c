/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pool - who gets the blocks of a run, by tables of places as profiles of real servers have them.
 *
 * What samples and symbols tell stands here, in the place of the functions that tell it.
 */
#include "check.h"
#include "symbolize/python.h"

#include "base/clock.h"
#include "experiment/session/pool.h"

#include <time.h>

#define RUN_NS 40000000000.0
#define BLOCKS 23
#define SEEDS 100
#define PLACES_MOST 2048
#define NO_PLACE (PLACES_MOST - 1)
#define SCRIPT 2         /* the object that is a script; 1: the program's file */
#define SLOPE_ERROR 0.06 /* after one block */

struct place {
	const char *name;
	enum target_kind kind;
	double threads; /* in it, on average */
	unsigned inner[5];
	double passed_on[5]; /* to these, of its time */
	bool is_own;         /* of the program's file */
	bool is_script;
};

static struct sampled_location times[PLACES_MOST];
static struct symbols_location locations[PLACES_MOST];
static struct call_edges edges;
static double all_threads;

const struct sampled_location *sampled_code_locations(const struct sampled_code *code,
						      size_t *count)
{
	(void)code;
	*count = PLACES_MOST;
	return times;
}

uint64_t sampled_code_time_ns(const struct sampled_code *code)
{
	(void)code;
	return (uint64_t)(all_threads * RUN_NS);
}

const struct call_edges *sampled_code_edges(const struct sampled_code *code)
{
	(void)code;
	return &edges;
}

const struct symbols_location *symbols_location(const struct symbols *symbols, uint32_t location)
{
	(void)symbols;
	return &locations[location];
}

const struct symbols_object *symbols_object(const struct symbols *symbols, uint32_t object)
{
	static const struct symbols_object without_lines[] = {
		{0}, {.in_scope = true}, [SCRIPT] = {.in_scope = true}};

	(void)symbols;
	return &without_lines[object];
}

bool symbols_is_python(const struct symbols *symbols, uint32_t object)
{
	(void)symbols;
	return object == SCRIPT;
}

uint32_t symbols_wait_class(struct symbols *symbols, enum sample_class class, uint32_t at)
{
	(void)symbols, (void)class, (void)at;
	return NO_PLACE;
}

static size_t set(struct session *session, const struct place *places)
{
	size_t count = 0;

	call_edges_release(&edges);
	edges = (struct call_edges){0};
	memset(times, 0, sizeof(times));
	for (; places[count].name; count++) {
		const struct place *place = &places[count];
		locations[count] =
			(struct symbols_location){.kind = place->kind,
						  .object =
							  place->is_script ? SCRIPT : place->is_own,
						  .name = place->name,
						  .function = place->name};
		times[count].sampled_ns = (uint64_t)(place->threads * RUN_NS);
		for (int i = 0; place->passed_on[i] > 0; i++)
			call_edges_add(&edges, (uint32_t)count, place->inner[i],
				       place->passed_on[i] * place->threads * RUN_NS);
		array_add(&session->targets)->spec = target_spec_of_code((uint32_t)count);
	}
	return count;
}

/* As after so many blocks on a place whose gain is all that it can be. */
static void learn(struct session_target *target)
{
	double gain = (double)times[target->spec.location].sampled_ns / RUN_NS;
	double error = 2 * SLOPE_ERROR / sqrt(target->blocks);

	target->slope = (struct effect_slope){gain, gain - error, gain + error, target->blocks};
}

/* Mean blocks of each place in a run. */
static void share(const struct place *places, double all, double *blocks)
{
	static const struct session_options options;
	const double speedup = 0.5;

	all_threads = all;
	memset(blocks, 0, PLACES_MOST * sizeof(*blocks));
	for (unsigned seed = 1; seed <= SEEDS; seed++) {
		struct session session = {.options = &options};
		struct schedule *schedule = schedule_new(seed, &speedup, 1);
		size_t count = set(&session, places);
		session.driver.started_ns = clock_now_ns() - (uint64_t)RUN_NS;
		for (int i = 0; i < BLOCKS; i++) {
			struct schedule_plan plan;
			double weights[PLACES_MOST];
			pool_find_asleep(&session);
			for (size_t j = 0; j < count; j++)
				weights[j] = pool_weight(&session, &session.targets.items[j]);
			CHECK(schedule_next(schedule, weights, count, &plan));
			schedule_end_block(schedule);
			session.targets.items[plan.target].blocks++;
			learn(&session.targets.items[plan.target]);
		}
		for (size_t j = 0; j < count; j++)
			blocks[j] += (double)session.targets.items[j].blocks / SEEDS;
		schedule_free(schedule);
		array_free(&session.targets);
	}
}

TEST("code without a name in a loop around all does not hide what it calls: Redis")
{
	enum { MAIN, LOOP, NAMELESS, BEFORE_SLEEP, FLUSH, FDATASYNC, SEND, WRITE, READ };
	static const struct place redis[] = {
		[MAIN] = {"main", TARGET_INCLUSIVE, 0.83, {LOOP}, {1}},
		[LOOP] = {"aeMain", TARGET_INCLUSIVE, 0.83, {NAMELESS}, {1}},
		[NAMELESS] = {"redis-server+0x64da0",
			      TARGET_INCLUSIVE,
			      0.83,
			      {BEFORE_SLEEP, READ},
			      {0.88, 0.1}},
		[BEFORE_SLEEP] =
			{"beforeSleep", TARGET_INCLUSIVE, 0.73, {FLUSH, SEND}, {0.85, 0.15}},
		[FLUSH] = {"flushAppendOnlyFile",
			   TARGET_INCLUSIVE,
			   0.62,
			   {FDATASYNC, WRITE},
			   {0.95, 0.04}},
		[FDATASYNC] = {"syscall:fdatasync", TARGET_SYSTEM_CALL, 0.58},
		[SEND] =
			{"handleClientsWithPendingWrites", TARGET_INCLUSIVE, 0.11, {WRITE}, {0.98}},
		[WRITE] = {"syscall:write", TARGET_SYSTEM_CALL, 0.13},
		[READ] = {"readQueryFromClient", TARGET_INCLUSIVE, 0.08},
		{0},
	};
	double blocks[PLACES_MOST];

	share(redis, 0.87, blocks);
	CHECK(blocks[LOOP] < 1.5);
	CHECK(blocks[FDATASYNC] > 7);
}

TEST("a chain of functions around each request leaves the blocks to what they call: Apache")
{
	enum {
		CONNECTION,
		NAMELESS,
		REQUEST,
		HANDLER,
		NAMELESS_HANDLER,
		OUTPUT,
		NAMELESS_OUTPUT,
		WRITEV,
		UNMAP,
		MUNMAP,
		MAP,
		WALK,
		HTACCESS,
		OPEN
	};
	static const struct place apache[] = {
		[CONNECTION] =
			{"ap_run_process_connection", TARGET_INCLUSIVE, 0.98, {NAMELESS}, {1}},
		[NAMELESS] = {"apache2+0x78520", TARGET_INCLUSIVE, 0.98, {REQUEST}, {0.92}},
		[REQUEST] = {"ap_process_async_request",
			     TARGET_INCLUSIVE,
			     0.9,
			     {HANDLER, MAP},
			     {0.82, 0.17}},
		[HANDLER] = {"ap_run_handler", TARGET_INCLUSIVE, 0.74, {NAMELESS_HANDLER}, {1}},
		[NAMELESS_HANDLER] =
			{"apache2+0x4eea0", TARGET_INCLUSIVE, 0.74, {OUTPUT, OPEN}, {0.96, 0.02}},
		[OUTPUT] = {"ap_core_output_filter",
			    TARGET_INCLUSIVE,
			    0.71,
			    {NAMELESS_OUTPUT},
			    {0.84}},
		[NAMELESS_OUTPUT] =
			{"apache2+0x5d2a0", TARGET_INCLUSIVE, 0.6, {WRITEV, UNMAP}, {0.52, 0.46}},
		[WRITEV] = {"syscall:writev", TARGET_SYSTEM_CALL, 0.31},
		[UNMAP] =
			{"libaprutil-1.so.0.6.3+0xbef0", TARGET_INCLUSIVE, 0.275, {MUNMAP}, {0.97}},
		[MUNMAP] = {"syscall:munmap", TARGET_SYSTEM_CALL, 0.265},
		[MAP] = {"ap_process_request_internal", TARGET_INCLUSIVE, 0.154, {WALK}, {0.93}},
		[WALK] = {"ap_directory_walk", TARGET_INCLUSIVE, 0.144, {HTACCESS}, {0.77}},
		[HTACCESS] = {"ap_parse_htaccess", TARGET_INCLUSIVE, 0.111, {OPEN}, {0.85}},
		[OPEN] = {"syscall:openat", TARGET_SYSTEM_CALL, 0.101},
		{0},
	};
	double blocks[PLACES_MOST];

	share(apache, 1.12, blocks);
	CHECK(blocks[HANDLER] == 0); /* nearly all of it is the output filter */
	CHECK(blocks[CONNECTION] + blocks[REQUEST] + blocks[OUTPUT] < 6);
	CHECK(blocks[WRITEV] > 4);
	CHECK(blocks[MUNMAP] > 4);
	CHECK(blocks[OPEN] + blocks[HTACCESS] + blocks[WALK] > 2);
}

TEST("names of the server around a library's one, with nameless code between them: nginx")
{
	enum { CYCLE, NAMELESS, PHASE, FILTER, NAMELESS_FILTER, DEFLATE, NAMELESS_DEFLATE, WRITEV };
	static const struct place nginx[] = {
		[CYCLE] = {"ngx_master_process_cycle", TARGET_INCLUSIVE, 0.94, {NAMELESS}, {1}},
		[NAMELESS] =
			{"nginx+0x51340", TARGET_INCLUSIVE, 0.94, {PHASE, WRITEV}, {0.98, 0.02}},
		[PHASE] = {"ngx_http_core_content_phase", TARGET_INCLUSIVE, 0.92, {FILTER}, {1}},
		[FILTER] =
			{"ngx_http_output_filter", TARGET_INCLUSIVE, 0.92, {NAMELESS_FILTER}, {1}},
		[NAMELESS_FILTER] = {"nginx+0x96890", TARGET_INCLUSIVE, 0.92, {DEFLATE}, {0.98}},
		[DEFLATE] = {"deflate", TARGET_INCLUSIVE, 0.9, {NAMELESS_DEFLATE}, {1}},
		[NAMELESS_DEFLATE] = {"libz.so.1.2.13+0x5d80", TARGET_INCLUSIVE, 0.9},
		[WRITEV] = {"syscall:writev", TARGET_SYSTEM_CALL, 0.02},
		{0},
	};
	double blocks[PLACES_MOST];

	share(nginx, 0.95, blocks);
	CHECK(blocks[CYCLE] + blocks[PHASE] + blocks[FILTER] == 0);
	CHECK(blocks[DEFLATE] > 10);
}

TEST("processes that are a part of the program stay targets, as nothing in them stands for one")
{
	enum { SHELL, GZIP, START, MAIN, DEFLATE };
	static const struct place script[] = {
		[SHELL] = {"process:sh", TARGET_PROCESS, 0.3},
		[GZIP] = {"process:gzip", TARGET_PROCESS, 0.6, {START}, {1}},
		[START] = {"_start", TARGET_INCLUSIVE, 0.6, {MAIN}, {1}},
		[MAIN] = {"main", TARGET_INCLUSIVE, 0.6, {DEFLATE}, {0.99}},
		[DEFLATE] = {"deflate", TARGET_INCLUSIVE, 0.59},
		{0},
	};
	double blocks[PLACES_MOST];

	share(script, 0.9, blocks);
	CHECK(blocks[GZIP] > 5);
}

TEST("a stage of a pipeline stays a target with nine tenths of the time: tar | gzip")
{
	enum { TAR, GZIP, MAIN, LONGEST_MATCH, FILL, MD5 };
	static const struct place pipeline[] = {
		[TAR] = {"process:tar", TARGET_PROCESS, 0.05},
		[GZIP] = {"process:gzip", TARGET_PROCESS, 0.92, {MAIN}, {0.99}},
		[MAIN] = {"gzip+0x3df0",
			  TARGET_INCLUSIVE,
			  0.91,
			  {LONGEST_MATCH, FILL},
			  {0.5, 0.45},
			  .is_own = true},
		[LONGEST_MATCH] = {"gzip+0x4290", TARGET_INCLUSIVE, 0.45, {0}, {0}, .is_own = true},
		[FILL] = {"gzip+0x5000", TARGET_INCLUSIVE, 0.41, {0}, {0}, .is_own = true},
		[MD5] = {"process:md5sum", TARGET_PROCESS, 0.03},
		{0},
	};
	double blocks[PLACES_MOST];

	share(pipeline, 1, blocks);
	CHECK(blocks[GZIP] > 5);
	CHECK(blocks[MAIN] < 1);
}

TEST("a function of the program that is all of it leaves the blocks to its parts: Lua")
{
	enum { CALL, LOOP, CONCATENATE, COLLECT, FORMAT };
	static const struct place lua[] = {
		[CALL] = {"lua_pcallk", TARGET_INCLUSIVE, 1, {LOOP}, {1}, .is_own = true},
		[LOOP] = {"lua+0xdf10",
			  TARGET_INCLUSIVE,
			  1,
			  {CONCATENATE, COLLECT, FORMAT},
			  {0.41, 0.33, 0.19},
			  .is_own = true},
		[CONCATENATE] = {"lua+0x19b30", TARGET_INCLUSIVE, 0.41, {0}, {0}, .is_own = true},
		[COLLECT] = {"lua+0x2e810", TARGET_INCLUSIVE, 0.33, {0}, {0}, .is_own = true},
		[FORMAT] = {"snprintf", TARGET_INCLUSIVE, 0.19},
		{0},
	};
	double blocks[PLACES_MOST];

	share(lua, 1, blocks);
	CHECK(blocks[CALL] + blocks[LOOP] < 5);
	CHECK(blocks[CONCATENATE] > 3);
}

TEST("a main thread that sleeps does not hide that a function is all that the others do")
{
	enum { WORKER, STORE, USE, LOOK_UP, NAP };
	static const struct place map[] = {
		[WORKER] = {"worker",
			    TARGET_INCLUSIVE,
			    1.04,
			    {STORE, USE, LOOK_UP},
			    {0.34, 0.34, 0.28},
			    .is_own = true},
		[STORE] = {"store", TARGET_INCLUSIVE, 0.35, {0}, {0}, .is_own = true},
		[USE] = {"use", TARGET_INCLUSIVE, 0.35, {0}, {0}, .is_own = true},
		[LOOK_UP] = {"look_up", TARGET_INCLUSIVE, 0.29, {0}, {0}, .is_own = true},
		[NAP] = {"syscall:clock_nanosleep", TARGET_SYSTEM_CALL, 1, {0}, {0}},
		{0},
	};
	double blocks[PLACES_MOST];

	share(map, 2.04, blocks);
	CHECK(blocks[WORKER] < 2);
	CHECK(blocks[STORE] > 2 && blocks[USE] > 2 && blocks[LOOK_UP] > 2);
}

TEST("what is outside of the program has no code that could sleep")
{
	static const struct place nap[] = {
		{.name = "syscall:clock_nanosleep", .kind = TARGET_SYSTEM_CALL, .threads = 1},
		{.name = "work", .kind = TARGET_INCLUSIVE, .threads = 1},
		{0},
	};
	static const struct session_options options;
	struct session session = {.options = &options};

	all_threads = 2;
	set(&session, nap);
	session.driver.started_ns = clock_now_ns() - (uint64_t)RUN_NS;
	struct session_target *outside = array_add(&session.targets);
	outside->spec.location = SYMBOLS_NONE;
	outside->is_external = true;
	pool_find_asleep(&session);
	CHECK(session.pool_asleep == 0.5);
	CHECK(pool_weight(&session, &session.targets.items[1]) > 0);
	array_free(&session.targets);
}

TEST("an interpreter's functions around those of a script leave the blocks to these: gunicorn")
{
	enum { CALL, PREPEND, NAMELESS, INDEX, RENDER_LINE, SIGN_LINE, SHA, MAIN_LINE };
	static const struct place gunicorn[] = {
		[CALL] = {"_PyObject_MakeTpCall", TARGET_INCLUSIVE, 0.63, {PREPEND}, {0.86}},
		[PREPEND] = {"_PyObject_Call_Prepend", TARGET_INCLUSIVE, 0.54, {NAMELESS}, {0.95}},
		[NAMELESS] = {"python3.11+0x1e48b0", TARGET_INCLUSIVE, 0.52, {INDEX}, {0.9}},
		[INDEX] = {"app.index",
			   TARGET_INCLUSIVE,
			   0.36,
			   {RENDER_LINE, SIGN_LINE},
			   {0.62, 0.37},
			   .is_script = true},
		[RENDER_LINE] = {"app.py:10", TARGET_LINE, 0.22, {0}, {0}, .is_script = true},
		[SIGN_LINE] = {"app.py:7", TARGET_LINE, 0.13, {SHA}, {0.7}, .is_script = true},
		[SHA] = {"SHA256_Update", TARGET_INCLUSIVE, 0.09},
		[MAIN_LINE] = {"gunicorn:33", TARGET_LINE, 0.55, {CALL}, {0.98}, .is_script = true},
		{0},
	};
	double blocks[PLACES_MOST];

	share(gunicorn, 1, blocks);
	CHECK(blocks[CALL] + blocks[PREPEND] < 2);
	CHECK(blocks[MAIN_LINE] < 4);
	CHECK(blocks[RENDER_LINE] > 4);
	CHECK(blocks[SIGN_LINE] > 2);
}

TEST("a thread of the runtime that sleeps leaves the blocks to code: Go")
{
	enum { WORKER, IS_DATE, LINE, COMPILE, PARSE, WEIGH, SPLIT_LINE, NEW, INST, NAP };
	static const struct place go[] = {
		[WORKER] =
			{"main.main.func1", TARGET_INCLUSIVE, 0.75, {IS_DATE, WEIGH}, {0.78, 0.2}},
		[IS_DATE] = {"main.isDate", TARGET_INCLUSIVE, 0.58, {LINE, COMPILE}, {0.99, 0.91}},
		[LINE] = {"slow.go:5", TARGET_LINE, 0.56},
		[COMPILE] = {"regexp.Compile", TARGET_INCLUSIVE, 0.53, {PARSE, INST}, {0.57, 0.22}},
		[PARSE] = {"regexp/syntax.Parse", TARGET_INCLUSIVE, 0.3, {NEW}, {0.4}},
		[WEIGH] = {"main.weigh", TARGET_INCLUSIVE, 0.15, {SPLIT_LINE}, {0.99}},
		[SPLIT_LINE] = {"slow.go:7", TARGET_LINE, 0.28},
		[NEW] = {"runtime.newobject", TARGET_INCLUSIVE, 0.13},
		[INST] = {"regexp/syntax.(*compiler).inst", TARGET_INCLUSIVE, 0.12},
		[NAP] = {"syscall:nanosleep", TARGET_SYSTEM_CALL, 0.43},
		{0},
	};
	double blocks[PLACES_MOST];

	share(go, 1.6, blocks);
	CHECK(blocks[NAP] < 2.5);
	CHECK(blocks[NAP] < blocks[PARSE] / 2);
}

TEST("while a gain is not sure, what can gain less is hardly tried: PostgreSQL")
{
	enum { FDATASYNC, SEND, READ };
	static const struct place postgres[] = {
		[FDATASYNC] = {"syscall:fdatasync", TARGET_SYSTEM_CALL, 0.37},
		[SEND] = {"syscall:sendto", TARGET_SYSTEM_CALL, 0.22},
		[READ] = {"secure_read", TARGET_INCLUSIVE, 0.18},
		{0},
	};
	static const struct session_options options;
	struct session session = {.options = &options, .live_estimate = live_estimate_new()};
	struct session_target *targets;
	double unsure, sure;

	all_threads = 1.1;
	set(&session, postgres);
	targets = session.targets.items;
	session.driver.started_ns = clock_now_ns() - (uint64_t)RUN_NS;
	targets[FDATASYNC].blocks = 1;
	targets[FDATASYNC].slope = (struct effect_slope){0.1, -0.1, 0.3, 3};
	pool_learn(&session, READ);
	unsure = pool_weight(&session, &targets[SEND]);
	CHECK(pool_weight(&session, &targets[FDATASYNC]) > 5 * unsure);
	targets[FDATASYNC].blocks = 6;
	CHECK(pool_weight(&session, &targets[FDATASYNC]) > unsure);
	targets[FDATASYNC].slope = (struct effect_slope){0.1, 0.08, 0.12, 30};
	pool_learn(&session, READ);
	sure = pool_weight(&session, &targets[SEND]);
	CHECK(unsure > 0 && unsure < 0.1 * sure);
	live_estimate_free(session.live_estimate);
	array_free(&session.targets);
}

TEST("a place whose gain is sure leaves blocks to the next one: orders")
{
	enum { HANDLE, FIND, FIND_LINE, CHECKSUM, CHECKSUM_LINE, RECEIPT };
	static const struct place orders[] = {
		[HANDLE] = {"handle_orders",
			    TARGET_INCLUSIVE,
			    0.7,
			    {FIND, RECEIPT},
			    {0.87, 0.1},
			    .is_own = true},
		[FIND] = {"find_customer",
			  TARGET_INCLUSIVE,
			  0.61,
			  {FIND_LINE},
			  {0.99},
			  .is_own = true},
		[FIND_LINE] = {"orders.c:86", TARGET_LINE, 0.605, {0}, {0}, .is_own = true},
		[CHECKSUM] = {"checksum",
			      TARGET_INCLUSIVE,
			      0.3,
			      {CHECKSUM_LINE},
			      {0.98},
			      .is_own = true},
		[CHECKSUM_LINE] = {"orders.c:97", TARGET_LINE, 0.295, {0}, {0}, .is_own = true},
		[RECEIPT] = {"write_receipt", TARGET_INCLUSIVE, 0.07, {0}, {0}, .is_own = true},
		{0},
	};
	double blocks[PLACES_MOST];

	share(orders, 1, blocks);
	CHECK(blocks[HANDLE] < 3);
	CHECK(blocks[FIND] > 2 * blocks[FIND_LINE]);
	CHECK(blocks[CHECKSUM] > 5);
}

TEST("with thousands of places a plan takes no time that the program would miss")
{
	static struct place places[PLACES_MOST];
	static double weights[PLACES_MOST];
	static const struct session_options options;
	struct session session = {.options = &options};

	for (unsigned i = 0; i < PLACES_MOST - 1; i++)
		places[i] = (struct place){.name = i % 2 ? "server+0x1000" : "serve",
					   .kind = TARGET_INCLUSIVE,
					   .threads = 0.5};
	for (unsigned i = 0; 2 * i + 2 < PLACES_MOST - 1; i++) {
		places[i].inner[0] = 2 * i + 1, places[i].inner[1] = 2 * i + 2;
		places[i].passed_on[0] = 0.7, places[i].passed_on[1] = 0.29;
	}
	all_threads = 1;
	size_t count = set(&session, places);
	session.driver.started_ns = clock_now_ns() - (uint64_t)RUN_NS;
	for (size_t i = 0; i < BLOCKS; i++) {
		session.targets.items[2 * i].blocks = 1;
		learn(&session.targets.items[2 * i]);
	}
	clock_t began = clock();
	pool_find_asleep(&session);
	for (size_t i = 0; i < count; i++)
		weights[i] = pool_weight(&session, &session.targets.items[i]);
	double seconds = (double)(clock() - began) / CLOCKS_PER_SEC;
	CHECK(weights[0] > 0);
	CHECK(seconds < 0.5); /* a plan is made for each series of windows, of 80 ms each */
	array_free(&session.targets);
}
