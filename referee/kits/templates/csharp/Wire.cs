// Speaks the protocol: reads the referee's messages, asks the bot, and writes its answers. Nothing to edit here.

using System;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.Json;

internal static class Wire
{
    /// <summary>The version of the protocol that this file speaks.</summary>
    private const int Protocol = 1;

    /// <summary>
    /// Plays games over standard input and output, until the referee says quit or disconnects, or tests the bot. Standard
    /// output is for the protocol alone, so from here on Console.WriteLine writes to standard error.
    /// </summary>
    internal static int Main(string[] arguments)
    {
        if (arguments.Length > 0 && arguments[0] == "test")
        {
            return TestBot.Run();
        }
        var utf8 = new UTF8Encoding(false);
        var input = new StreamReader(Console.OpenStandardInput(), utf8);
        var output = new StreamWriter(Console.OpenStandardOutput(), utf8);
        Console.SetOut(Console.Error);
        try
        {
            Talk(input, output);
            return 0;
        }
        catch (IOException)
        {
            return 1; // the referee has exited
        }
        catch (Exception error)
        {
            Console.Error.WriteLine(error);
            return 1;
        }
    }

    /// <summary>
    /// Answers each line of the input, until one says quit or there are no more. What the referee may send later, in a
    /// further version, is ignored.
    /// </summary>
    internal static void Talk(TextReader input, TextWriter output)
    {
        var choose = ChooseRandomly(0);
        var gameId = "";
        string line;
        while ((line = input.ReadLine()) != null)
        {
            using (var document = Parse(line))
            {
                var message = document?.RootElement ?? default(JsonElement);
                switch (TypeOf(message))
                {
                    case "hello":
                        // To be sent less, which is faster to read: ,"options":{"events":false}
                        var name = JsonEncodedText.Encode(Bot.Name);
                        Send(output, $"{{\"type\":\"ready\",\"protocol\":{Protocol},\"name\":\"{name}\"}}");
                        break;
                    case "start":
                        gameId = Json.String(Json.Field(message, "game_id"));
                        choose = Start(message);
                        break;
                    case "act":
                        var id = Json.Integer(Json.Field(message, "id"));
                        int index;
                        try
                        {
                            index = choose(message);
                        }
                        catch
                        {
                            var decision = Json.Field(message, "decision");
                            Console.Error.WriteLine($"act {id} ({decision}) of game {gameId}:");
                            throw;
                        }
                        Send(output, $"{{\"type\":\"action\",\"id\":{id},\"index\":{index}}}");
                        break;
                    case "fault":
                        var code = Json.String(Json.Field(message, "code"));
                        var text = Json.String(Json.Field(message, "message"));
                        Console.Error.WriteLine($"the referee says: {code}: {text}");
                        break;
                    case "quit":
                        return;
                }
            }
        }
    }

    /// <summary>The message on a line; null if there is none, which needs no answer.</summary>
    private static JsonDocument Parse(string line)
    {
        try
        {
            return string.IsNullOrWhiteSpace(line) ? null : JsonDocument.Parse(line);
        }
        catch (JsonException error)
        {
            var beginning = string.Concat(line.Take(200).Select(letter => char.IsControl(letter) ? '?' : letter));
            Console.Error.WriteLine($"this line is not JSON ({error.Message}): {beginning}");
            return null;
        }
    }

    private static string TypeOf(JsonElement message)
    {
        var isObject = message.ValueKind == JsonValueKind.Object;
        return isObject && message.TryGetProperty("type", out var type) && type.ValueKind == JsonValueKind.String
            ? type.GetString()
            : null;
    }

    /// <summary>Writes a line and all of it to the pipe: in its buffer nobody would read it.</summary>
    private static void Send(TextWriter output, string line)
    {
        output.Write(line + "\n");
        output.Flush();
    }

    /// <summary>Begins a game; the result returns the index of an action for every question (act).</summary>
    internal delegate Func<JsonElement, int> Game(JsonElement start);

    /// <summary>How a game is played: a reader of its messages, and a strategy that chooses a legal action.</summary>
    internal static Game GameOf<S, A>(Func<JsonElement, S> readStart, Func<JsonElement, A> readAct, Func<S, A, int> choose)
    {
        return message =>
        {
            var start = readStart(message);
            return act => choose(start, readAct(act));
        };
    }

    private static Func<JsonElement, int> Start(JsonElement message)
    {
        return Bot.Games.TryGetValue(Json.String(Json.Field(message, "game")), out var game)
            ? game(message)
            : ChooseRandomly(Json.Long(Json.Field(message, "bot_seed")));
    }

    /// <summary>
    /// Takes random actions, the same ones for the same seed: in games that the bot doesn't know.
    /// </summary>
    private static Func<JsonElement, int> ChooseRandomly(long seed)
    {
        var state = seed % 2147483646 + 1;
        return act =>
        {
            state = state * 48271 % 2147483647; // the generator minstd_rand of C++
            return (int)(state % Json.Field(act, "legal").GetArrayLength());
        };
    }
}
