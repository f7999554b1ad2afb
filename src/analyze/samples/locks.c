/* SPDX-License-Identifier: BSD-2-Clause */
/* locks - entries by lock, and wake-ups joined with them by process and address. */
#include "analyze/samples/locks.h"

#include "base/cleanup.h"
#include "base/hash.h"
#include "base/hash_map.h"

#include <fnmatch.h>
#include <string.h>

#define KIND_THREAD_END "end of a thread"
#define KIND_IDLE_GO "idle thread of Go"
#define KIND_PARKED "parked thread"

/* The first pattern that a function of the chain matches, innermost function first. */
static const struct {
	const char *function, *kind;
} kinds[] = {
	{"*pthread_mutex_*lock*", "mutex"},
	{"lll_mutex_lock*", "mutex"},
	{"*pthread_cond_*wait*", "condition variable"},
	{"*pthread_rwlock_*rdlock*", "rwlock, to read"},
	{"*pthread_rwlock_*wrlock*", "rwlock, to write"},
	{"*sem_*wait*", "semaphore"},
	{"*pthread_barrier_wait*", "barrier"},
	{"*pthread_*join*", KIND_THREAD_END},
	{"*pthread_once*", "once"},
	{"*mtx_*lock*", "mutex"},
	{"*cnd_*wait*", "condition variable"},
	{"__cxa_guard_acquire*", "static initialization"},
	{"*futex*Mutex*lock*", "mutex"},
	{"*futex*RwLock*read*", "rwlock, to read"},
	{"*futex*RwLock*write*", "rwlock, to write"},
	{"*futex*Condvar*wait*", "condition variable"},
	{"*thread*park*", KIND_PARKED},
	{"runtime.lock*", "lock of the Go runtime"},
	{"runtime.notesleep", KIND_IDLE_GO},
	{"runtime.notetsleep*", KIND_IDLE_GO},
};

/*
 * The Java virtual machine waits by conditions of its own, one for each thread: addresses tell
 * nothing, and these functions what the thread waits for.
 */
static const struct {
	const char *function, *kind;
} java_kinds[] = {
	{"ObjectMonitor::enter*", "monitor of Java"},
	{"ObjectMonitor::EnterI*", "monitor of Java"},
	{"ObjectMonitor::ReenterI*", "monitor of Java"},
	{"ObjectMonitor::wait*", "Object.wait of Java"},
	{"Unsafe_Park", "parked thread of Java"},
	{"park_as_told", "parked thread of Java"},
};
#define KIND_JAVA_LOCK "lock of Java" /* the agent has told that a thread parks for it */

static const char *java_kind_of(const char *function)
{
	for (size_t i = 0; function && i < sizeof(java_kinds) / sizeof(*java_kinds); i++)
		if (!fnmatch(java_kinds[i].function, function, 0))
			return java_kinds[i].kind;
	return NULL;
}

static const char *kind_of_function(const char *function)
{
	for (size_t i = 0; function && i < sizeof(kinds) / sizeof(*kinds); i++)
		if (!fnmatch(kinds[i].function, function, 0))
			return kinds[i].kind;
	return NULL;
}

/* Functions of the kernel that take its locks; their caller tells which lock. */
static bool takes_kernel_lock(const char *function)
{
	static const char *const patterns[] = {"*mutex*",     "*rwsem*",     "*down*",
					       "percpu_*",    "__percpu*",   "*_lock",
					       "*lock_slow*", "io_schedule*"};

	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++)
		if (!fnmatch(patterns[i], function, 0))
			return true;
	return false;
}

/* What the chain tells of a wait. */
struct chain_facts {
	const char *kind;
	bool is_of_java;
	const struct recording_frame *taker; /* in the kernel, but for functions of locks */
};

static struct chain_facts facts_of(const struct samples *samples, const struct samples_entry *entry)
{
	size_t count;
	const struct recording_frame **chain =
		samples_chain(samples->recording, entry->stack_sample->stack_id, &count);
	struct chain_facts facts = {0};

	for (size_t i = 0; i < count; i++) {
		const char *function = chain[i]->function;
		if (chain[i]->kind == FRAME_USER && !facts.kind)
			facts.kind = kind_of_function(function);
		const char *java = chain[i]->kind == FRAME_USER && !facts.is_of_java ?
					   java_kind_of(function) :
					   NULL;
		facts.is_of_java |= java != NULL;
		facts.kind = !java ? facts.kind :
			     entry->stack_sample->resource && strstr(java, "parked") ?
				     KIND_JAVA_LOCK :
				     java;
		if (chain[i]->kind == FRAME_KERNEL && function && !facts.taker &&
		    !takes_kernel_lock(function))
			facts.taker = chain[i];
	}
	free(chain);
	if (!entry->stack_sample->address)
		facts.kind = entry->stack_sample->subclass;
	facts.kind = facts.kind ? facts.kind : "futex";
	return facts;
}

