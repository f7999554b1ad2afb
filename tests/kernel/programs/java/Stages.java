// SPDX-License-Identifier: BSD-2-Clause

/** Stages N - N units of two stages; the first takes twice as long as the second. A line is written for each unit. */
public class Stages {
	static volatile long sink;

	static long step(long sum, int i, int divisor) {
		return sum + (sum ^ i) % divisor; // STEP
	}

	static long first(int count) {
		long sum = 0;
		for (int i = 0; i < count; i++)
			sum += (sum ^ i) % 7; // FIRST
		return sum;
	}

	static long second(int count) {
		long sum = 0;
		for (int i = 0; i < count; i++)
			sum = step(sum, i, 7); // SECOND
		return sum;
	}

	public static void main(String[] words) {
		String percent = System.getenv("STAGES_FIRST_PERCENT");
		int firstCount = 600 * (percent == null ? 100 : Integer.parseInt(percent));
		int units = Integer.parseInt(words[0]);
		for (int i = 0; i < units; i++) {
			sink = first(firstCount);
			sink = second(30000);
			System.out.println();
		}
	}
}
