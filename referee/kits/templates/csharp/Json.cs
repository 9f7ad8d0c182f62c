// From JSON to the types of Messages.cs: what all of them need.

using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.Json;

/// <summary>A message is not as the protocol says.</summary>
internal sealed class InvalidMessageException : Exception
{
    internal InvalidMessageException(string problem) : base(problem) { }
}

internal static class Json
{
    /// <summary>A field of an object that is always there.</summary>
    internal static JsonElement Field(JsonElement json, string name)
    {
        if (json.ValueKind != JsonValueKind.Object || !json.TryGetProperty(name, out var value))
        {
            throw new InvalidMessageException($"{name} is missing");
        }
        return value;
    }

    /// <summary>A field that may be absent or null; what it is then is the default of its type.</summary>
    internal static T Optional<T>(JsonElement json, string name, Func<JsonElement, T> read)
    {
        var isPresent = json.TryGetProperty(name, out var value) && value.ValueKind != JsonValueKind.Null;
        return isPresent ? read(value) : default(T);
    }

    /// <summary>The same for numbers and words, which are null then.</summary>
    internal static T? OptionalValue<T>(JsonElement json, string name, Func<JsonElement, T> read) where T : struct
    {
        return Optional<T?>(json, name, value => read(value));
    }

    internal static int Integer(JsonElement json)
    {
        return Checked(json, JsonValueKind.Number).GetInt32();
    }

    internal static long Long(JsonElement json)
    {
        return Checked(json, JsonValueKind.Number).GetInt64();
    }

    internal static bool Boolean(JsonElement json)
    {
        return json.ValueKind == JsonValueKind.True || Checked(json, JsonValueKind.False).GetBoolean();
    }

    internal static string String(JsonElement json)
    {
        return Checked(json, JsonValueKind.String).GetString();
    }

    /// <summary>A copy that outlives the message.</summary>
    internal static JsonElement Any(JsonElement json)
    {
        return json.Clone();
    }

    internal static IReadOnlyList<T> List<T>(JsonElement json, Func<JsonElement, T> read)
    {
        var items = new List<T>();
        foreach (var item in Checked(json, JsonValueKind.Array).EnumerateArray())
        {
            items.Add(read(item));
        }
        return items;
    }

    internal static IReadOnlyDictionary<string, T> Map<T>(JsonElement json, Func<JsonElement, T> read)
    {
        var members = new Dictionary<string, T>();
        foreach (var member in Checked(json, JsonValueKind.Object).EnumerateObject())
        {
            members[member.Name] = read(member.Value);
        }
        return members;
    }

    /// <summary>A word such as court_lady as the constant CourtLady, or Unknown.</summary>
    internal static T Word<T>(JsonElement json) where T : struct
    {
        return Words<T>.ByName.TryGetValue(String(json), out var word) ? word : default(T);
    }

    internal static T? NullableWord<T>(JsonElement json) where T : struct
    {
        return json.ValueKind == JsonValueKind.Null ? default(T?) : Word<T>(json);
    }

    private static JsonElement Checked(JsonElement json, JsonValueKind wanted)
    {
        if (json.ValueKind != wanted)
        {
            throw new InvalidMessageException($"{json.GetRawText()} is not of the kind {wanted}");
        }
        return json;
    }

    private static class Words<T> where T : struct
    {
        internal static readonly Dictionary<string, T> ByName =
            Enum.GetValues(typeof(T)).Cast<T>().ToDictionary(word => SnakeCase(word.ToString()));

        private static string SnakeCase(string name)
        {
            var parts = name.Select((letter, i) => (i > 0 && char.IsUpper(letter) ? "_" : "") + letter);
            return string.Concat(parts).ToLowerInvariant();
        }
    }
}
