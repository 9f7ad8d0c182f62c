// What the referee sends. Generated from the JSON Schema of the protocol: don't edit, the next version of the kit
// replaces it.
//
// What a message doesn't have is null. Fields that are not declared here are ignored; a word that is not declared here
// is Unknown, and an action or an event of a kind that is not declared here is null: later versions of the protocol may
// add some.

using System.Collections.Generic;
using System.Text.Json;

public enum FaultCode
{
    Unknown,
    BadMessage,
    Crash,
    IllegalAction,
    Memory,
    Oversize,
    ProtocolVersion,
    StartupTimeout,
    Timeout,
}

public enum Edition
{
    Unknown,
    Anniversary,
    First,
}

public enum SuperEventOption
{
    Unknown,
    Assassination,
    Buddha,
    Charter,
    Earthquake,
    Flood,
    Lanternfest,
    None,
    Random,
    SolarEclipse,
    Sunrise,
    Tornado,
    VolcanicEruption,
}

public enum PersonType
{
    Unknown,
    CourtLady,
    Craftsman,
    Farmer,
    Healer,
    Monk,
    Pyrotechnist,
    Scholar,
    TaxCollector,
    Warrior,
}

public enum Age
{
    Unknown,
    Old,
    Young,
}

public enum EventTile
{
    Unknown,
    Contagion,
    DragonFestival,
    Drought,
    ImperialTribute,
    MongolInvasion,
    Peace,
}

public enum SuperEvent
{
    Unknown,
    Assassination,
    Buddha,
    Charter,
    Earthquake,
    Flood,
    Lanternfest,
    None,
    SolarEclipse,
    Sunrise,
    Tornado,
    VolcanicEruption,
}

public enum ActionCard
{
    Unknown,
    Build,
    BuildWall,
    Fireworks,
    Harvest,
    MilitaryParade,
    Privilege,
    Research,
    Taxes,
}

public enum Card
{
    Unknown,
    CourtLady,
    Craftsman,
    Farmer,
    Healer,
    Monk,
    Pyrotechnist,
    Scholar,
    TaxCollector,
    Warrior,
    Wild,
}

public enum WallTile
{
    Unknown,
    Fireworks,
    Palace,
    PersonTrack,
    Points,
    Rice,
    Yuan,
}

public enum ActionKind
{
    Unknown,
    Card,
    Replenish,
}

public enum PrivilegeSize
{
    Unknown,
    Large,
    Small,
}

public enum Counter
{
    Unknown,
    Fireworks,
    LargePrivileges,
    Rice,
    Score,
    SmallPrivileges,
    Track,
    Yuan,
}

public enum StartTile
{
    Unknown,
    Advanced,
    Garden,
}

public enum Picture
{
    Unknown,
    Advisors,
    Dragon,
    None,
}

/// <summary>The limits in force: bytes of a line and of `info`, milliseconds, MiB of memory.
/// Absent: no such limit.</summary>
public sealed class HelloLimits
{
    public int LineBytes { get; }
    public int InfoBytes { get; }
    public int StartupMs { get; }
    public int MarginMs { get; }
    public int QuitMs { get; }
    public int? MemoryMb { get; }

    internal HelloLimits(JsonElement json)
    {
        LineBytes = Json.Integer(Json.Field(json, "line_bytes"));
        InfoBytes = Json.Integer(Json.Field(json, "info_bytes"));
        StartupMs = Json.Integer(Json.Field(json, "startup_ms"));
        MarginMs = Json.Integer(Json.Field(json, "margin_ms"));
        QuitMs = Json.Integer(Json.Field(json, "quit_ms"));
        MemoryMb = Json.OptionalValue(json, "memory_mb", Json.Integer);
    }
}

/// <summary>The first line to a bot.</summary>
public sealed class Hello
{
    public int Protocol { get; }
    public string Referee { get; }
    public HelloLimits Limits { get; }

    internal Hello(JsonElement json)
    {
        Protocol = Json.Integer(Json.Field(json, "protocol"));
        Referee = Json.String(Json.Field(json, "referee"));
        Limits = new HelloLimits(Json.Field(json, "limits"));
    }
}

/// <summary>What the bot did wrong.</summary>
public sealed class FaultMessage
{
    public FaultCode Code { get; }
    public string Message { get; }

    internal FaultMessage(JsonElement json)
    {
        Code = Json.Word<FaultCode>(Json.Field(json, "code"));
        Message = Json.String(Json.Field(json, "message"));
    }
}

/// <summary>No more games; standard input closes after this line.</summary>
public sealed class Quit
{
    internal Quit(JsonElement json)
    {
    }
}

/// <summary>The clock of a game, in milliseconds: a limit per decision, or a bank with an
/// increment, or both.</summary>
public sealed class Clock
{
    public int? MoveMs { get; }
    public int? BankMs { get; }
    public int? IncrementMs { get; }

