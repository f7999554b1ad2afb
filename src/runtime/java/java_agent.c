/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * java_agent - liblever-java.so: tells which methods and lines the code of a Java virtual machine
 * is made of, and for which locks its threads wait (java_locks.h).
 *
 *	java -agentpath:/usr/lib/.../lever/liblever-java.so ...
 *
 * For each compiled method the machine calls on_compiled; a jitdump (wire/jit_dump.h) gets its name
 * and lines, with the innermost inlined method that is not of the Java library. The file is
 * /tmp/jit-PID.dump, or what the agent's option path=FILE names. Nothing runs at a sample.
 *
 * It lives in another's process: it never prints and never ends it. After a failure it writes no
 * more. Unlike the other libraries of this folder it allocates, in the compiler's threads.
 */
#include "runtime/java/java_locks.h"
#include "wire/jit_dump.h"

#include <errno.h>
#include <fcntl.h>
#include <jvmti.h>
#include <jvmticmlr.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define PATH_BYTES 512
#define TEXT_BYTES 1024

/* A growing record. */
struct record {
	char *bytes;
	size_t count, capacity;
	bool is_lost; /* no memory */
};

/* One source line of a method, from an address on. */
struct place {
	jmethodID method;
	jint bci;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of what follows */
static int dump = -1;
static uint64_t code_index;

static void append(struct record *record, const void *bytes, size_t count)
{
	if (record->count + count > record->capacity) {
		size_t capacity = 2 * (record->count + count) + 4096;
		char *grown = realloc(record->bytes, capacity);
		record->is_lost |= !grown;
		if (!grown)
			return;
		record->bytes = grown;
		record->capacity = capacity;
	}
	memcpy(record->bytes + record->count, bytes, count);
	record->count += count;
}

static void append_text(struct record *record, const char *text)
{
	append(record, text, strlen(text) + 1);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void append_prefix(struct record *record, enum jit_dump_kind kind)
{
	struct jit_dump_prefix prefix = {.kind = kind, .time = now_ns()};

	append(record, &prefix, sizeof(prefix));
}

/* Sets the size of the record that begins at `begin`. */
static void end_record(struct record *record, size_t begin)
{
	uint32_t bytes = (uint32_t)(record->count - begin);

	if (!record->is_lost)
		memcpy(record->bytes + begin + offsetof(struct jit_dump_prefix, total_bytes),
		       &bytes, sizeof(bytes));
}

/* In one call, so that a reader finds whole records but for the last. Frees the record. */
static void write_record(struct record *record)
{
	pthread_mutex_lock(&lock);
	for (size_t done = 0; !record->is_lost && dump >= 0 && done < record->count;) {
		ssize_t written = write(dump, record->bytes + done, record->count - done);
		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0) { /* a full disk: a half record would hide what follows */
			close(dump);
			dump = -1;
			break;
		}
		done += (size_t)written;
	}
	pthread_mutex_unlock(&lock);
	free(record->bytes);
}

/* ---- names ---- */

/* "Lcom/acme/Order;" -> "com/acme/Order" */
static bool class_of(jvmtiEnv *machine, jmethodID method, char *name, jclass *class)
{
	char *signature = NULL;
	bool is_class = !(*machine)->GetMethodDeclaringClass(machine, method, class) &&
			!(*machine)->GetClassSignature(machine, *class, &signature, NULL) &&
			signature[0] == 'L';

	if (is_class) {
		snprintf(name, TEXT_BYTES, "%s", signature + 1);
		name[strcspn(name, ";")] = '\0';
	}
	(*machine)->Deallocate(machine, (unsigned char *)signature);
	return is_class;
}

/* "com.acme.Order.total", or "" */
static void name_method(jvmtiEnv *machine, jmethodID method, char *name)
{
	char class_name[TEXT_BYTES], *method_name = NULL;
	jclass class;

	*name = '\0';
	if (class_of(machine, method, class_name, &class) &&
	    !(*machine)->GetMethodName(machine, method, &method_name, NULL, NULL)) {
		for (char *letter = class_name; *letter; letter++)
			if (*letter == '/')
				*letter = '.';
		snprintf(name, TEXT_BYTES, "%.700s.%.300s", class_name, method_name);
	}
	(*machine)->Deallocate(machine, (unsigned char *)method_name);
}

/* "com/acme/Order.java", or "" */
static void name_source(jvmtiEnv *machine, jmethodID method, char *path)
{
	char class_name[TEXT_BYTES], *source = NULL;
	jclass class;

	*path = '\0';
	if (class_of(machine, method, class_name, &class) &&
	    !(*machine)->GetSourceFileName(machine, class, &source)) {
		const char *slash = strrchr(class_name, '/');
		int folder = slash ? (int)(slash + 1 - class_name) : 0;
		snprintf(path, TEXT_BYTES, "%.*s%.300s", folder > 700 ? 0 : folder, class_name,
			 source);
	}
	(*machine)->Deallocate(machine, (unsigned char *)source);
}

static bool is_of_library(jvmtiEnv *machine, jmethodID method)
{
	static const char *const packages[] = {"java/", "javax/", "jdk/", "sun/", "com/sun/"};
	char class_name[TEXT_BYTES];
	jclass class;

	if (!class_of(machine, method, class_name, &class))
		return false;
	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		if (!strncmp(class_name, packages[i], strlen(packages[i])))
			return true;
	return false;
}

/* 0: unknown. */
static jint line_of(jvmtiEnv *machine, const struct place *place)
{
	jvmtiLineNumberEntry *lines = NULL;
	jint count = 0, line = 0;

	if (place->bci < 0 ||
	    (*machine)->GetLineNumberTable(machine, place->method, &count, &lines))
		return 0;
	jlocation best = -1;
	for (jint i = 0; i < count; i++)
		if (lines[i].start_location <= place->bci && lines[i].start_location >= best) {
			best = lines[i].start_location;
			line = lines[i].line_number;
		}
	(*machine)->Deallocate(machine, (unsigned char *)lines);
	return line;
}

/* ---- compiled code ---- */

static const jvmtiCompiledMethodLoadInlineRecord *inline_record(const void *information)
{
	const jvmtiCompiledMethodLoadRecordHeader *header = information;

	while (header && header->kind != JVMTI_CMLR_INLINE_INFO)
		header = header->next;
	return (const void *)header;
}

/* The innermost method that is the program's own, else the innermost one. */
static struct place place_of(jvmtiEnv *machine, const PCStackInfo *stack)
{
	jint innermost = 0;

