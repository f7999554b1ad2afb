// SPDX-License-Identifier: BSD-2-Clause

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Progress points and spans of Java programs, for the causal profiler Lever.
 *
 * <pre>
 *     Lever.begin("request"); // how long does a request take?
 *     Lever.end("request");
 *     Lever.progress("requests"); // one unit of work is done
 * </pre>
 *
 * For Java from 22 (the foreign function interface), without native code of its own; Java asks for
 * --enable-native-access=ALL-UNNAMED. It loads liblever.so.1: the file that LEVER_LIBRARY names, else where the dynamic
 * linker looks. Without the library all methods do nothing, and {@link #missing} says why. While nothing is measured,
 * no C code is called.
 */
public final class Lever {
	/** Why liblever.so is not used; null if it is. */
	public static final String missing;

	private static final MemorySegment LISTENING;
	private static final MethodHandle ID, PROGRESS, BEGIN, END, INSTANT, COUNTER;
	private static final ConcurrentHashMap<String, Integer> IDS = new ConcurrentHashMap<>();

	static {
		MethodHandle id = null, progress = null, begin = null, end = null, instant = null, counter = null;
		MemorySegment listening = Arena.global().allocate(4);
		String why = null;
		try {
			String path = System.getenv("LEVER_LIBRARY");
			SymbolLookup library = SymbolLookup.libraryLookup(path == null ? "liblever.so.1" : path, Arena.global());
			FunctionDescriptor visit = FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT);
			id = handle(library, "lever_id", FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
			progress = handle(library, "lever_progress", visit);
			begin = handle(library, "lever_begin", visit);
			end = handle(library, "lever_end", visit);
			instant = handle(library, "lever_instant", visit);
			counter = handle(library, "lever_counter",
					FunctionDescriptor.ofVoid(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG));
			MethodHandle word = handle(library, "lever_listening_word", FunctionDescriptor.of(ValueLayout.ADDRESS));
			listening = ((MemorySegment)word.invokeExact()).reinterpret(4);
		} catch (Throwable error) {
			why = error.toString();
		}
		ID = id;
		PROGRESS = progress;
		BEGIN = begin;
		END = end;
		INSTANT = instant;
		COUNTER = counter;
		LISTENING = listening;
		missing = why;
	}

	private Lever() {}

	private static MethodHandle handle(SymbolLookup library, String name, FunctionDescriptor descriptor) {
		MemorySegment function = library.find(name).orElseThrow(() -> new UnsatisfiedLinkError(name));
		return Linker.nativeLinker().downcallHandle(function, descriptor);
	}

	private static int id(String name) {
		Integer known = IDS.get(name);
		if (known != null)
			return known;
		try (Arena arena = Arena.ofConfined()) {
			int id = (int)ID.invokeExact(arena.allocateFrom(name));
			IDS.put(name, id);
			return id;
		} catch (Throwable error) {
			throw new AssertionError(error);
		}
	}

	private static boolean isListening() {
		return LISTENING.get(ValueLayout.JAVA_INT, 0) != 0;
	}

	/** One unit of work is done. */
	public static void progress(String name) {
		if (!isListening())
			return;
		try {
			PROGRESS.invokeExact(id(name));
		} catch (Throwable error) {
			throw new AssertionError(error);
		}
	}

	/** A piece of work begins; it ends in this thread or another. */
	public static void begin(String name) {
		if (!isListening())
			return;
		try {
			BEGIN.invokeExact(id(name));
		} catch (Throwable error) {
			throw new AssertionError(error);
		}
	}

	/** A piece of work ends. */
	public static void end(String name) {
		if (!isListening())
			return;
		try {
			END.invokeExact(id(name));
		} catch (Throwable error) {
			throw new AssertionError(error);
		}
	}

	/** A number, as a curve on the timeline of `lever trace`. */
	public static void counter(String name, long value) {
		if (!isListening())
			return;
		try {
			COUNTER.invokeExact(id(name), value);
		} catch (Throwable error) {
			throw new AssertionError(error);
		}
	}

	/** A moment on the timeline of `lever trace`. */
	public static void instant(String name) {
		if (!isListening())
			return;
		try {
			INSTANT.invokeExact(id(name));
		} catch (Throwable error) {
			throw new AssertionError(error);
		}
	}
}