    internal Clock(JsonElement json)
    {
        MoveMs = Json.OptionalValue(json, "move_ms", Json.Integer);
        BankMs = Json.OptionalValue(json, "bank_ms", Json.Integer);
        IncrementMs = Json.OptionalValue(json, "increment_ms", Json.Integer);
    }
}

/// <summary>How a game ended, by seat; a fault is its code.</summary>
public sealed class Result
{
    public IReadOnlyList<int> Scores { get; }
    public IReadOnlyList<int> Ranks { get; }
    public IReadOnlyList<FaultCode?> Faults { get; }

    internal Result(JsonElement json)
    {
        Scores = Json.List(Json.Field(json, "scores"), Json.Integer);
        Ranks = Json.List(Json.Field(json, "ranks"), Json.Integer);
        Faults = Json.List(Json.Field(json, "faults"), Json.NullableWord<FaultCode>);
    }
}

/// <summary>Options of In the Year of the Dragon (rules page, section 1).</summary>
public sealed class DragonConfig
{
    public int Players { get; }
    public Edition Edition { get; }
    public bool GreatWall { get; }
    public SuperEventOption SuperEvent { get; }

    internal DragonConfig(JsonElement json)
    {
        Players = Json.Integer(Json.Field(json, "players"));
        Edition = Json.Word<Edition>(Json.Field(json, "edition"));
        GreatWall = Json.Boolean(Json.Field(json, "great_wall"));
        SuperEvent = Json.Word<SuperEventOption>(Json.Field(json, "super_event"));
    }
}

/// <summary>A decision that is due, with its context.</summary>
public sealed class DragonTask
{
    public int Seat { get; }
    public string Decision { get; }
    public PersonType? Person { get; }
    public Age? Age { get; }
    public string Reason { get; }
    public int? Left { get; }
    public int? Palace { get; }
    public IReadOnlyList<int> Hit { get; }

    internal DragonTask(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        Decision = Json.String(Json.Field(json, "decision"));
        Person = Json.OptionalValue(json, "person", Json.Word<PersonType>);
        Age = Json.OptionalValue(json, "age", Json.Word<Age>);
        Reason = Json.Optional(json, "reason", Json.String);
        Left = Json.OptionalValue(json, "left", Json.Integer);
        Palace = Json.OptionalValue(json, "palace", Json.Integer);
        Hit = Json.Optional(json, "hit", each => Json.List(each, Json.Integer));
    }
}

/// <summary>A group of action cards and the seats that chose it this round.</summary>
public sealed class DragonActionGroup
{
    public IReadOnlyList<ActionCard> Cards { get; }
    public IReadOnlyList<int> TakenBy { get; }

    internal DragonActionGroup(JsonElement json)
    {
        Cards = Json.List(Json.Field(json, "cards"), Json.Word<ActionCard>);
        TakenBy = Json.List(Json.Field(json, "taken_by"), Json.Integer);
    }
}

/// <summary>Person tiles still to be had, by age and type.</summary>
public sealed class DragonDisplay
{
    public IReadOnlyDictionary<string, int> Young { get; }
    public IReadOnlyDictionary<string, int> Old { get; }

    internal DragonDisplay(JsonElement json)
    {
        Young = Json.Map(Json.Field(json, "young"), Json.Integer);
        Old = Json.Map(Json.Field(json, "old"), Json.Integer);
    }
}

/// <summary>A person tile.</summary>
public sealed class DragonPerson
{
    public PersonType Person { get; }
    public Age Age { get; }

    internal DragonPerson(JsonElement json)
    {
        Person = Json.Word<PersonType>(Json.Field(json, "person"));
        Age = Json.Word<Age>(Json.Field(json, "age"));
    }
}

/// <summary>A palace: at most as many persons as floors, at most three floors.</summary>
public sealed class DragonPalace
{
    public int Id { get; }
    public int Floors { get; }
    public IReadOnlyList<DragonPerson> Persons { get; }

    internal DragonPalace(JsonElement json)
    {
        Id = Json.Integer(Json.Field(json, "id"));
        Floors = Json.Integer(Json.Field(json, "floors"));
        Persons = Json.List(Json.Field(json, "persons"), item => new DragonPerson(item));
    }
}

/// <summary>Everything of a player that is open to all.</summary>
public sealed class DragonPlayer
{
    public int Seat { get; }
    public int Score { get; }
    public int Track { get; }
    public int Yuan { get; }
    public int Rice { get; }
    public int Fireworks { get; }
    public int SmallPrivileges { get; }
    public int LargePrivileges { get; }
    public IReadOnlyList<DragonPalace> Palaces { get; }
    public int NextPalace { get; }
    public int HandSize { get; }
    public IReadOnlyList<Card> Played { get; }
    public IReadOnlyList<Card> Discarded { get; }
    public IReadOnlyList<WallTile> WallTiles { get; }