	for (jint i = 0; i < stack->numstackframes; i++)
		if (!is_of_library(machine, stack->methods[i])) {
			innermost = i;
			break;
		}
	return (struct place){stack->methods[innermost], stack->bcis[innermost]};
}

static void append_line(struct record *record, jvmtiEnv *machine, const struct place *place,
			uint64_t address)
{
	char text[TEXT_BYTES];
	struct jit_dump_line line = {.address = address, .line = line_of(machine, place)};

	append(record, &line, sizeof(line));
	name_source(machine, place->method, text);
	append_text(record, text);
	name_method(machine, place->method, text);
	append_text(record, text);
}

/*
 * HotSpot describes the code behind the description before, up to and with the instruction at `pc`;
 * a line of a dump holds from its address on.
 */
static void append_lines(struct record *record, jvmtiEnv *machine, const void *information,
			 uint64_t code)
{
	const jvmtiCompiledMethodLoadInlineRecord *inlined = inline_record(information);
	struct jit_dump_lines lines = {.code = code};
	uint64_t begin = code;
	size_t record_at = record->count;

	if (!inlined || inlined->numpcs <= 0)
		return;
	append_prefix(record, JIT_DUMP_INLINE_LINES);
	size_t lines_at = record->count;
	append(record, &lines, sizeof(lines));
	for (jint i = 0; i < inlined->numpcs; i++) {
		const PCStackInfo *stack = &inlined->pcinfo[i];
		uint64_t end = (uint64_t)(uintptr_t)stack->pc;
		if (stack->numstackframes <= 0 || end < begin)
			continue;
		struct place place = place_of(machine, stack);
		append_line(record, machine, &place, begin);
		begin = end + 1;
		lines.count++;
	}
	if (!record->is_lost)
		memcpy(record->bytes + lines_at, &lines, sizeof(lines));
	end_record(record, record_at);
}

static void append_code(struct record *record, const char *name, const void *code, uint32_t bytes)
{
	size_t begin = record->count;
	struct jit_dump_load load = {
		.pid = (uint32_t)getpid(),
		.tid = (uint32_t)syscall(SYS_gettid),
		.memory_address = (uint64_t)(uintptr_t)code,
		.code = (uint64_t)(uintptr_t)code,
		.code_bytes = bytes,
		.index = __atomic_add_fetch(&code_index, 1, __ATOMIC_RELAXED),
	};

	append_prefix(record, JIT_DUMP_LOAD);
	append(record, &load, sizeof(load));
	append_text(record, name);
	append(record, code, bytes);
	end_record(record, begin);
}

static void JNICALL on_compiled(jvmtiEnv *machine, jmethodID method, jint bytes, const void *code,
				jint map_length, const jvmtiAddrLocationMap *map,
				const void *information)
{
	struct record record = {0};
	char name[TEXT_BYTES];

	(void)map_length;
	(void)map;
	name_method(machine, method, name);
	append_lines(&record, machine, information, (uint64_t)(uintptr_t)code);
	append_code(&record, *name ? name : "(unnamed method)", code, (uint32_t)bytes);
	write_record(&record);
}

/* The interpreter and stubs. */
static void JNICALL on_generated(jvmtiEnv *machine, const char *name, const void *code, jint bytes)
{
	struct record record = {0};

	(void)machine;
	append_code(&record, name, code, (uint32_t)bytes);
	write_record(&record);
}

/* ---- start ---- */

/* A file of an earlier process with this id is removed; a link is not followed. */
static void dump_open(const char *options)
{
	char path[PATH_BYTES];
	struct jit_dump_header header = {
		.magic = JIT_DUMP_MAGIC,
		.version = JIT_DUMP_VERSION,
		.total_bytes = sizeof(header),
#ifdef __x86_64__
		.machine = 62, /* EM_X86_64 */
#elif defined(__riscv)
		.machine = 243, /* EM_RISCV */
#else
		.machine = 183, /* EM_AARCH64 */
#endif
		.pid = (uint32_t)getpid(),
		.time = now_ns(),
	};

	if (options && !strncmp(options, "path=", 5))
		snprintf(path, sizeof(path), "%s", options + 5);
	else
		snprintf(path, sizeof(path), "/tmp/jit-%d.dump", (int)getpid());
	unlink(path);
	dump = open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
	if (dump < 0)
		return;
	if (write(dump, &header, sizeof(header)) != sizeof(header)) {
		close(dump);
		dump = -1;
		return;
	}
	/* perf finds the file by this mapping; it stays. */
	(void)mmap(NULL, (size_t)sysconf(_SC_PAGESIZE), PROT_READ | PROT_EXEC, MAP_PRIVATE, dump,
		   0);
}

static void JNICALL on_started(jvmtiEnv *machine, JNIEnv *java, jthread thread)
{
	(void)thread;
	java_locks_watch_parking(machine, java);
}

/* The machine runs already. */
static void catch_up(jvmtiEnv *machine, JavaVM *java)
{
	JNIEnv *environment = NULL;

	(*machine)->GenerateEvents(machine, JVMTI_EVENT_DYNAMIC_CODE_GENERATED);
	(*machine)->GenerateEvents(machine, JVMTI_EVENT_COMPILED_METHOD_LOAD);
	if (!(*java)->GetEnv(java, (void **)&environment, JNI_VERSION_1_8))
		java_locks_watch_parking(machine, environment);
}

static jint start(JavaVM *java, const char *options, bool is_attached)
{
	jvmtiEnv *machine = NULL;
	const jvmtiCapabilities wanted = {
		.can_generate_compiled_method_load_events = 1,
		.can_get_source_file_name = 1,
		.can_get_line_numbers = 1,
	};
	jvmtiEventCallbacks callbacks = {
		.VMInit = on_started,
		.CompiledMethodLoad = on_compiled,
		.DynamicCodeGenerated = on_generated,
	};

	if ((*java)->GetEnv(java, (void **)&machine, JVMTI_VERSION_1_2) ||
	    (*machine)->AddCapabilities(machine, &wanted))
		return JNI_OK; /* the program runs on without names */
	java_locks_begin(machine, &callbacks);
	if ((*machine)->SetEventCallbacks(machine, &callbacks, sizeof(callbacks)))
		return JNI_OK;
	dump_open(options);
	(*machine)->SetEventNotificationMode(machine, JVMTI_ENABLE,
					     JVMTI_EVENT_COMPILED_METHOD_LOAD, NULL);
	(*machine)->SetEventNotificationMode(machine, JVMTI_ENABLE,
					     JVMTI_EVENT_DYNAMIC_CODE_GENERATED, NULL);
	java_locks_enable(machine);
	if (is_attached)
		catch_up(machine, java);
	else
		(*machine)->SetEventNotificationMode(machine, JVMTI_ENABLE, JVMTI_EVENT_VM_INIT,
						     NULL);
	return JNI_OK;
}

JNIEXPORT jint JNICALL Agent_OnLoad(JavaVM *java, char *options, void *reserved)
{
	(void)reserved;
	return start(java, options, false);
}

JNIEXPORT jint JNICALL Agent_OnAttach(JavaVM *java, char *options, void *reserved)
{
	(void)reserved;
	return start(java, options, true);
}