static const struct recording_frame *place_of(const struct samples *samples,
					      const struct samples_entry *entry)
{
	const struct recording_frame *place =
		samples_lock_place(samples->recording, entry->stack_sample->stack_id);
	return place ? place : samples_place(entry);
}

/* ---- the place at which most waits for an address began ---- */

struct address_site {
	unsigned pid;
	uint64_t address;
	const struct recording_frame *place;
	uint64_t weight_ns;
};

static int by_address(const void *one, const void *other)
{
	const struct address_site *a = one, *b = other;

	if (a->pid != b->pid)
		return a->pid < b->pid ? -1 : 1;
	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

struct address_sites {
	ARRAY(struct address_site) items; /* one for each address, sorted */
};

static void keep_heaviest(struct address_sites *sites)
{
	size_t kept = 0;

	for (size_t i = 0, end; i < sites->items.count; i = end) {
		struct address_site best = {0}, one = sites->items.items[i];
		uint64_t weight = 0;
		for (end = i; end < sites->items.count; end++) {
			const struct address_site *next = &sites->items.items[end];
			if (next->pid != one.pid || next->address != one.address)
				break;
			weight = end > i && next[-1].place == next->place ? weight : 0;
			weight += next->weight_ns;
			if (weight > best.weight_ns) {
				best = *next;
				best.weight_ns = weight;
			}
		}
		sites->items.items[kept++] = best.weight_ns ? best : one;
	}
	sites->items.count = kept;
}

static struct address_sites sites_of(const struct samples *samples)
{
	struct address_sites sites = {0};

	for (size_t i = 0; i < samples->count; i++) {
		const struct samples_entry *entry = &samples->entries[i];
		if (entry->stack_sample->class == CLASS_LOCK && entry->stack_sample->address)
			*array_add(&sites.items) =
				(struct address_site){entry->thread->pid,
						      entry->stack_sample->address,
						      place_of(samples, entry),
						      entry->stack_sample->weight_ns};
	}
	if (sites.items.count)
		qsort(sites.items.items, sites.items.count, sizeof(struct address_site),
		      by_address);
	keep_heaviest(&sites);
	return sites;
}

static const struct recording_frame *site_of(const struct address_sites *sites, unsigned pid,
					     uint64_t address)
{
	size_t low = 0, high = sites->items.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct address_site *one = &sites->items.items[middle];
		if (one->pid < pid || (one->pid == pid && one->address < address))
			low = middle + 1;
		else
			high = middle;
	}
	return low < sites->items.count ? sites->items.items[low].place : NULL;
}

/* ---- rows ---- */

struct grouping {
	const struct samples *samples;
	struct address_sites sites;
	struct hash_map rows;      /* hash of a row's key -> index */
	struct hash_map addresses; /* (process, address) -> index of its row */
	ARRAY(struct samples_lock) locks;
};

static char *key_of(const struct samples_entry *entry, const struct recording_frame *place,
		    const struct chain_facts *facts)
{
	const struct recording_stack_sample *wait = entry->stack_sample;

	if (!wait->address)
		return text_format("k\n%s\n%s", facts->kind,
				   facts->taker ? facts->taker->function : "");
	if (wait->resource)
		return text_format("v\n%u\n%s", entry->thread->pid, wait->resource);
	return place ? text_format("p%s\n%u\n%s\n%s\n%u", facts->is_of_java ? facts->kind : "",
				   entry->thread->pid, place->function ? place->function : "",
				   place->file ? place->file : "", place->line) :
		       text_format("a\n%u\n%llx", entry->thread->pid,
				   (unsigned long long)wait->address);
}

static void add_entry(struct grouping *grouping, const struct samples_entry *entry)
{
	const struct recording_stack_sample *wait = entry->stack_sample;
	unsigned pid = entry->thread->pid;
	struct chain_facts facts = facts_of(grouping->samples, entry);
	const struct recording_frame *place =
		wait->address && !facts.is_of_java ? site_of(&grouping->sites, pid, wait->address) :
						     place_of(grouping->samples, entry);
	AUTO(text) char *key = key_of(entry, place, &facts);
	uint64_t hash = hash_bytes(key, strlen(key));
	uint32_t index = hash_map_get(&grouping->rows, hash, 0);

	if (index == HASH_MAP_NONE) {
		index = (uint32_t)grouping->locks.count;
		hash_map_set(&grouping->rows, hash, 0, index);
		*array_add(&grouping->locks) = (struct samples_lock){
			.name = wait->address ? wait->resource :
				facts.taker   ? facts.taker->function :
						NULL,
			.place = place,
			.first = entry,
			.kind = facts.kind,
			.pid = pid,
		};
	}
	struct samples_lock *lock = &grouping->locks.items[index];
	samples_sum_add(&lock->sum, wait);
	if (wait->weight_ns > lock->first->stack_sample->weight_ns) {
		lock->first = entry;
		lock->kind = facts.kind;
		lock->place = wait->resource || !wait->address ?
				      place_of(grouping->samples, entry) :
				      place;
	}
	if (!wait->address ||
	    hash_map_get(&grouping->addresses, pid, wait->address) != HASH_MAP_NONE)
		return;
	hash_map_set(&grouping->addresses, pid, wait->address, index);
	lock->count++;
}