    internal DragonPlayer(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        Score = Json.Integer(Json.Field(json, "score"));
        Track = Json.Integer(Json.Field(json, "track"));
        Yuan = Json.Integer(Json.Field(json, "yuan"));
        Rice = Json.Integer(Json.Field(json, "rice"));
        Fireworks = Json.Integer(Json.Field(json, "fireworks"));
        SmallPrivileges = Json.Integer(Json.Field(json, "small_privileges"));
        LargePrivileges = Json.Integer(Json.Field(json, "large_privileges"));
        Palaces = Json.List(Json.Field(json, "palaces"), item => new DragonPalace(item));
        NextPalace = Json.Integer(Json.Field(json, "next_palace"));
        HandSize = Json.Integer(Json.Field(json, "hand_size"));
        Played = Json.List(Json.Field(json, "played"), Json.Word<Card>);
        Discarded = Json.Optional(json, "discarded", each => Json.List(each, Json.Word<Card>));
        WallTiles = Json.Optional(json, "wall_tiles", each => Json.List(each, Json.Word<WallTile>));
    }
}

/// <summary>The game as one seat sees it, built only from what is open to it.</summary>
public sealed class DragonObservation
{
    public int Round { get; }
    public int Seat { get; }
    public DragonTask Turn { get; }
    public IReadOnlyList<int> Order { get; }
    public IReadOnlyList<EventTile> EventRow { get; }
    public SuperEvent SuperEvent { get; }
    public IReadOnlyList<DragonActionGroup> ActionGroups { get; }
    public DragonDisplay Display { get; }
    public IReadOnlyList<Card> Hand { get; }
    public IReadOnlyList<DragonPlayer> Players { get; }
    public IReadOnlyList<int> Wall { get; }

    internal DragonObservation(JsonElement json)
    {
        Round = Json.Integer(Json.Field(json, "round"));
        Seat = Json.Integer(Json.Field(json, "seat"));
        Turn = new DragonTask(Json.Field(json, "turn"));
        Order = Json.List(Json.Field(json, "order"), Json.Integer);
        EventRow = Json.List(Json.Field(json, "event_row"), Json.Word<EventTile>);
        SuperEvent = Json.Word<SuperEvent>(Json.Field(json, "super_event"));
        ActionGroups = Json.List(Json.Field(json, "action_groups"), item => new DragonActionGroup(item));
        Display = new DragonDisplay(Json.Field(json, "display"));
        Hand = Json.List(Json.Field(json, "hand"), Json.Word<Card>);
        Players = Json.List(Json.Field(json, "players"), item => new DragonPlayer(item));
        Wall = Json.Optional(json, "wall", each => Json.List(each, Json.Integer));
    }
}

/// <summary>Take two different types of young persons; they are placed in this order.</summary>
public sealed class DragonDraft : DragonAction
{
    public IReadOnlyList<PersonType> Persons { get; }

    internal DragonDraft(JsonElement json)
    {
        Persons = Json.List(Json.Field(json, "persons"), Json.Word<PersonType>);
    }
}

/// <summary>Put the new person into `palace`, there in place of another (`replace`) if all is full,
/// or send it away.</summary>
public sealed class DragonPlacePerson : DragonAction
{
    public int? Palace { get; }
    public DragonPerson Replace { get; }
    public bool Refuse { get; }

    internal DragonPlacePerson(JsonElement json)
    {
        Palace = Json.OptionalValue(json, "palace", Json.Integer);
        Replace = Json.Optional(json, "replace", each => new DragonPerson(each));
        Refuse = Json.Optional(json, "refuse", Json.Boolean);
    }
}

/// <summary>Use a card of an action group, or take yuan up to three (`replenish`).</summary>
public sealed class DragonChooseAction : DragonAction
{
    public ActionKind Kind { get; }
    public int? Group { get; }
    public ActionCard? Card { get; }
    public PrivilegeSize? Size { get; }
    public WallTile? WallTile { get; }

    internal DragonChooseAction(JsonElement json)
    {
        Kind = Json.Word<ActionKind>(Json.Field(json, "kind"));
        Group = Json.OptionalValue(json, "group", Json.Integer);
        Card = Json.OptionalValue(json, "card", Json.Word<ActionCard>);
        Size = Json.OptionalValue(json, "size", Json.Word<PrivilegeSize>);
        WallTile = Json.OptionalValue(json, "wall_tile", Json.Word<WallTile>);
    }
}

/// <summary>Add a floor to `palace`; the player's next unused id starts a new palace.</summary>
public sealed class DragonBuildFloor : DragonAction
{
    public int Palace { get; }

    internal DragonBuildFloor(JsonElement json)
    {
        Palace = Json.Integer(Json.Field(json, "palace"));
    }
}

/// <summary>Play `card` and take this person; no person where none of the card's type is
/// left.</summary>
public sealed class DragonPlayCard : DragonAction
{
    public Card Card { get; }
    public PersonType? Person { get; }
    public Age? Age { get; }

