/* SPDX-License-Identifier: BSD-2-Clause */
/* recordings_samples - a small server, hostile names, and very many chains. */
#include "recordings_samples.h"

#include "base/cleanup.h"
#include "base/hash_map.h"

#include <errno.h>
#include <string.h>

#define PERIOD_NS 1000000u
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

CLEANUP_DEFINE(profile, struct profile *, profile_close, NULL)

const char *const sample_recordings[] = {"server", "server-after", "names", "deep"};
const unsigned sample_recordings_count = COUNT_OF(sample_recordings);

/* A chain: its innermost frame, and its caller's chain. */
struct made_chain {
	size_t caller, frame; /* caller: number of a chain from 1 on; 0: none */
};

/* Rows by number; ids are filled in. Samples name chains by number, and go to threads in turn. */
struct made_samples {
	struct recording_thread *threads;
	size_t thread_count;
	struct recording_frame *frames;
	size_t frame_count;
	const struct made_chain *chains;
	size_t chain_count;
	const struct recording_stack_sample *moments;
	size_t moment_count;
	const struct recording_wakeup *wakeups;
	size_t wakeup_count;
};

static int add_chains(struct profile *profile, const struct made_samples *made, int64_t *ids,
		      struct error *error)
{
	int code = 0;
	for (size_t i = 0; i < made->chain_count && !code; i++) {
		struct recording_stack stack = {
			.caller_id = made->chains[i].caller ?
					     (uint64_t)ids[made->chains[i].caller - 1] :
					     0,
			.frame_id = made->frames[made->chains[i].frame].id,
		};
		code = profile_add_stack(profile, &stack, error);
		ids[i] = stack.id;
	}
	return code;
}

static int add_rows(struct profile *profile, int64_t run_id, struct made_samples *made,
		    struct error *error)
{
	int code = 0;
	int64_t *ids = memory_new(made->chain_count + 1, sizeof(*ids));

	for (size_t i = 0; i < made->thread_count && !code; i++) {
		made->threads[i].run_id = run_id;
		code = profile_add_thread(profile, &made->threads[i], error);
	}
	for (size_t i = 0; i < made->frame_count && !code; i++)
		code = profile_add_frame(profile, &made->frames[i], error);
	code = code ? code : add_chains(profile, made, ids, error);
	for (size_t i = 0; i < made->moment_count && !code; i++) {
		struct recording_stack_sample stack_sample = made->moments[i];
		stack_sample.run_id = run_id;
		stack_sample.thread_id = made->threads[i % made->thread_count].id;
		stack_sample.stack_id =
			stack_sample.stack_id ? (uint64_t)ids[stack_sample.stack_id - 1] : 0;
		stack_sample.variance = (double)stack_sample.samples * PERIOD_NS * PERIOD_NS;
		code = profile_set_stack_sample(profile, &stack_sample, error);
	}
	for (size_t i = 0; i < made->wakeup_count && !code; i++) {
		struct recording_wakeup wakeup = made->wakeups[i];
		wakeup.run_id = run_id;
		wakeup.thread_id = made->threads[i % made->thread_count].id;
		wakeup.stack_id = (uint64_t)ids[wakeup.stack_id - 1];
		code = profile_set_wakeup(profile, &wakeup, error);
	}
	free(ids);
	return code;
}

static int write_rows(struct profile *profile, struct recording_run run, struct made_samples *made,
		      struct error *error)
{
	run.kind = RUN_SAMPLES;
	run.engine = (char *)"kernel";
	run.host = (char *)"build1";
	run.kernel = (char *)"6.18.0";
	run.version = (char *)"0.1.0";
	run.started_s = 1700000000;
	run.period_ns = PERIOD_NS;
	run.finished = true;
	for (size_t i = 0; i < made->moment_count; i++) {
		run.samples += made->moments[i].samples;
		run.sampled_ns += made->moments[i].weight_ns;
	}
	int code = profile_add_run(profile, &run, error);
	struct recording_overhead cost = {run.id, run.wall_ns / 50, true, run.wall_ns / 80};
	code = code ? code : profile_set_overhead(profile, &cost, error);
	code = code ? code : add_rows(profile, run.id, made, error);
	return code ? code : profile_commit(profile, error);
}