/* ---- the code that ends the waits ---- */

static bool is_same_place(const struct recording_frame *one, const struct recording_frame *other)
{
	return one == other ||
	       (one && other && one->line == other->line && one->function && other->function &&
		!strcmp(one->function, other->function) && !one->file == !other->file &&
		(!one->file || !strcmp(one->file, other->file)));
}

static void add_wakeup(struct grouping *grouping, const struct recording_wakeup *wakeup)
{
	const struct recording *recording = grouping->samples->recording;
	uint32_t index = hash_map_get(&grouping->addresses, wakeup->pid, wakeup->address);
	const struct recording_thread *thread = recording_thread(recording, wakeup->thread_id);

	if (index == HASH_MAP_NONE)
		return;
	struct samples_lock *lock = &grouping->locks.items[index];
	const struct recording_frame *place = samples_lock_place(recording, wakeup->stack_id);
	struct samples_waker *waker = NULL;
	for (size_t i = 0; i < lock->wakers.count && !waker; i++)
		if (is_same_place(lock->wakers.items[i].place, place))
			waker = &lock->wakers.items[i];
	if (!waker) {
		waker = array_add(&lock->wakers);
		*waker = (struct samples_waker){.place = place, .command = thread->command};
	}
	waker->weight_ns += wakeup->weight_ns;
	lock->woken_ns += wakeup->weight_ns;
}

static int by_waker_weight(const void *one, const void *other)
{
	const struct samples_waker *a = one, *b = other;

	if (a->weight_ns != b->weight_ns)
		return a->weight_ns > b->weight_ns ? -1 : 1;
	return a->place < b->place ? -1 : a->place > b->place;
}

static int by_lock_weight(const void *one, const void *other)
{
	const struct samples_lock *a = one, *b = other;

	if (a->sum.weight_ns != b->sum.weight_ns)
		return a->sum.weight_ns > b->sum.weight_ns ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static void finish(struct grouping *grouping, struct samples_locks *locks)
{
	for (size_t i = 0; i < grouping->locks.count; i++) {
		struct samples_lock *lock = &grouping->locks.items[i];
		samples_sum_judge(&lock->sum, &grouping->samples->all);
		locks->has_processes |= lock->pid != grouping->locks.items[0].pid;
		if (lock->wakers.count)
			qsort(lock->wakers.items, lock->wakers.count, sizeof(struct samples_waker),
			      by_waker_weight);
	}
	if (grouping->locks.count)
		qsort(grouping->locks.items, grouping->locks.count, sizeof(struct samples_lock),
		      by_lock_weight);
	locks->items = grouping->locks.items;
	locks->count = grouping->locks.count;
}

struct samples_locks samples_locks(const struct samples *samples)
{
	struct grouping grouping = {.samples = samples, .sites = sites_of(samples)};
	struct samples_locks locks = {0};

	for (size_t i = 0; i < samples->count; i++)
		if (samples->entries[i].stack_sample->class == CLASS_LOCK)
			add_entry(&grouping, &samples->entries[i]);
	for (size_t i = 0; i < samples->recording->wakeups.count; i++)
		add_wakeup(&grouping, &samples->recording->wakeups.items[i]);
	finish(&grouping, &locks);
	array_free(&grouping.sites.items);
	hash_map_clear(&grouping.rows);
	hash_map_clear(&grouping.addresses);
	return locks;
}

bool samples_lock_is_object(const struct samples_lock *lock)
{
	return strcmp(lock->kind, KIND_THREAD_END) && strcmp(lock->kind, KIND_IDLE_GO) &&
	       strcmp(lock->kind, KIND_PARKED) && !strstr(lock->kind, " of Java");
}

void samples_locks_clear(struct samples_locks *locks)
{
	for (size_t i = 0; i < locks->count; i++)
		array_free(&locks->items[i].wakers);
	free(locks->items);
	*locks = (struct samples_locks){0};
}