    internal DragonPlayCard(JsonElement json)
    {
        Card = Json.Word<Card>(Json.Field(json, "card"));
        Person = Json.OptionalValue(json, "person", Json.Word<PersonType>);
        Age = Json.OptionalValue(json, "age", Json.Word<Age>);
    }
}

/// <summary>Let one person go.</summary>
public sealed class DragonReleasePerson : DragonAction
{
    public int Palace { get; }
    public PersonType Person { get; }
    public Age Age { get; }

    internal DragonReleasePerson(JsonElement json)
    {
        Palace = Json.Integer(Json.Field(json, "palace"));
        Person = Json.Word<PersonType>(Json.Field(json, "person"));
        Age = Json.Word<Age>(Json.Field(json, "age"));
    }
}

/// <summary>Take one floor off `palace`.</summary>
public sealed class DragonLoseFloor : DragonAction
{
    public int Palace { get; }

    internal DragonLoseFloor(JsonElement json)
    {
        Palace = Json.Integer(Json.Field(json, "palace"));
    }
}

/// <summary>Give back this many of each.</summary>
public sealed class DragonGiveBack : DragonAction
{
    public int Yuan { get; }
    public int Rice { get; }
    public int Fireworks { get; }

    internal DragonGiveBack(JsonElement json)
    {
        Yuan = Json.Integer(Json.Field(json, "yuan"));
        Rice = Json.Integer(Json.Field(json, "rice"));
        Fireworks = Json.Integer(Json.Field(json, "fireworks"));
    }
}

/// <summary>Discard a person card from the hand.</summary>
public sealed class DragonDiscardCard : DragonAction
{
    public Card Card { get; }

    internal DragonDiscardCard(JsonElement json)
    {
        Card = Json.Word<Card>(Json.Field(json, "card"));
    }
}

/// <summary>Take a young person of this type.</summary>
public sealed class DragonTakePerson : DragonAction
{
    public PersonType Person { get; }

    internal DragonTakePerson(JsonElement json)
    {
        Person = Json.Word<PersonType>(Json.Field(json, "person"));
    }
}

/// <summary>Take the benefit of all own persons of this type.</summary>
public sealed class DragonChooseType : DragonAction
{
    public PersonType Person { get; }

    internal DragonChooseType(JsonElement json)
    {
        Person = Json.Word<PersonType>(Json.Field(json, "person"));
    }
}

/// <summary>An action, by its kind of decision.</summary>
public abstract class DragonAction
{
    internal static IReadOnlyList<DragonAction> ReadAll(string kind, JsonElement json)
    {
        return Json.List(json, item => Read(kind, item));
    }

    internal static DragonAction Read(string kind, JsonElement json)
    {
        switch (kind)
        {
            case "draft": return new DragonDraft(json);
            case "place_person": return new DragonPlacePerson(json);
            case "choose_action": return new DragonChooseAction(json);
            case "build_floor": return new DragonBuildFloor(json);
            case "play_card": return new DragonPlayCard(json);
            case "release_person": return new DragonReleasePerson(json);
            case "lose_floor": return new DragonLoseFloor(json);
            case "give_back": return new DragonGiveBack(json);
            case "discard_card": return new DragonDiscardCard(json);
            case "take_person": return new DragonTakePerson(json);
            case "choose_type": return new DragonChooseType(json);
            default: return null;
        }
    }
}

/// <summary>A draw that was made: its name, its round (where there is one per round), and its
/// value.</summary>
public sealed class DragonChanceEvent : DragonEvent
{
    public string What { get; }
    public int? Round { get; }
    public JsonElement Value { get; }

    internal DragonChanceEvent(JsonElement json)
    {
        What = Json.String(Json.Field(json, "what"));
        Round = Json.OptionalValue(json, "round", Json.Integer);
        Value = Json.Any(Json.Field(json, "value"));
    }
}

/// <summary>A decision that was taken. `forced`: there was only one legal action, so no player was
/// asked. `opening`: it     belongs to the opening of the game, of which no player is asked
/// anything.</summary>
public sealed class DragonDecisionEvent : DragonEvent
{
    public int Seat { get; }
    public string Decision { get; }
    public DragonAction Action { get; }
    public bool Forced { get; }
    public bool Opening { get; }

    internal DragonDecisionEvent(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        Decision = Json.String(Json.Field(json, "decision"));
        Action = DragonAction.Read(Json.String(Json.Field(json, "decision")), Json.Field(json, "action"));
        Forced = Json.Optional(json, "forced", Json.Boolean);
        Opening = Json.Optional(json, "opening", Json.Boolean);
    }
}

/// <summary>A number of a player changed by `by` and is now `to`. `reason` is the card, event or
/// rule.</summary>
public sealed class DragonChange : DragonEvent
{
    public int Seat { get; }
    public Counter What { get; }
    public int By { get; }
    public int To { get; }
    public string Reason { get; }

