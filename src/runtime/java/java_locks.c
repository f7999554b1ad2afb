/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * java_locks - marks of threads that wait for a monitor or a lock of java.util.concurrent.
 *
 * Monitors have events (JVMTI). Locks of java.util.concurrent wait in Unsafe.park, whose native
 * function is replaced: the thread's parkBlocker tells whether it parks for a lock, or for work.
 */
#include "runtime/java/java_locks.h"

#include "runtime/shims/shim.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MOST 1024 /* a power of two */
#define NAME_BYTES 256

/* The name of a class, as in Java. At the same distance from each thread's thread pointer. */
static __thread uint64_t lock_word __attribute__((tls_model("initial-exec")));

/* Names are kept for good. By hash, with free places behind. */
static char *names[NAMES_MOST];

typedef void(JNICALL *park_function)(JNIEnv *, jobject, jboolean, jlong);

/* Written once, before is_parking_told. */
static bool is_parking_told;
static jvmtiEnv *of_machine;
static park_function original_park;
static jclass synchronizer;
static jfieldID blocker_field, owner_field;

static uintptr_t thread_pointer(void)
{
#ifdef __x86_64__
	uintptr_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
#else
	return (uintptr_t)__builtin_thread_pointer();
#endif
}

/* ---- names ---- */

/* The address of an equal text that stays; NULL: there are too many. */
static const char *name_keep(const char *text)
{
	unsigned long long hash = lever_name_hash(text, 0);

	for (unsigned probe = 0; probe < NAMES_MOST; probe++) {
		char **place = &names[(hash + probe) % NAMES_MOST];
		char *known = __atomic_load_n(place, __ATOMIC_ACQUIRE);
		if (!known) {
			char *copy = strdup(text);
			if (!copy)
				return NULL;
			if (__atomic_compare_exchange_n(place, &known, copy, false,
							__ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
				return copy;
			free(copy);
		}
		if (!strcmp(known, text))
			return known;
	}
	return NULL;
}

/* "Lcom/acme/Store$Shard;" -> "com.acme.Store$Shard" */
static bool class_name(JNIEnv *java, jobject object, char *name)
{
	jclass class = (*java)->GetObjectClass(java, object);
	char *signature = NULL;
	bool is_class = !(*of_machine)->GetClassSignature(of_machine, class, &signature, NULL);

	if (is_class) {
		snprintf(name, NAME_BYTES, "%s", signature + (signature[0] == 'L'));
		name[strcspn(name, ";")] = '\0';
		for (char *letter = name; *letter; letter++)
			if (*letter == '/')
				*letter = '.';
	}
	(*of_machine)->Deallocate(of_machine, (unsigned char *)signature);
	(*java)->DeleteLocalRef(java, class);
	return is_class;
}

static void wait_begin(const char *class)
{
	const char *name = name_keep(class);

	__atomic_store_n(&lock_word, (uint64_t)(uintptr_t)(name ? name : "one of many classes"),
			 __ATOMIC_RELAXED);
}

static void wait_end(void)
{
	__atomic_store_n(&lock_word, 0, __ATOMIC_RELAXED);
}

/* ---- monitors ---- */

static void JNICALL on_contended(jvmtiEnv *machine, JNIEnv *java, jthread thread, jobject object)
{
	char class[NAME_BYTES];

	(void)machine;
	(void)thread;
	if (class_name(java, object, class))
		wait_begin(class);
}

static void JNICALL on_entered(jvmtiEnv *machine, JNIEnv *java, jthread thread, jobject object)
{
	(void)machine;
	(void)java;
	(void)thread;
	(void)object;
	wait_end();
}

/* ---- locks of java.util.concurrent ---- */

/*
 * Whether that is a lock: one of java.util.concurrent.locks, or a synchronizer of the program's own
 * that a thread has. A semaphore and a latch are none.
 */
static bool is_lock(JNIEnv *java, jobject blocker, char *class)
{
	if (!(*java)->IsInstanceOf(java, blocker, synchronizer) ||
	    !class_name(java, blocker, class))
		return false;
	if (!strncmp(class, "java.util.concurrent.locks.", 27)) {
		class[strcspn(class, "$")] = '\0'; /* ReentrantLock$NonfairSync */
		return true;
	}
	jobject owner = (*java)->GetObjectField(java, blocker, owner_field);
	(*java)->DeleteLocalRef(java, owner);
	return owner != NULL;
}

static void park_begin(JNIEnv *java)
{
	char class[NAME_BYTES];
	jthread thread = NULL;

	if ((*of_machine)->GetCurrentThread(of_machine, &thread) || !thread)
		return;
	jobject blocker = (*java)->GetObjectField(java, thread, blocker_field);
	if (blocker && is_lock(java, blocker, class))
		wait_begin(class);
	(*java)->DeleteLocalRef(java, blocker);
	(*java)->DeleteLocalRef(java, thread);
}

static void JNICALL park_as_told(JNIEnv *java, jobject unsafe, jboolean is_absolute, jlong time)
{
	if (__atomic_load_n(&is_parking_told, __ATOMIC_ACQUIRE))
		park_begin(java);
	original_park(java, unsafe, is_absolute, time);
	wait_end();
}

/* Unsafe is made before anything that could call it. */
static void JNICALL on_bound(jvmtiEnv *machine, JNIEnv *java, jthread thread, jmethodID method,
			     void *address, void **new_address)
{
	char *name = NULL, *signature = NULL;

	(void)java;
	(void)thread;
	if (!original_park &&
	    !(*machine)->GetMethodName(machine, method, &name, &signature, NULL) &&
	    !strcmp(name, "park") && !strcmp(signature, "(ZJ)V")) {
		park_function told = park_as_told; /* ISO C casts no function's address */
		memcpy(&original_park, &address, sizeof(original_park));
		memcpy(new_address, &told, sizeof(told));
	}
	(*machine)->Deallocate(machine, (unsigned char *)name);
	(*machine)->Deallocate(machine, (unsigned char *)signature);
}

static bool find_fields(JNIEnv *java)
{
	jclass thread = (*java)->FindClass(java, "java/lang/Thread");
	jclass owned =
		(*java)->FindClass(java, "java/util/concurrent/locks/AbstractOwnableSynchronizer");

	if (!thread || !owned)
		return false;
	blocker_field = (*java)->GetFieldID(java, thread, "parkBlocker", "Ljava/lang/Object;");
	owner_field =
		(*java)->GetFieldID(java, owned, "exclusiveOwnerThread", "Ljava/lang/Thread;");
	synchronizer = (*java)->NewGlobalRef(java, owned);
	return blocker_field && owner_field && synchronizer;
}

void java_locks_watch_parking(jvmtiEnv *machine, JNIEnv *java)
{
	(*machine)->SetEventNotificationMode(machine, JVMTI_DISABLE, JVMTI_EVENT_NATIVE_METHOD_BIND,
					     NULL);
	if (original_park && find_fields(java))
		__atomic_store_n(&is_parking_told, true, __ATOMIC_RELEASE);
	(*java)->ExceptionClear(java); /* a machine that has them elsewhere */
}

void java_locks_begin(jvmtiEnv *machine, jvmtiEventCallbacks *callbacks)
{
	const jvmtiCapabilities wanted = {.can_generate_monitor_events = 1};
	const jvmtiCapabilities early = {.can_generate_native_method_bind_events = 1,
					 .can_generate_early_vmstart = 1};
	struct lever_points *page = lever_points_page();

	of_machine = machine;
	if (!page || (*machine)->AddCapabilities(machine, &wanted))
		return;
	callbacks->MonitorContendedEnter = on_contended;
	callbacks->MonitorContendedEntered = on_entered;
	if (!(*machine)->AddCapabilities(machine, &early))
		callbacks->NativeMethodBind = on_bound;
	__atomic_store_n(&page->lock_word, (uintptr_t)&lock_word - thread_pointer(),
			 __ATOMIC_RELEASE);
}

void java_locks_enable(jvmtiEnv *machine)
{
	(*machine)->SetEventNotificationMode(machine, JVMTI_ENABLE, JVMTI_EVENT_NATIVE_METHOD_BIND,
					     NULL);
	(*machine)->SetEventNotificationMode(machine, JVMTI_ENABLE,
					     JVMTI_EVENT_MONITOR_CONTENDED_ENTER, NULL);
	(*machine)->SetEventNotificationMode(machine, JVMTI_ENABLE,
					     JVMTI_EVENT_MONITOR_CONTENDED_ENTERED, NULL);
}
