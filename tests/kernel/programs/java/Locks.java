// SPDX-License-Identifier: BSD-2-Clause
import java.util.concurrent.locks.ReentrantLock;

/** Locks KIND N - two threads compute N times in a monitor of class Locks$Store, or with a ReentrantLock; a third has no work. */
public class Locks {
	static volatile long sink;

	static final class Store {
	}

	static final Store store = new Store();
	static final ReentrantLock mutex = new ReentrantLock();

	static long step(int count) {
		long value = 1;
		for (int i = 0; i < count; i++)
			value = value * 6364136223846793005L + 1442695040888963407L;
		return value;
	}

	static void work(boolean isMonitor, int units) {
		for (int i = 0; i < units; i++) {
			if (isMonitor) {
				synchronized (store) {
					sink = step(1000000);
				}
			} else {
				mutex.lock();
				sink = step(1000000);
				mutex.unlock();
			}
			System.out.println(i);
		}
	}

	public static void main(String[] words) throws InterruptedException {
		Runnable work = () -> work(words[0].equals("monitor"), Integer.parseInt(words[1]));
		Thread idle = new Thread(() -> {
			synchronized (sleeper) {
				try {
					sleeper.wait();
				} catch (InterruptedException end) {
					return;
				}
			}
		});
		idle.setDaemon(true);
		idle.start();
		Thread one = new Thread(work), other = new Thread(work);
		one.start();
		other.start();
		one.join();
		other.join();
	}

	static final Object sleeper = new Object();
}