    internal DragonChange(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        What = Json.Word<Counter>(Json.Field(json, "what"));
        By = Json.Integer(Json.Field(json, "by"));
        To = Json.Integer(Json.Field(json, "to"));
        Reason = Json.String(Json.Field(json, "reason"));
    }
}

/// <summary>The event of the round, or the super event, is carried out.</summary>
public sealed class DragonEventStrikes : DragonEvent
{
    public int Round { get; }
    public string Event { get; }

    internal DragonEventStrikes(JsonElement json)
    {
        Round = Json.Integer(Json.Field(json, "round"));
        Event = Json.String(Json.Field(json, "event"));
    }
}

/// <summary>What the final scoring brought a player: for persons, monks and money, and the score in
/// the end.</summary>
public sealed class DragonFinalScore : DragonEvent
{
    public int Seat { get; }
    public int Persons { get; }
    public int Monks { get; }
    public int Money { get; }
    public int Score { get; }

    internal DragonFinalScore(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        Persons = Json.Integer(Json.Field(json, "persons"));
        Monks = Json.Integer(Json.Field(json, "monks"));
        Money = Json.Integer(Json.Field(json, "money"));
        Score = Json.Integer(Json.Field(json, "score"));
    }
}

/// <summary>The number of floors of a palace changed; with 0 it is gone.</summary>
public sealed class DragonPalaceChanged : DragonEvent
{
    public int Seat { get; }
    public int Palace { get; }
    public int Floors { get; }
    public string Reason { get; }

    internal DragonPalaceChanged(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        Palace = Json.Integer(Json.Field(json, "palace"));
        Floors = Json.Integer(Json.Field(json, "floors"));
        Reason = Json.String(Json.Field(json, "reason"));
    }
}

/// <summary>A person left the game; without `palace` it was refused at the door.</summary>
public sealed class DragonPersonLeft : DragonEvent
{
    public int Seat { get; }
    public int? Palace { get; }
    public PersonType Person { get; }
    public Age Age { get; }
    public string Reason { get; }

    internal DragonPersonLeft(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        Palace = Json.OptionalValue(json, "palace", Json.Integer);
        Person = Json.Word<PersonType>(Json.Field(json, "person"));
        Age = Json.Word<Age>(Json.Field(json, "age"));
        Reason = Json.String(Json.Field(json, "reason"));
    }
}

/// <summary>A person moved into a palace.</summary>
public sealed class DragonPersonPlaced : DragonEvent
{
    public int Seat { get; }
    public int Palace { get; }
    public PersonType Person { get; }
    public Age Age { get; }

    internal DragonPersonPlaced(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        Palace = Json.Integer(Json.Field(json, "palace"));
        Person = Json.Word<PersonType>(Json.Field(json, "person"));
        Age = Json.Word<Age>(Json.Field(json, "age"));
    }
}

/// <summary>A round is over: scores and markers by seat, and the order of play.</summary>
public sealed class DragonRoundEnd : DragonEvent
{
    public int Round { get; }
    public IReadOnlyList<int> Scores { get; }
    public IReadOnlyList<int> Track { get; }
    public IReadOnlyList<int> Order { get; }

    internal DragonRoundEnd(JsonElement json)
    {
        Round = Json.Integer(Json.Field(json, "round"));
        Scores = Json.List(Json.Field(json, "scores"), Json.Integer);
        Track = Json.List(Json.Field(json, "track"), Json.Integer);
        Order = Json.List(Json.Field(json, "order"), Json.Integer);
    }
}

/// <summary>A tile was added to the Great Wall; `length` is its new length.</summary>
public sealed class DragonWallBuilt : DragonEvent
{
    public int Seat { get; }
    public WallTile WallTile { get; }
    public int Length { get; }

    internal DragonWallBuilt(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        WallTile = Json.Word<WallTile>(Json.Field(json, "wall_tile"));
        Length = Json.Integer(Json.Field(json, "length"));
    }
}

/// <summary>Something that happened in a game, by its type.</summary>
public abstract class DragonEvent
{
    internal static DragonEvent Read(JsonElement json)
    {
        return Read(Json.String(Json.Field(json, "type")), json);
    }

    internal static DragonEvent Read(string kind, JsonElement json)
    {
        switch (kind)
        {
            case "chance": return new DragonChanceEvent(json);
            case "decision": return new DragonDecisionEvent(json);
            case "change": return new DragonChange(json);
            case "event": return new DragonEventStrikes(json);
            case "final": return new DragonFinalScore(json);
            case "palace": return new DragonPalaceChanged(json);
            case "person_left": return new DragonPersonLeft(json);
            case "person_placed": return new DragonPersonPlaced(json);
            case "round": return new DragonRoundEnd(json);
            case "wall": return new DragonWallBuilt(json);
            default: return null;
        }
    }
}

/// <summary>A game begins.</summary>
public sealed class DragonStart
{
    public string GameId { get; }
    public string Game { get; }
    public DragonConfig Config { get; }
    public int Seat { get; }
    public IReadOnlyList<string> Players { get; }
    public Clock Clock { get; }
    public long BotSeed { get; }