static const struct recording_stack_sample server_moments[] = {
	{.stack_id = 5, .class = CLASS_USER, .samples = 400, .weight_ns = 400 * PERIOD_NS},
	{.stack_id = 9, .class = CLASS_KERNEL, .samples = 50, .weight_ns = 50 * PERIOD_NS},
	{.stack_id = 4,
	 .class = CLASS_IO,
	 .subclass = (char *)"disk",
	 .system_call = (char *)"pread64",
	 .resource = (char *)"/srv/data.db",
	 .samples = 200,
	 .weight_ns = 300 * PERIOD_NS},
	{.stack_id = 7,
	 .class = CLASS_LOCK,
	 .subclass = (char *)"futex",
	 .system_call = (char *)"futex",
	 .address = 0x7ffff7dd1000,
	 .resource = (char *)"cache.shards[3].lock",
	 .samples = 20,
	 .weight_ns = 150 * PERIOD_NS},
	{.stack_id = 5, .class = CLASS_RUNNABLE, .samples = 60, .weight_ns = 60 * PERIOD_NS},
	{.stack_id = 8, .class = CLASS_USER, .samples = 20, .weight_ns = 20 * PERIOD_NS},
	{.stack_id = 0, .class = CLASS_OTHER, .samples = 1, .weight_ns = 20 * PERIOD_NS},
};

/* The sum is faster, a check is new, the rest is as before but for chance. */
static const struct recording_stack_sample after_moments[] = {
	{.stack_id = 5, .class = CLASS_USER, .samples = 260, .weight_ns = 260 * PERIOD_NS},
	{.stack_id = 9, .class = CLASS_KERNEL, .samples = 54, .weight_ns = 54 * PERIOD_NS},
	{.stack_id = 4,
	 .class = CLASS_IO,
	 .subclass = (char *)"disk",
	 .system_call = (char *)"pread64",
	 .samples = 195,
	 .weight_ns = 290 * PERIOD_NS},
	{.stack_id = 10, .class = CLASS_USER, .samples = 40, .weight_ns = 40 * PERIOD_NS},
	{.stack_id = 5, .class = CLASS_RUNNABLE, .samples = 66, .weight_ns = 66 * PERIOD_NS},
};

static const struct recording_wakeup server_wakeups[] = {
	{.stack_id = 5,
	 .pid = 100,
	 .address = 0x7ffff7dd1000,
	 .samples = 12,
	 .weight_ns = 90 * PERIOD_NS},
	{.stack_id = 2,
	 .pid = 100,
	 .address = 0x7ffff7dd1000,
	 .samples = 8,
	 .weight_ns = 60 * PERIOD_NS},
	{.stack_id = 2, .pid = 100, .address = 0x1000, .samples = 1, .weight_ns = PERIOD_NS},
};

static int write_server(struct profile *profile, const struct recording_stack_sample *moments,
			size_t moment_count, struct error *error)
{
	struct recording_thread threads[] = {
		{.pid = 100, .tid = 100, .command = (char *)"server"},
		{.pid = 100, .tid = 101, .command = (char *)"worker;1"},
	};
	struct recording_frame frames[] = {
		{0, FRAME_USER, (char *)"main", (char *)"/src/server.c", 90, (char *)"/opt/server",
		 NULL},
		{0, FRAME_USER, (char *)"serve", (char *)"/src/server.c", 42, (char *)"/opt/server",
		 NULL},
		{0, FRAME_USER, (char *)"pread64", NULL, 0, (char *)"/usr/lib/libc.so.6", NULL},
		{0, FRAME_KERNEL, (char *)"__iomap_dio_rw", NULL, 0, NULL, NULL},
		{0, FRAME_USER, (char *)"checksum", (char *)"/src/sum.c", 7, (char *)"/opt/server",
		 NULL},
		{0, FRAME_USER, (char *)"pthread_mutex_lock", NULL, 0, (char *)"/usr/lib/libc.so.6",
		 NULL},
		{0, FRAME_KERNEL, (char *)"futex_wait_queue", NULL, 0, NULL, NULL},
		{0, FRAME_USER, NULL, NULL, 0, (char *)"/opt/plug\033[31m.so", NULL},
		{0, FRAME_KERNEL, (char *)"ext4_file_read_iter", NULL, 0, (char *)"ext4", NULL},
		{0, FRAME_USER, (char *)"check|`sum`", (char *)"/src/sum.c", 31,
		 (char *)"/opt/server", NULL},
	};
	static const struct made_chain chains[] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {2, 4},
						   {1, 5}, {6, 6}, {2, 7}, {3, 8}, {2, 9}};
	struct made_samples made = {
		.threads = threads,
		.thread_count = COUNT_OF(threads),
		.frames = frames,
		.frame_count = COUNT_OF(frames),
		.chains = chains,
		.chain_count = COUNT_OF(chains),
		.moments = moments,
		.moment_count = moment_count,
		.wakeups = server_wakeups,
		.wakeup_count = COUNT_OF(server_wakeups),
	};
	struct recording_run run = {
		.command = (char *)"[\"/opt/server\", \"--port\", \"8080\"]",
		.wall_ns = 1000000000,
		.lost = 20,
		.unwound_badly = 90,
		.note = (char *)"2 announcements were lost",
	};
	return write_rows(profile, run, &made, error);
}

