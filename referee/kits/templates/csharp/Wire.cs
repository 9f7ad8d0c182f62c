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
    /// Plays games over standard input and output, until the referee says quit or is gone; or tests the bot. Standard
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
            return 1; // the referee is gone
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
        var game = new Game();
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
                        game = new Game(message);
                        break;
                    case "act":
                        var id = Json.Integer(Json.Field(message, "id"));
                        Send(output, $"{{\"type\":\"action\",\"id\":{id},\"index\":{game.Choose(message)}}}");
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

    /// <summary>The message on a line; null if there is none, for then there is nothing to do.</summary>
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

    /// <summary>The game in progress. Of one that this program doesn't know it takes the first action.</summary>
    private sealed class Game
    {
        private readonly DragonStart dragon;
        private readonly CityStart city;

        internal Game() { }

        internal Game(JsonElement start)
        {
            switch (Json.String(Json.Field(start, "game")))
            {
                case "year_of_the_dragon":
                    dragon = new DragonStart(start);
                    break;
                case "forbidden_city":
                    city = new CityStart(start);
                    break;
            }
        }

        internal int Choose(JsonElement act)
        {
            try
            {
                return dragon != null ? Bot.ChooseDragon(dragon, new DragonAct(act))
                    : city != null ? Bot.ChooseCity(city, new CityAct(act))
                    : 0;
            }
            catch
            {
                var game = dragon?.GameId ?? city?.GameId;
                Console.Error.WriteLine($"act {Json.Field(act, "id")} ({Json.Field(act, "decision")}) of game {game}:");
                throw;
            }
        }
    }
}