    internal DragonStart(JsonElement json)
    {
        GameId = Json.String(Json.Field(json, "game_id"));
        Game = Json.String(Json.Field(json, "game"));
        Config = new DragonConfig(Json.Field(json, "config"));
        Seat = Json.Integer(Json.Field(json, "seat"));
        Players = Json.List(Json.Field(json, "players"), Json.String);
        Clock = new Clock(Json.Field(json, "clock"));
        BotSeed = Json.Long(Json.Field(json, "bot_seed"));
    }
}

/// <summary>A decision is due.</summary>
public sealed class DragonAct
{
    public int Id { get; }
    public string Decision { get; }
    public DragonObservation Observation { get; }
    public IReadOnlyList<DragonAction> Legal { get; }
    public IReadOnlyList<DragonEvent> Events { get; }
    public int TimeMs { get; }

    internal DragonAct(JsonElement json)
    {
        Id = Json.Integer(Json.Field(json, "id"));
        Decision = Json.String(Json.Field(json, "decision"));
        Observation = new DragonObservation(Json.Field(json, "observation"));
        Legal = DragonAction.ReadAll(Json.String(Json.Field(json, "decision")), Json.Field(json, "legal"));
        Events = Json.Optional(json, "events", each => Json.List(each, DragonEvent.Read));
        TimeMs = Json.Integer(Json.Field(json, "time_ms"));
    }
}

/// <summary>The game is over.</summary>
public sealed class DragonEnd
{
    public string GameId { get; }
    public Result Result { get; }
    public IReadOnlyList<DragonEvent> Events { get; }

    internal DragonEnd(JsonElement json)
    {
        GameId = Json.String(Json.Field(json, "game_id"));
        Result = new Result(Json.Field(json, "result"));
        Events = Json.Optional(json, "events", each => Json.List(each, DragonEvent.Read));
    }
}

/// <summary>A tile before rotation: edges N E S W; one room part, or two of which the first touches
/// N and E.</summary>
public sealed class CityTile
{
    public string Edges { get; }
    public IReadOnlyList<string> Parts { get; }
    public Picture Picture { get; }
    public int Count { get; }

    internal CityTile(JsonElement json)
    {
        Edges = Json.String(Json.Field(json, "edges"));
        Parts = Json.List(Json.Field(json, "parts"), Json.String);
        Picture = Json.Word<Picture>(Json.Field(json, "picture"));
        Count = Json.Integer(Json.Field(json, "count"));
    }
}

/// <summary>Room colours, and the tiles of each owner: those for every game, and the additional
/// ones for two players.</summary>
public sealed class CityTileSet
{
    public IReadOnlyList<string> Colours { get; }
    public IReadOnlyDictionary<string, IReadOnlyList<CityTile>> Owned { get; }
    public IReadOnlyDictionary<string, IReadOnlyList<CityTile>> Two { get; }

    internal CityTileSet(JsonElement json)
    {
        Colours = Json.List(Json.Field(json, "colours"), Json.String);
        Owned = Json.Map(Json.Field(json, "owned"), items => Json.List(items, item => new CityTile(item)));
        Two = Json.Map(Json.Field(json, "two"), items => Json.List(items, item => new CityTile(item)));
    }
}

/// <summary>Options of The Forbidden City (rules page, section 1).</summary>
public sealed class CityConfig
{
    public int Players { get; }
    public StartTile StartTile { get; }
    public string TileSet { get; }
    public CityTileSet Tiles { get; }

    internal CityConfig(JsonElement json)
    {
        Players = Json.Integer(Json.Field(json, "players"));
        StartTile = Json.Word<StartTile>(Json.Field(json, "start_tile"));
        TileSet = Json.String(Json.Field(json, "tile_set"));
        Tiles = Json.Optional(json, "tiles", each => new CityTileSet(each));
    }
}

/// <summary>A decision that is due: its seat and its kind. Games add fields for its
/// context.</summary>
public sealed class CityTurn
{
    public int Seat { get; }
    public string Decision { get; }

    internal CityTurn(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        Decision = Json.String(Json.Field(json, "decision"));
    }
}

/// <summary>A kind of tile, and how many of it each seat has neither laid nor, for the own seat, in
/// hand.</summary>
public sealed class CityTilesLeft
{
    public string Edges { get; }
    public IReadOnlyList<string> Parts { get; }
    public Picture Picture { get; }
    public int Count { get; }
    public IReadOnlyList<int> Left { get; }

    internal CityTilesLeft(JsonElement json)
    {
        Edges = Json.String(Json.Field(json, "edges"));
        Parts = Json.List(Json.Field(json, "parts"), Json.String);
        Picture = Json.Word<Picture>(Json.Field(json, "picture"));
        Count = Json.Integer(Json.Field(json, "count"));
        Left = Json.List(Json.Field(json, "left"), Json.Integer);
    }
}

