package bot;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** Writes each line of its input as Json writes it, or `invalid`. */
final class JsonEcho {
    public static void main(String[] arguments) throws IOException {
        byte[] input = System.in.readAllBytes();
        StringBuilder output = new StringBuilder();
        int start = 0;
        for (int at = 0; at < input.length; at++) {
            if (input[at] == '\n') {
                output.append(echo(Arrays.copyOfRange(input, start, at))).append('\n');
                start = at + 1;
            }
        }
        System.out.write(output.toString().getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }

    private static String echo(byte[] line) {
        try {
            return Json.parse(line).toString();
        } catch (Json.Invalid error) {
            return "invalid";
        }
    }
}
