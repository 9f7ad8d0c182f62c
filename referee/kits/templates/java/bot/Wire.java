package bot;

import bot.Messages.FaultMessage;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.function.Function;

/**
 * Speaks the protocol: reads the referee's messages, asks the bot, and writes its answers. Nothing to edit here.
 *
 * Every message is a JSON object on one line. Messages and fields of later versions are ignored.
 *
 * A game that the bot doesn't know is played by random legal actions, drawn from the `bot_seed` of the game.
 */
final class Wire {
    /** The version of the protocol that this file speaks. */
    static final int PROTOCOL = 1;

    /** Returns the index of a legal action. It is given what the referee sent when the game began, and a question. */
    interface Choose<S, A> {
        int choose(S start, A act);
    }

    /** How a game is played: made by `game` from a reader of messages and a strategy. */
    interface Game {
        /** Begins a game; the result is asked for the index of an action at every question. */
        Function<Json, Integer> start(Json start);
    }

    /** A game whose messages are read as these types: DragonStart.class, or Json.class to read nothing. */
    static <S, A> Game game(Class<S> startType, Class<A> actType, Choose<S, A> choose) {
        return message -> {
            S start = message.as(startType);
            return act -> choose.choose(start, act.as(actType));
        };
    }

    /** The answer when the referee says quit. */
    static final String QUIT = "";

    private final String name;
    private final Map<String, Game> games;
    private String gameId = "";
    private Function<Json, Integer> choose = chooseRandomly(0);

    Wire(String name, Map<String, Game> games) {
        this.name = name;
        this.games = games;
    }

    /**
     * Plays games over standard input and output until the referee says quit or disconnects.
     *
     * From here on System.out writes to standard error, since standard output is for the protocol alone.
     */
    static void play(String name, Map<String, Game> games) {
        System.setErr(new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
        System.setOut(System.err);
        OutputStream output = new FileOutputStream(FileDescriptor.out);
        Wire wire = new Wire(name, games);
        try (InputStream input = new BufferedInputStream(System.in, 1 << 16)) {
            for (byte[] line = readLine(input); line != null; line = readLine(input)) {
                String answer = wire.answer(line);
                if (QUIT.equals(answer)) {
                    return;
                }
                if (answer != null) {
                    output.write((answer + "\n").getBytes(StandardCharsets.UTF_8)); // not buffered: it is sent at once
                }
            }
        } catch (IOException error) {
            System.exit(1); // the referee has exited
        } catch (RuntimeException | Error error) {
            error.printStackTrace();
            System.exit(1); // also if the bot has started threads
        }
    }

    /** The answer to a line of the referee; null if there is none, QUIT to end. */
    String answer(byte[] line) {
        Json message;
        try {
            String text = new String(line, StandardCharsets.UTF_8);
            if (text.isBlank()) {
                return null;
            }
            message = Json.parse(line);
        } catch (Json.Invalid error) {
            String text = new String(line, 0, Math.min(line.length, 200), StandardCharsets.UTF_8);
            log("this line is not JSON (" + error.getMessage() + "): " + text);
            return null;
        }
        switch (message.get("type").asString()) {
            case "hello":
                // To be sent less, which is faster to read, add: "options":{"events":false}
                return "{\"type\":\"ready\",\"protocol\":" + PROTOCOL + ",\"name\":" + Json.quote(name) + "}";
            case "start":
                start(message);
                return null;
            case "act":
                int id = message.get("id").asInt();
                try {
                    return "{\"type\":\"action\",\"id\":" + id + ",\"index\":" + choose.apply(message) + "}";
                } catch (RuntimeException | Error error) {
                    log("act " + id + " (" + message.get("decision").asString() + ") of game " + gameId + ":");
                    throw error;
                }
            case "fault":
                FaultMessage fault = message.as(FaultMessage.class);
                log("the referee says: " + message.get("code").asString() + ": " + fault.message());
                return null;
            case "quit":
                return QUIT;
            default:
                return null;
        }
    }

    private void start(Json message) {
        gameId = message.get("game_id").asString();
        Game game = games.get(message.get("game").asString());
        choose = game == null ? chooseRandomly(message.get("bot_seed").asLong()) : game.start(message);
    }

    /** Takes random actions, the same ones for the same seed. */
    private static Function<Json, Integer> chooseRandomly(long seed) {
        long[] state = {seed % 2147483646 + 1};
        return act -> {
            state[0] = state[0] * 48271 % 2147483647; // the generator minstd_rand of C++
            return (int) (state[0] % act.get("legal").asList(each -> each).size());
        };
    }

    /** The next line without its line feed, which may be missing at the end of the input; null after the last one. */
    private static byte[] readLine(InputStream input) throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream(1 << 14);
        for (int next = input.read(); next != '\n'; next = input.read()) {
            if (next < 0) {
                return line.size() == 0 ? null : line.toByteArray();
            }
            line.write(next);
        }
        return line.toByteArray();
    }

    /** Writes to standard error at once, so that nothing is lost in a crash. */
    static void log(String text) {
        System.err.println(text);
    }
}