/// <summary>A room; all of it is open to all seats.</summary>
public sealed class CityRoom
{
    public int Id { get; }
    public string Colour { get; }
    public IReadOnlyList<IReadOnlyList<int>> Cells { get; }
    public int OpenEdges { get; }
    public IReadOnlyList<int> Advisors { get; }
    public int Dragons { get; }
    public IReadOnlyList<int> Passages { get; }
    public int? Value { get; }

    internal CityRoom(JsonElement json)
    {
        Id = Json.Integer(Json.Field(json, "id"));
        Colour = Json.String(Json.Field(json, "colour"));
        Cells = Json.List(Json.Field(json, "cells"), items => Json.List(items, Json.Integer));
        OpenEdges = Json.Integer(Json.Field(json, "open_edges"));
        Advisors = Json.List(Json.Field(json, "advisors"), Json.Integer);
        Dragons = Json.Integer(Json.Field(json, "dragons"));
        Passages = Json.List(Json.Field(json, "passages"), Json.Integer);
        Value = Json.OptionalValue(json, "value", Json.Integer);
    }
}

/// <summary>A laid tile, with the id of the room of each of its parts.</summary>
public sealed class CityTileInRooms
{
    public int X { get; }
    public int Y { get; }
    public int Rotation { get; }
    public int? Seat { get; }
    public CityTile Tile { get; }
    public IReadOnlyList<int> Rooms { get; }

    internal CityTileInRooms(JsonElement json)
    {
        X = Json.Integer(Json.Field(json, "x"));
        Y = Json.Integer(Json.Field(json, "y"));
        Rotation = Json.Integer(Json.Field(json, "rotation"));
        Seat = Json.OptionalValue(json, "seat", Json.Integer);
        Tile = new CityTile(Json.Field(json, "tile"));
        Rooms = Json.List(Json.Field(json, "rooms"), Json.Integer);
    }
}

/// <summary>The table as one seat sees it.</summary>
public sealed class CityObservation
{
    public int Seat { get; }
    public CityTurn Turn { get; }
    public CityTile Hand { get; }
    public IReadOnlyList<int> Coins { get; }
    public IReadOnlyList<int> Stacks { get; }
    public IReadOnlyList<int> InHand { get; }
    public IReadOnlyList<CityTilesLeft> Left { get; }
    public IReadOnlyList<CityRoom> Rooms { get; }
    public IReadOnlyList<CityTileInRooms> Board { get; }

    internal CityObservation(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        Turn = new CityTurn(Json.Field(json, "turn"));
        Hand = new CityTile(Json.Field(json, "hand"));
        Coins = Json.List(Json.Field(json, "coins"), Json.Integer);
        Stacks = Json.List(Json.Field(json, "stacks"), Json.Integer);
        InHand = Json.List(Json.Field(json, "in_hand"), Json.Integer);
        Left = Json.List(Json.Field(json, "left"), item => new CityTilesLeft(item));
        Rooms = Json.List(Json.Field(json, "rooms"), item => new CityRoom(item));
        Board = Json.List(Json.Field(json, "board"), item => new CityTileInRooms(item));
    }
}

/// <summary>Lay the tile in hand on the cell (x, y), rotated clockwise by `rotation` quarter
/// turns.</summary>
public sealed class CityLayTile : CityAction
{
    public int X { get; }
    public int Y { get; }
    public int Rotation { get; }

    internal CityLayTile(JsonElement json)
    {
        X = Json.Integer(Json.Field(json, "x"));
        Y = Json.Integer(Json.Field(json, "y"));
        Rotation = Json.Integer(Json.Field(json, "rotation"));
    }
}

/// <summary>An action, by its kind of decision.</summary>
public abstract class CityAction
{
    internal static IReadOnlyList<CityAction> ReadAll(string kind, JsonElement json)
    {
        return Json.List(json, item => Read(kind, item));
    }

    internal static CityAction Read(string kind, JsonElement json)
    {
        switch (kind)
        {
            case "lay_tile": return new CityLayTile(json);
            default: return null;
        }
    }
}

/// <summary>A draw that was made: its name, its round (where there is one per round), and its
/// value.</summary>
public sealed class CityChanceEvent : CityEvent
{
    public string What { get; }
    public int? Round { get; }
    public JsonElement Value { get; }

    internal CityChanceEvent(JsonElement json)
    {
        What = Json.String(Json.Field(json, "what"));
        Round = Json.OptionalValue(json, "round", Json.Integer);
        Value = Json.Any(Json.Field(json, "value"));
    }
}

/// <summary>A decision that was taken. `forced`: there was only one legal action, so no player was
/// asked. `opening`: it     belongs to the opening of the game, of which no player is asked
/// anything.</summary>
public sealed class CityDecisionEvent : CityEvent
{
    public int Seat { get; }
    public string Decision { get; }
    public CityAction Action { get; }
    public bool Forced { get; }
    public bool Opening { get; }

