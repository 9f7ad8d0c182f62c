package bot;

import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** Runs the bot on the lines in sample.jsonl, which have every kind of decision: `java -cp build bot.TestBot`. */
final class TestBot {
    public static void main(String[] arguments) throws Exception {
        Wire wire = new Wire(Bot.NAME, Bot.GAMES);
        int questions = 0;
        for (String line : Files.readString(Path.of("sample.jsonl")).split("\n")) {
            Json message = Json.parse(line);
            String answer = wire.answer(line.getBytes(StandardCharsets.UTF_8));
            switch (message.get("type").asString()) {
                case "hello" -> {
                    Json ready = Json.parse(answer);
                    check(ready.get("type").asString().equals("ready"), answer);
                    check(ready.get("protocol").asInt() == 1, answer);
                    check(ready.get("name").asString().equals(Bot.NAME), answer);
                }
                case "act" -> {
                    Json action = Json.parse(answer);
                    int index = action.get("index").asInt();
                    check(action.get("type").asString().equals("action"), answer);
                    check(action.get("id").asInt() == message.get("id").asInt(), answer);
                    check(index >= 0 && index < message.get("legal").asList(each -> each).size(), answer);
                    questions++;
                }
                case "quit" -> check(Wire.QUIT.equals(answer), answer);
                default -> check(answer == null, answer);
            }
        }
        System.out.println("ok: " + questions + " questions got a legal answer each");
    }

    private static void check(boolean holds, String answer) {
        if (!holds) {
            throw new AssertionError("a wrong answer: " + answer);
        }
    }
}