static int write_before(struct profile *profile, struct error *error)
{
	return write_server(profile, server_moments, COUNT_OF(server_moments), error);
}

static int write_after(struct profile *profile, struct error *error)
{
	return write_server(profile, after_moments, COUNT_OF(after_moments), error);
}

/* As long as names of nested templates. */
static char *long_name(void)
{
	AUTO(text) char *name = text_copy("");
	while (strlen(name) < 10000) {
		AUTO(text) char *before = name;
		name = text_format("%sstd::map<std::string, pack::block<unsigned char>, ", before);
	}
	return take(&name);
}

static int write_names(struct profile *profile, struct error *error)
{
	AUTO(text) char *name = long_name();
	struct recording_thread threads[] = {
		{.pid = 7, .tid = 7, .command = (char *)"</script><b>x"},
		{.pid = 7, .tid = 8, .command = (char *)"\xff\"'\\;\n"},
	};
	char *const object = (char *)"/opt/\"a\\b\".so";
	struct recording_frame frames[] = {
		{0, FRAME_USER, (char *)"<script>document.title = 'taken'</script>",
		 (char *)"/src/<i>.c", 3, object, NULL},
		{0, FRAME_USER, (char *)"</script><img src=x onerror=\"document.title = 'taken'\">",
		 NULL, 0, object, NULL},
		{0, FRAME_USER, (char *)"a\tb\nc;d \xc3\x28 \033[31m\xe2\x80\xae", NULL, 0, NULL,
		 NULL},
		{0, FRAME_USER, name, (char *)"\xff\xfe.c", 9, object, NULL},
		{0, FRAME_USER, (char *)"__proto__", NULL, 0, object, NULL},
		{0, FRAME_KERNEL, (char *)"constructor", NULL, 0, (char *)"<module>", NULL},
	};
	static const struct made_chain chains[] = {{0, 0}, {1, 1}, {2, 2}, {3, 3}, {4, 4}, {5, 5}};
	static const struct recording_stack_sample moments[] = {
		{.stack_id = 6, .class = CLASS_KERNEL, .samples = 9, .weight_ns = 9 * PERIOD_NS},
		{.stack_id = 4,
		 .class = CLASS_OTHER,
		 .subclass = (char *)"<b>sub\xff",
		 .system_call = (char *)"call\"",
		 .samples = 4,
		 .weight_ns = 4 * PERIOD_NS},
		{.stack_id = 3, .class = CLASS_USER, .samples = 2, .weight_ns = 2 * PERIOD_NS},
	};
	struct made_samples made = {
		.threads = threads,
		.thread_count = COUNT_OF(threads),
		.frames = frames,
		.frame_count = COUNT_OF(frames),
		.chains = chains,
		.chain_count = COUNT_OF(chains),
		.moments = moments,
		.moment_count = COUNT_OF(moments),
	};
	struct recording_run run = {
		.command = (char *)"[\"</title><script>1</script>\"]",
		.wall_ns = 20 * PERIOD_NS,
		.note = (char *)"<i>a note</i> & more",
	};
	return write_rows(profile, run, &made, error);
}

/* ---- deep ---- */

#define DEEP_FUNCTIONS 2000
#define DEEP_FILES 90
#define DEEP_CHAINS 100000
#define DEEP_THREADS 4
struct deep {
	ARRAY(struct made_chain) chains;
	ARRAY(struct recording_stack_sample) moments;
	struct hash_map numbers; /* of chains, by caller and frame */
	uint64_t state;          /* of the random numbers */
};

