// SPDX-License-Identifier: BSD-2-Clause
import java.security.MessageDigest;
import org.apache.commons.lang3.StringUtils;

/** Lines of text are cleaned of blanks, and a checksum is made of them. */
public class Lines {
	static boolean byLibrary;

	static String clean(String line) {
		return byLibrary ? StringUtils.normalizeSpace(line) : line.replaceAll("\\s+", " ").trim();
	}

	static int sum(MessageDigest digest, String line) {
		byte[] bytes = line.getBytes();
		for (int i = 0; i < 20; i++)
			digest.update(bytes);
		return bytes.length;
	}

	public static void main(String[] words) throws Exception {
		MessageDigest digest = MessageDigest.getInstance("SHA-256");
		long total = 0;
		byLibrary = words[1].equals("library");
		for (long turn = 0; turn < Long.parseLong(words[0]); turn++)
			total += sum(digest, clean("the  quick brown   fox " + turn + "  jumps over\tthe lazy  dog "));
		System.out.println(total);
	}
}
