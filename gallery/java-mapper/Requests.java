// SPDX-License-Identifier: BSD-2-Clause
import com.fasterxml.jackson.databind.ObjectMapper;
import java.security.MessageDigest;
import java.util.List;

/** A server's inner loop: each answer becomes JSON, and is signed. */
public class Requests {
	public static class Item {
		public int id;
		public String name;
		public List<String> tags = List.of("red", "green", "blue");
	}

	static final ObjectMapper SHARED = new ObjectMapper();
	static boolean isShared;

	static String toJson(Item item) throws Exception {
		ObjectMapper mapper = isShared ? SHARED : new ObjectMapper();
		return mapper.writeValueAsString(item);
	}

	static int sign(String json) throws Exception {
		MessageDigest digest = MessageDigest.getInstance("SHA-256");
		byte[] text = json.getBytes();
		for (int i = 0; i < 200; i++)
			digest.update(text);
		return digest.digest()[0];
	}

	public static void main(String[] words) throws Exception {
		Item item = new Item();
		long sum = 0;
		isShared = words[1].equals("shared");
		for (int turn = 0; turn < Integer.parseInt(words[0]); turn++) {
			item.id = turn;
			item.name = "item " + turn;
			sum += sign(toJson(item));
		}
		System.out.println(sum);
	}
}