    internal CityDecisionEvent(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        Decision = Json.String(Json.Field(json, "decision"));
        Action = CityAction.Read(Json.String(Json.Field(json, "decision")), Json.Field(json, "action"));
        Forced = Json.Optional(json, "forced", Json.Boolean);
        Opening = Json.Optional(json, "opening", Json.Boolean);
    }
}

/// <summary>A tile was laid.</summary>
public sealed class CityTileLaid : CityEvent
{
    public int Seat { get; }
    public int X { get; }
    public int Y { get; }
    public int Rotation { get; }
    public CityTile Tile { get; }

    internal CityTileLaid(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        X = Json.Integer(Json.Field(json, "x"));
        Y = Json.Integer(Json.Field(json, "y"));
        Rotation = Json.Integer(Json.Field(json, "rotation"));
        Tile = new CityTile(Json.Field(json, "tile"));
    }
}

/// <summary>A room was closed by a tile of `seat`: its cells, its value, and what it paid each
/// seat.</summary>
public sealed class CityRoomSettled : CityEvent
{
    public int Seat { get; }
    public IReadOnlyList<IReadOnlyList<int>> Cells { get; }
    public int Value { get; }
    public IReadOnlyList<int> Paid { get; }

    internal CityRoomSettled(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        Cells = Json.List(Json.Field(json, "cells"), items => Json.List(items, Json.Integer));
        Value = Json.Integer(Json.Field(json, "value"));
        Paid = Json.List(Json.Field(json, "paid"), Json.Integer);
    }
}

/// <summary>At the end a player shows the tiles that were not drawn, and gets coins for
/// them.</summary>
public sealed class CityStackShown : CityEvent
{
    public int Seat { get; }
    public IReadOnlyList<CityTile> Tiles { get; }
    public int Paid { get; }
    public int Coins { get; }

    internal CityStackShown(JsonElement json)
    {
        Seat = Json.Integer(Json.Field(json, "seat"));
        Tiles = Json.List(Json.Field(json, "tiles"), item => new CityTile(item));
        Paid = Json.Integer(Json.Field(json, "paid"));
        Coins = Json.Integer(Json.Field(json, "coins"));
    }
}

/// <summary>Something that happened in a game, by its type.</summary>
public abstract class CityEvent
{
    internal static CityEvent Read(JsonElement json)
    {
        return Read(Json.String(Json.Field(json, "type")), json);
    }

    internal static CityEvent Read(string kind, JsonElement json)
    {
        switch (kind)
        {
            case "chance": return new CityChanceEvent(json);
            case "decision": return new CityDecisionEvent(json);
            case "laid": return new CityTileLaid(json);
            case "settled": return new CityRoomSettled(json);
            case "shown": return new CityStackShown(json);
            default: return null;
        }
    }
}

/// <summary>A game begins.</summary>
public sealed class CityStart
{
    public string GameId { get; }
    public string Game { get; }
    public CityConfig Config { get; }
    public int Seat { get; }
    public IReadOnlyList<string> Players { get; }
    public Clock Clock { get; }
    public long BotSeed { get; }

    internal CityStart(JsonElement json)
    {
        GameId = Json.String(Json.Field(json, "game_id"));
        Game = Json.String(Json.Field(json, "game"));
        Config = new CityConfig(Json.Field(json, "config"));
        Seat = Json.Integer(Json.Field(json, "seat"));
        Players = Json.List(Json.Field(json, "players"), Json.String);
        Clock = new Clock(Json.Field(json, "clock"));
        BotSeed = Json.Long(Json.Field(json, "bot_seed"));
    }
}

/// <summary>A decision is due.</summary>
public sealed class CityAct
{
    public int Id { get; }
    public string Decision { get; }
    public CityObservation Observation { get; }
    public IReadOnlyList<CityAction> Legal { get; }
    public IReadOnlyList<CityEvent> Events { get; }
    public int TimeMs { get; }

    internal CityAct(JsonElement json)
    {
        Id = Json.Integer(Json.Field(json, "id"));
        Decision = Json.String(Json.Field(json, "decision"));
        Observation = new CityObservation(Json.Field(json, "observation"));
        Legal = CityAction.ReadAll(Json.String(Json.Field(json, "decision")), Json.Field(json, "legal"));
        Events = Json.Optional(json, "events", each => Json.List(each, CityEvent.Read));
        TimeMs = Json.Integer(Json.Field(json, "time_ms"));
    }
}

/// <summary>The game is over.</summary>
public sealed class CityEnd
{
    public string GameId { get; }
    public Result Result { get; }
    public IReadOnlyList<CityEvent> Events { get; }

    internal CityEnd(JsonElement json)
    {
        GameId = Json.String(Json.Field(json, "game_id"));
        Result = new Result(Json.Field(json, "result"));
        Events = Json.Optional(json, "events", each => Json.List(each, CityEvent.Read));
    }
}
