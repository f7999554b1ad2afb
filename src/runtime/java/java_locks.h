/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * java_locks - tells for which lock each thread of a Java virtual machine waits: monitors, and
 * locks of java.util.concurrent.
 *
 * The machine makes them of conditions, one for each thread, so the kernel cannot tell them from a
 * thread without work. A word of each thread holds the address of the lock's name meanwhile
 * (points_names.lock_word in wire/points.h). Nothing runs where no thread has to wait.
 */
#pragma once

#include <jvmti.h>

/* Before the machine runs; enables its events. */
void java_locks_begin(jvmtiEnv *machine, jvmtiEventCallbacks *callbacks);
void java_locks_enable(jvmtiEnv *machine);

/* When the machine runs: at VMInit, or when the agent is attached. */
void java_locks_watch_parking(jvmtiEnv *machine, JNIEnv *java);
