// Runs the bot on the lines in sample.jsonl, which have every kind of decision: dotnet build/bot.dll test.

using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text.Json;

internal static class TestBot
{
    /// <summary>One answer to hello and to every act, and to nothing else. Returns an exit status.</summary>
    internal static int Run()
    {
        var lines = File.ReadAllText("sample.jsonl");
        var output = new StringWriter();
        Wire.Talk(new StringReader(lines), output);
        var acts = Messages(lines, "act");
        var answers = Messages(output.ToString(), "action");
        var problems = new List<string>();
        if (Messages(output.ToString(), "ready").Count != 1 || answers.Count != acts.Count)
        {
            problems.Add("not one ready and one answer to every act");
        }
        foreach (var (act, answer) in acts.Zip(answers, (act, answer) => (act, answer)))
        {
            var id = act.GetProperty("id").GetInt32();
            var index = answer.GetProperty("index").GetInt32();
            var isLegal = index >= 0 && index < act.GetProperty("legal").GetArrayLength();
            if (answer.GetProperty("id").GetInt32() != id || !isLegal)
            {
                problems.Add($"no legal answer to act {id}");
            }
        }
        problems.ForEach(problem => Console.Error.WriteLine($"FAILED: {problem}"));
        Console.WriteLine(problems.Count == 0 ? "ok" : "failed");
        return problems.Count == 0 ? 0 : 1;
    }

    private static List<JsonElement> Messages(string lines, string type)
    {
        return lines.Split('\n')
            .Where(line => line != "")
            .Select(line => JsonDocument.Parse(line).RootElement)
            .Where(message => message.GetProperty("type").GetString() == type)
            .ToList();
    }
}
