// SPDX-License-Identifier: BSD-2-Clause
import java.io.FileOutputStream;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Parts CASE SECONDS PERCENT_A PERCENT_B - a Java program whose gains are known by how it is made (../languages.py).
 *
 * stages: one thread does first() and second() in turn; lock: two threads do first(), and second() in a monitor;
 * concurrent: the same with a lock of java.util.concurrent.
 */
public class Parts {
	static volatile long sink;
	static final Object monitor = new Object();
	static final ReentrantLock mutex = new ReentrantLock();
	static final AtomicLong visits = new AtomicLong();
	static long end;
	static FileOutputStream out;

	static long first(int count) {
		long value = 1;
		for (int i = 0; i < count; i++)
			value = value * 6364136223846793005L + 1442695040888963407L;
		return value;
	}

	static long second(int count) {
		long value = 1;
		for (int i = 0; i < count; i++)
			value = value * 6364136223846793005L + 1442695040888963407L;
		return value;
	}

	static void visit() {
		try {
			out.write('x');
		} catch (IOException failure) {
			throw new IllegalStateException(failure);
		}
		visits.incrementAndGet();
	}

	static void stages(int a, int b) {
		while (System.nanoTime() < end) {
			sink = first(2 * a);
			sink = second(b);
			visit();
		}
	}

	static void lock(int a, int b) {
		while (System.nanoTime() < end) {
			sink = first(3 * a / 5);
			synchronized (monitor) {
				sink = second(b);
			}
			visit();
		}
	}

	static void concurrent(int a, int b) {
		while (System.nanoTime() < end) {
			sink = first(3 * a / 5);
			mutex.lock();
			sink = second(b);
			mutex.unlock();
			visit();
		}
	}

	public static void main(String[] words) throws Exception {
		int a = 30000 * Integer.parseInt(words[2]), b = 30000 * Integer.parseInt(words[3]);
		long begun = System.nanoTime();
		end = begun + (long) (1e9 * Double.parseDouble(words[1]));
		out = new FileOutputStream("/dev/null");
		if (words[0].equals("stages")) {
			stages(a, b);
		} else {
			Runnable work = words[0].equals("lock") ? () -> lock(a, b) : () -> concurrent(a, b);
			Thread other = new Thread(work);
			other.start();
			work.run();
			other.join();
		}
		System.out.printf("period_ns=%d%n", (System.nanoTime() - begun) / visits.get());
	}
}
