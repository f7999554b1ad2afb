// SPDX-License-Identifier: BSD-2-Clause

/** Units N - N units of work, each in a span, half of them in a thread; for bindings.py. */
public class Units {
	static volatile long sink;

	static void units(int count) {
		for (int number = 0; number < count; number++) {
			Lever.begin("unit span");
			for (int i = 0; i < 3000; i++)
				sink = i;
			Lever.counter("total", number);
			Lever.end("unit span");
			Lever.progress("units");
		}
	}

	public static void main(String[] words) throws InterruptedException {
		if (Lever.missing != null)
			throw new IllegalStateException(Lever.missing);
		int all = Integer.parseInt(words[0]);
		Thread thread = new Thread(() -> units(all / 2));
		thread.start();
		units(all - all / 2);
		thread.join();
		Lever.instant("done");
	}
}