/* Knuth's MMIX generator. */
static unsigned draw(struct deep *deep, unsigned below)
{
	deep->state = deep->state * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)((deep->state >> 33) % below);
}

static size_t chain_of(struct deep *deep, size_t caller, size_t frame)
{
	uint32_t number = hash_map_get(&deep->numbers, caller, frame);

	if (number != HASH_MAP_NONE)
		return number;
	*array_add(&deep->chains) = (struct made_chain){caller, frame};
	hash_map_set(&deep->numbers, caller, frame, (uint32_t)deep->chains.count);
	return deep->chains.count;
}

/* Each function calls a few others, some more often than others. */
static size_t walk(struct deep *deep)
{
	unsigned depth = 12 + draw(deep, 29);
	size_t chain = 0, frame = 0;

	for (unsigned i = 0; i < depth; i++) {
		unsigned callee = draw(deep, 3) * draw(deep, 3);
		chain = chain_of(deep, chain, frame);
		frame = 1 + (frame * 7 + callee * 311 + i) % (DEEP_FUNCTIONS - 1);
	}
	return chain;
}

static void fill_deep(struct deep *deep)
{
	static const enum sample_class classes[] = {CLASS_USER, CLASS_USER, CLASS_USER,
						    CLASS_LOCK, CLASS_IO,   CLASS_RUNNABLE};
	ARRAY(bool) seen = {0};

	while (deep->moments.count < DEEP_CHAINS) {
		size_t chain = walk(deep);
		unsigned samples = 1 + draw(deep, 9);
		while (seen.count <= chain)
			*array_add(&seen) = false;
		if (seen.items[chain])
			continue;
		seen.items[chain] = true;
		*array_add(&deep->moments) = (struct recording_stack_sample){
			.stack_id = chain,
			.class = classes[draw(deep, COUNT_OF(classes))],
			.samples = samples,
			.weight_ns = (uint64_t)samples * PERIOD_NS + draw(deep, 1000),
		};
	}
	array_free(&seen);
}

static void name_frames(struct recording_frame *frames)
{
	for (unsigned i = 0; i < DEEP_FUNCTIONS; i++) {
		frames[i] = (struct recording_frame){
			.kind = FRAME_USER,
			.function = text_format("service::module_%u::handler_%u<Request, Response>",
						i % 37, i),
			.file = text_format("/src/service/module_%u.cc", i % DEEP_FILES),
			.line = 10 + i % 700,
			.object = text_copy(i % 5 ? "/opt/service/bin/server" :
						    "/usr/lib/x86_64-linux-gnu/libservice.so.1"),
		};
	}
}

static int write_deep(struct profile *profile, struct error *error)
{
	struct recording_thread threads[DEEP_THREADS] = {0};
	struct recording_frame frames[DEEP_FUNCTIONS];
	struct deep deep = {.state = 1};

	for (unsigned i = 0; i < DEEP_THREADS; i++)
		threads[i] =
			(struct recording_thread){.pid = 300,
						  .tid = 300 + i,
						  .command = (char *)(i ? "worker" : "server")};
	name_frames(frames);
	fill_deep(&deep);
	struct made_samples made = {
		.threads = threads,
		.thread_count = DEEP_THREADS,
		.frames = frames,
		.frame_count = DEEP_FUNCTIONS,
		.chains = deep.chains.items,
		.chain_count = deep.chains.count,
		.moments = deep.moments.items,
		.moment_count = deep.moments.count,
	};
	struct recording_run run = {
		.command = (char *)"[\"/opt/service/bin/server\"]",
		.wall_ns = 130000000000,
	};
	int code = write_rows(profile, run, &made, error);
	for (unsigned i = 0; i < DEEP_FUNCTIONS; i++) {
		free(frames[i].function);
		free(frames[i].file);
		free(frames[i].object);
	}
	array_free(&deep.chains);
	array_free(&deep.moments);
	hash_map_clear(&deep.numbers);
	return code;
}

int sample_recordings_write(const char *name, const char *path, struct error *error)
{
	static int (*const writers[])(struct profile *, struct error *) = {write_before,
									   write_after, write_names,
									   write_deep};
	AUTO(profile) struct profile *profile = NULL;
	int code = profile_create(path, true, &profile, error);
	for (unsigned i = 0; i < sample_recordings_count && !code; i++) {
		if (!strcmp(name, sample_recordings[i]))
			code = writers[i](profile, error);
	}
	return code;
}
