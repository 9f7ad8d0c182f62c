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
    Unknown, BadMessage, Crash, IllegalAction, Memory, Oversize, ProtocolVersion, StartupTimeout,
    Timeout,
}

public enum Edition { Unknown, Anniversary, First }

public enum SuperEventOption
{
    Unknown, Assassination, Buddha, Charter, Earthquake, Flood, Lanternfest, None, Random,
    SolarEclipse, Sunrise, Tornado, VolcanicEruption,
}

public enum PersonType
{
    Unknown, CourtLady, Craftsman, Farmer, Healer, Monk, Pyrotechnist, Scholar, TaxCollector,
    Warrior,
}

public enum Age { Unknown, Old, Young }

public enum EventTile
{
    Unknown, Contagion, DragonFestival, Drought, ImperialTribute, MongolInvasion, Peace,
}

public enum SuperEvent
{
    Unknown, Assassination, Buddha, Charter, Earthquake, Flood, Lanternfest, None, SolarEclipse,
    Sunrise, Tornado, VolcanicEruption,
}

public enum ActionCard
{
    Unknown, Build, BuildWall, Fireworks, Harvest, MilitaryParade, Privilege, Research, Taxes,
}

public enum Card
{
    Unknown, CourtLady, Craftsman, Farmer, Healer, Monk, Pyrotechnist, Scholar, TaxCollector,
    Warrior, Wild,
}

public enum WallTile { Unknown, Fireworks, Palace, PersonTrack, Points, Rice, Yuan }

public enum ActionKind { Unknown, Card, Replenish }

public enum PrivilegeSize { Unknown, Large, Small }

public enum Counter
{
    Unknown, Fireworks, LargePrivileges, Rice, Score, SmallPrivileges, Track, Yuan,
}

public enum StartTile { Unknown, Advanced, Garden }

public enum Picture { Unknown, Advisors, Dragon, None }

/// <summary>The limits in force: bytes of a line and of `info`, milliseconds, MiB of memory.
/// Absent: no such limit.</summary>
public sealed class HelloLimits(JsonElement json)
{
    public int LineBytes { get; } = Json.Integer(Json.Field(json, "line_bytes"));
    public int InfoBytes { get; } = Json.Integer(Json.Field(json, "info_bytes"));
    public int StartupMs { get; } = Json.Integer(Json.Field(json, "startup_ms"));
    public int MarginMs { get; } = Json.Integer(Json.Field(json, "margin_ms"));
    public int QuitMs { get; } = Json.Integer(Json.Field(json, "quit_ms"));
    public int? MemoryMb { get; } = Json.OptionalValue(json, "memory_mb", Json.Integer);
}

/// <summary>The first line to a bot.</summary>
public sealed class Hello(JsonElement json)
{
    public int Protocol { get; } = Json.Integer(Json.Field(json, "protocol"));
    public string Referee { get; } = Json.String(Json.Field(json, "referee"));
    public HelloLimits Limits { get; } = new HelloLimits(Json.Field(json, "limits"));
}

/// <summary>What the bot did wrong.</summary>
public sealed class FaultMessage(JsonElement json)
{
    public FaultCode Code { get; } = Json.Word<FaultCode>(Json.Field(json, "code"));
    public string Message { get; } = Json.String(Json.Field(json, "message"));
}

/// <summary>The clock of a game, in milliseconds: a limit per decision, or a bank with an
/// increment, or both.</summary>
public sealed class Clock(JsonElement json)
{
    public int? MoveMs { get; } = Json.OptionalValue(json, "move_ms", Json.Integer);
    public int? BankMs { get; } = Json.OptionalValue(json, "bank_ms", Json.Integer);
    public int? IncrementMs { get; } = Json.OptionalValue(json, "increment_ms", Json.Integer);
}

/// <summary>How a game ended, by seat; a fault is its code.</summary>
public sealed class Result(JsonElement json)
{
    public IReadOnlyList<int> Scores { get; } = Json.List(Json.Field(json, "scores"), Json.Integer);
    public IReadOnlyList<int> Ranks { get; } = Json.List(Json.Field(json, "ranks"), Json.Integer);
    public IReadOnlyList<FaultCode?> Faults { get; } =
        Json.List(Json.Field(json, "faults"), Json.NullableWord<FaultCode>);
}

/// <summary>Options of In the Year of the Dragon (rules page, section 1).</summary>
public sealed class DragonConfig(JsonElement json)
{
    public int Players { get; } = Json.Integer(Json.Field(json, "players"));
    public Edition Edition { get; } = Json.Word<Edition>(Json.Field(json, "edition"));
    public bool GreatWall { get; } = Json.Boolean(Json.Field(json, "great_wall"));
    public SuperEventOption SuperEvent { get; } = Json.Word<SuperEventOption>(Json.Field(json, "super_event"));
}

/// <summary>A decision that is due, with its context.</summary>
public sealed class DragonTask(JsonElement json)
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public string Decision { get; } = Json.String(Json.Field(json, "decision"));
    public PersonType? Person { get; } = Json.OptionalValue(json, "person", Json.Word<PersonType>);
    public Age? Age { get; } = Json.OptionalValue(json, "age", Json.Word<Age>);
    public string Reason { get; } = Json.Optional(json, "reason", Json.String);
    public int? Left { get; } = Json.OptionalValue(json, "left", Json.Integer);
    public int? Palace { get; } = Json.OptionalValue(json, "palace", Json.Integer);
    public IReadOnlyList<int> Hit { get; } = Json.Optional(json, "hit", each => Json.List(each, Json.Integer));
}

/// <summary>A group of action cards and the seats that chose it this round.</summary>
public sealed class DragonActionGroup(JsonElement json)
{
    public IReadOnlyList<ActionCard> Cards { get; } = Json.List(Json.Field(json, "cards"), Json.Word<ActionCard>);
    public IReadOnlyList<int> TakenBy { get; } = Json.List(Json.Field(json, "taken_by"), Json.Integer);
}

/// <summary>Person tiles still to be had, by age and type.</summary>
public sealed class DragonDisplay(JsonElement json)
{
    public IReadOnlyDictionary<string, int> Young { get; } = Json.Map(Json.Field(json, "young"), Json.Integer);
    public IReadOnlyDictionary<string, int> Old { get; } = Json.Map(Json.Field(json, "old"), Json.Integer);
}

/// <summary>A person tile.</summary>
public sealed class DragonPerson(JsonElement json)
{
    public PersonType Person { get; } = Json.Word<PersonType>(Json.Field(json, "person"));
    public Age Age { get; } = Json.Word<Age>(Json.Field(json, "age"));
}

/// <summary>A palace: at most as many persons as floors, at most three floors.</summary>
public sealed class DragonPalace(JsonElement json)
{
    public int Id { get; } = Json.Integer(Json.Field(json, "id"));
    public int Floors { get; } = Json.Integer(Json.Field(json, "floors"));
    public IReadOnlyList<DragonPerson> Persons { get; } =
        Json.List(Json.Field(json, "persons"), item => new DragonPerson(item));
}

/// <summary>Everything of a player that is open to all.</summary>
public sealed class DragonPlayer(JsonElement json)
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public int Score { get; } = Json.Integer(Json.Field(json, "score"));
    public int Track { get; } = Json.Integer(Json.Field(json, "track"));
    public int Yuan { get; } = Json.Integer(Json.Field(json, "yuan"));
    public int Rice { get; } = Json.Integer(Json.Field(json, "rice"));
    public int Fireworks { get; } = Json.Integer(Json.Field(json, "fireworks"));
    public int SmallPrivileges { get; } = Json.Integer(Json.Field(json, "small_privileges"));
    public int LargePrivileges { get; } = Json.Integer(Json.Field(json, "large_privileges"));
    public IReadOnlyList<DragonPalace> Palaces { get; } =
        Json.List(Json.Field(json, "palaces"), item => new DragonPalace(item));
    public int NextPalace { get; } = Json.Integer(Json.Field(json, "next_palace"));
    public int HandSize { get; } = Json.Integer(Json.Field(json, "hand_size"));
    public IReadOnlyList<Card> Played { get; } = Json.List(Json.Field(json, "played"), Json.Word<Card>);
    public IReadOnlyList<Card> Discarded { get; } =
        Json.Optional(json, "discarded", each => Json.List(each, Json.Word<Card>));
    public IReadOnlyList<WallTile> WallTiles { get; } =
        Json.Optional(json, "wall_tiles", each => Json.List(each, Json.Word<WallTile>));
}

/// <summary>The game as one seat sees it, built only from what is open to it.</summary>
public sealed class DragonObservation(JsonElement json)
{
    public int Round { get; } = Json.Integer(Json.Field(json, "round"));
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public DragonTask Turn { get; } = new DragonTask(Json.Field(json, "turn"));
    public IReadOnlyList<int> Order { get; } = Json.List(Json.Field(json, "order"), Json.Integer);
    public IReadOnlyList<EventTile> EventRow { get; } = Json.List(Json.Field(json, "event_row"), Json.Word<EventTile>);
    public SuperEvent SuperEvent { get; } = Json.Word<SuperEvent>(Json.Field(json, "super_event"));
    public IReadOnlyList<DragonActionGroup> ActionGroups { get; } =
        Json.List(Json.Field(json, "action_groups"), item => new DragonActionGroup(item));
    public DragonDisplay Display { get; } = new DragonDisplay(Json.Field(json, "display"));
    public IReadOnlyList<Card> Hand { get; } = Json.List(Json.Field(json, "hand"), Json.Word<Card>);
    public IReadOnlyList<DragonPlayer> Players { get; } =
        Json.List(Json.Field(json, "players"), item => new DragonPlayer(item));
    public IReadOnlyList<int> Wall { get; } = Json.Optional(json, "wall", each => Json.List(each, Json.Integer));
}

/// <summary>Take two different types of young persons; they are placed in this order.</summary>
public sealed class DragonDraft(JsonElement json) : DragonAction
{
    public IReadOnlyList<PersonType> Persons { get; } = Json.List(Json.Field(json, "persons"), Json.Word<PersonType>);
}

/// <summary>Put the new person into `palace`, there in place of another (`replace`) if all is full,
/// or send it away.</summary>
public sealed class DragonPlacePerson(JsonElement json) : DragonAction
{
    public int? Palace { get; } = Json.OptionalValue(json, "palace", Json.Integer);
    public DragonPerson Replace { get; } = Json.Optional(json, "replace", each => new DragonPerson(each));
    public bool Refuse { get; } = Json.Optional(json, "refuse", Json.Boolean);
}

/// <summary>Use a card of an action group, or take yuan up to three (`replenish`).</summary>
public sealed class DragonChooseAction(JsonElement json) : DragonAction
{
    public ActionKind Kind { get; } = Json.Word<ActionKind>(Json.Field(json, "kind"));
    public int? Group { get; } = Json.OptionalValue(json, "group", Json.Integer);
    public ActionCard? Card { get; } = Json.OptionalValue(json, "card", Json.Word<ActionCard>);
    public PrivilegeSize? Size { get; } = Json.OptionalValue(json, "size", Json.Word<PrivilegeSize>);
    public WallTile? WallTile { get; } = Json.OptionalValue(json, "wall_tile", Json.Word<WallTile>);
}

/// <summary>Add a floor to `palace`; the player's next unused id starts a new palace.</summary>
public sealed class DragonBuildFloor(JsonElement json) : DragonAction
{
    public int Palace { get; } = Json.Integer(Json.Field(json, "palace"));
}

/// <summary>Play `card` and take this person; no person where none of the card's type is
/// left.</summary>
public sealed class DragonPlayCard(JsonElement json) : DragonAction
{
    public Card Card { get; } = Json.Word<Card>(Json.Field(json, "card"));
    public PersonType? Person { get; } = Json.OptionalValue(json, "person", Json.Word<PersonType>);
    public Age? Age { get; } = Json.OptionalValue(json, "age", Json.Word<Age>);
}

/// <summary>Let one person go.</summary>
public sealed class DragonReleasePerson(JsonElement json) : DragonAction
{
    public int Palace { get; } = Json.Integer(Json.Field(json, "palace"));
    public PersonType Person { get; } = Json.Word<PersonType>(Json.Field(json, "person"));
    public Age Age { get; } = Json.Word<Age>(Json.Field(json, "age"));
}

/// <summary>Take one floor off `palace`.</summary>
public sealed class DragonLoseFloor(JsonElement json) : DragonAction
{
    public int Palace { get; } = Json.Integer(Json.Field(json, "palace"));
}

/// <summary>Give back this many of each.</summary>
public sealed class DragonGiveBack(JsonElement json) : DragonAction
{
    public int Yuan { get; } = Json.Integer(Json.Field(json, "yuan"));
    public int Rice { get; } = Json.Integer(Json.Field(json, "rice"));
    public int Fireworks { get; } = Json.Integer(Json.Field(json, "fireworks"));
}

/// <summary>Discard a person card from the hand.</summary>
public sealed class DragonDiscardCard(JsonElement json) : DragonAction
{
    public Card Card { get; } = Json.Word<Card>(Json.Field(json, "card"));
}

/// <summary>Take a young person of this type.</summary>
public sealed class DragonTakePerson(JsonElement json) : DragonAction
{
    public PersonType Person { get; } = Json.Word<PersonType>(Json.Field(json, "person"));
}

/// <summary>Take the benefit of all own persons of this type.</summary>
public sealed class DragonChooseType(JsonElement json) : DragonAction
{
    public PersonType Person { get; } = Json.Word<PersonType>(Json.Field(json, "person"));
}

/// <summary>An action, by its kind of decision.</summary>
public abstract class DragonAction
{
    internal static IReadOnlyList<DragonAction> ReadAll(string kind, JsonElement json) =>
        Json.List(json, item => Read(kind, item));

    internal static DragonAction Read(string kind, JsonElement json) => kind switch
    {
        "draft" => new DragonDraft(json),
        "place_person" => new DragonPlacePerson(json),
        "choose_action" => new DragonChooseAction(json),
        "build_floor" => new DragonBuildFloor(json),
        "play_card" => new DragonPlayCard(json),
        "release_person" => new DragonReleasePerson(json),
        "lose_floor" => new DragonLoseFloor(json),
        "give_back" => new DragonGiveBack(json),
        "discard_card" => new DragonDiscardCard(json),
        "take_person" => new DragonTakePerson(json),
        "choose_type" => new DragonChooseType(json),
        _ => null,
    };
}

/// <summary>A decision. `forced`: with one legal action, so no player was asked. `opening`: of the
/// opening, likewise.</summary>
public sealed class DragonDecisionEvent(JsonElement json) : DragonEvent
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public string Decision { get; } = Json.String(Json.Field(json, "decision"));
    public DragonAction Action { get; } =
        DragonAction.Read(Json.String(Json.Field(json, "decision")), Json.Field(json, "action"));
    public bool Forced { get; } = Json.Optional(json, "forced", Json.Boolean);
    public bool Opening { get; } = Json.Optional(json, "opening", Json.Boolean);
}

/// <summary>A number of a player changed by `by` and is now `to`. `reason` is the card, event or
/// rule.</summary>
public sealed class DragonChange(JsonElement json) : DragonEvent
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public Counter What { get; } = Json.Word<Counter>(Json.Field(json, "what"));
    public int By { get; } = Json.Integer(Json.Field(json, "by"));
    public int To { get; } = Json.Integer(Json.Field(json, "to"));
    public string Reason { get; } = Json.String(Json.Field(json, "reason"));
}

/// <summary>The event of the round, or the super event, is carried out.</summary>
public sealed class DragonEventStrikes(JsonElement json) : DragonEvent
{
    public int Round { get; } = Json.Integer(Json.Field(json, "round"));
    public string Event { get; } = Json.String(Json.Field(json, "event"));
}

/// <summary>What the final scoring brought a player: for persons, monks and money, and the score in
/// the end.</summary>
public sealed class DragonFinalScore(JsonElement json) : DragonEvent
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public int Persons { get; } = Json.Integer(Json.Field(json, "persons"));
    public int Monks { get; } = Json.Integer(Json.Field(json, "monks"));
    public int Money { get; } = Json.Integer(Json.Field(json, "money"));
    public int Score { get; } = Json.Integer(Json.Field(json, "score"));
}

/// <summary>The number of floors of a palace changed; with 0 it is gone.</summary>
public sealed class DragonPalaceChanged(JsonElement json) : DragonEvent
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public int Palace { get; } = Json.Integer(Json.Field(json, "palace"));
    public int Floors { get; } = Json.Integer(Json.Field(json, "floors"));
    public string Reason { get; } = Json.String(Json.Field(json, "reason"));
}

/// <summary>A person left the game; without `palace` it was refused at the door.</summary>
public sealed class DragonPersonLeft(JsonElement json) : DragonEvent
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public int? Palace { get; } = Json.OptionalValue(json, "palace", Json.Integer);
    public PersonType Person { get; } = Json.Word<PersonType>(Json.Field(json, "person"));
    public Age Age { get; } = Json.Word<Age>(Json.Field(json, "age"));
    public string Reason { get; } = Json.String(Json.Field(json, "reason"));
}

/// <summary>A person moved into a palace.</summary>
public sealed class DragonPersonPlaced(JsonElement json) : DragonEvent
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public int Palace { get; } = Json.Integer(Json.Field(json, "palace"));
    public PersonType Person { get; } = Json.Word<PersonType>(Json.Field(json, "person"));
    public Age Age { get; } = Json.Word<Age>(Json.Field(json, "age"));
}

/// <summary>A round is over: scores and markers by seat, and the order of play.</summary>
public sealed class DragonRoundEnd(JsonElement json) : DragonEvent
{
    public int Round { get; } = Json.Integer(Json.Field(json, "round"));
    public IReadOnlyList<int> Scores { get; } = Json.List(Json.Field(json, "scores"), Json.Integer);
    public IReadOnlyList<int> Track { get; } = Json.List(Json.Field(json, "track"), Json.Integer);
    public IReadOnlyList<int> Order { get; } = Json.List(Json.Field(json, "order"), Json.Integer);
}

/// <summary>A tile was added to the Great Wall; `length` is its new length.</summary>
public sealed class DragonWallBuilt(JsonElement json) : DragonEvent
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public WallTile WallTile { get; } = Json.Word<WallTile>(Json.Field(json, "wall_tile"));
    public int Length { get; } = Json.Integer(Json.Field(json, "length"));
}

/// <summary>A draw that was made: its name, its round (where there is one per round), and its
/// value.</summary>
public sealed class DragonChanceEvent(JsonElement json) : DragonEvent
{
    public string What { get; } = Json.String(Json.Field(json, "what"));
    public int? Round { get; } = Json.OptionalValue(json, "round", Json.Integer);
    public JsonElement Value { get; } = Json.Any(Json.Field(json, "value"));
}

/// <summary>Something that happened in a game, by its type.</summary>
public abstract class DragonEvent
{
    internal static DragonEvent Read(JsonElement json) => Read(Json.String(Json.Field(json, "type")), json);

    internal static DragonEvent Read(string kind, JsonElement json) => kind switch
    {
        "chance" => new DragonChanceEvent(json),
        "decision" => new DragonDecisionEvent(json),
        "change" => new DragonChange(json),
        "event" => new DragonEventStrikes(json),
        "final" => new DragonFinalScore(json),
        "palace" => new DragonPalaceChanged(json),
        "person_left" => new DragonPersonLeft(json),
        "person_placed" => new DragonPersonPlaced(json),
        "round" => new DragonRoundEnd(json),
        "wall" => new DragonWallBuilt(json),
        _ => null,
    };
}

/// <summary>A game begins.</summary>
public sealed class DragonStart(JsonElement json)
{
    public string GameId { get; } = Json.String(Json.Field(json, "game_id"));
    public string Game { get; } = Json.String(Json.Field(json, "game"));
    public DragonConfig Config { get; } = new DragonConfig(Json.Field(json, "config"));
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public IReadOnlyList<string> Players { get; } = Json.List(Json.Field(json, "players"), Json.String);
    public Clock Clock { get; } = new Clock(Json.Field(json, "clock"));
    public long BotSeed { get; } = Json.Long(Json.Field(json, "bot_seed"));
}

/// <summary>A decision is due.</summary>
public sealed class DragonAct(JsonElement json)
{
    public int Id { get; } = Json.Integer(Json.Field(json, "id"));
    public string Decision { get; } = Json.String(Json.Field(json, "decision"));
    public DragonObservation Observation { get; } = new DragonObservation(Json.Field(json, "observation"));
    public IReadOnlyList<DragonAction> Legal { get; } =
        DragonAction.ReadAll(Json.String(Json.Field(json, "decision")), Json.Field(json, "legal"));
    public IReadOnlyList<DragonEvent> Events { get; } =
        Json.Optional(json, "events", each => Json.List(each, DragonEvent.Read));
    public int TimeMs { get; } = Json.Integer(Json.Field(json, "time_ms"));
}

/// <summary>The game is over.</summary>
public sealed class DragonEnd(JsonElement json)
{
    public string GameId { get; } = Json.String(Json.Field(json, "game_id"));
    public Result Result { get; } = new Result(Json.Field(json, "result"));
    public IReadOnlyList<DragonEvent> Events { get; } =
        Json.Optional(json, "events", each => Json.List(each, DragonEvent.Read));
}

/// <summary>A tile before rotation: edges N E S W; one room part, or two of which the first touches
/// N and E.</summary>
public sealed class CityTile(JsonElement json)
{
    public string Edges { get; } = Json.String(Json.Field(json, "edges"));
    public IReadOnlyList<string> Parts { get; } = Json.List(Json.Field(json, "parts"), Json.String);
    public Picture Picture { get; } = Json.Word<Picture>(Json.Field(json, "picture"));
    public int Count { get; } = Json.Integer(Json.Field(json, "count"));
}

/// <summary>Room colours, and the tiles of each owner: those for every game, and the additional
/// ones for two players.</summary>
public sealed class CityTileSet(JsonElement json)
{
    public IReadOnlyList<string> Colours { get; } = Json.List(Json.Field(json, "colours"), Json.String);
    public IReadOnlyDictionary<string, IReadOnlyList<CityTile>> Owned { get; } =
        Json.Map(Json.Field(json, "owned"), items => Json.List(items, item => new CityTile(item)));
    public IReadOnlyDictionary<string, IReadOnlyList<CityTile>> Two { get; } =
        Json.Map(Json.Field(json, "two"), items => Json.List(items, item => new CityTile(item)));
}

/// <summary>Options of The Forbidden City (rules page, section 1).</summary>
public sealed class CityConfig(JsonElement json)
{
    public int Players { get; } = Json.Integer(Json.Field(json, "players"));
    public StartTile StartTile { get; } = Json.Word<StartTile>(Json.Field(json, "start_tile"));
    public string TileSet { get; } = Json.String(Json.Field(json, "tile_set"));
    public CityTileSet Tiles { get; } = Json.Optional(json, "tiles", each => new CityTileSet(each));
}

/// <summary>A decision that is due: its seat and its kind. Games add fields for its
/// context.</summary>
public sealed class CityTurn(JsonElement json)
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public string Decision { get; } = Json.String(Json.Field(json, "decision"));
}

/// <summary>A kind of tile, and how many of it each seat has neither laid nor, for the own seat, in
/// hand.</summary>
public sealed class CityTilesLeft(JsonElement json)
{
    public string Edges { get; } = Json.String(Json.Field(json, "edges"));
    public IReadOnlyList<string> Parts { get; } = Json.List(Json.Field(json, "parts"), Json.String);
    public Picture Picture { get; } = Json.Word<Picture>(Json.Field(json, "picture"));
    public int Count { get; } = Json.Integer(Json.Field(json, "count"));
    public IReadOnlyList<int> Left { get; } = Json.List(Json.Field(json, "left"), Json.Integer);
}

/// <summary>A room; all of it is open to all seats.</summary>
public sealed class CityRoom(JsonElement json)
{
    public int Id { get; } = Json.Integer(Json.Field(json, "id"));
    public string Colour { get; } = Json.String(Json.Field(json, "colour"));
    public IReadOnlyList<IReadOnlyList<int>> Cells { get; } =
        Json.List(Json.Field(json, "cells"), items => Json.List(items, Json.Integer));
    public int OpenEdges { get; } = Json.Integer(Json.Field(json, "open_edges"));
    public IReadOnlyList<int> Advisors { get; } = Json.List(Json.Field(json, "advisors"), Json.Integer);
    public int Dragons { get; } = Json.Integer(Json.Field(json, "dragons"));
    public IReadOnlyList<int> Passages { get; } = Json.List(Json.Field(json, "passages"), Json.Integer);
    public int? Value { get; } = Json.OptionalValue(json, "value", Json.Integer);
}

/// <summary>A laid tile, with the id of the room of each of its parts.</summary>
public sealed class CityTileInRooms(JsonElement json)
{
    public int X { get; } = Json.Integer(Json.Field(json, "x"));
    public int Y { get; } = Json.Integer(Json.Field(json, "y"));
    public int Rotation { get; } = Json.Integer(Json.Field(json, "rotation"));
    public int? Seat { get; } = Json.OptionalValue(json, "seat", Json.Integer);
    public CityTile Tile { get; } = new CityTile(Json.Field(json, "tile"));
    public IReadOnlyList<int> Rooms { get; } = Json.List(Json.Field(json, "rooms"), Json.Integer);
}

/// <summary>The table as one seat sees it.</summary>
public sealed class CityObservation(JsonElement json)
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public CityTurn Turn { get; } = new CityTurn(Json.Field(json, "turn"));
    public CityTile Hand { get; } = new CityTile(Json.Field(json, "hand"));
    public IReadOnlyList<int> Coins { get; } = Json.List(Json.Field(json, "coins"), Json.Integer);
    public IReadOnlyList<int> Stacks { get; } = Json.List(Json.Field(json, "stacks"), Json.Integer);
    public IReadOnlyList<int> InHand { get; } = Json.List(Json.Field(json, "in_hand"), Json.Integer);
    public IReadOnlyList<CityTilesLeft> Left { get; } =
        Json.List(Json.Field(json, "left"), item => new CityTilesLeft(item));
    public IReadOnlyList<CityRoom> Rooms { get; } = Json.List(Json.Field(json, "rooms"), item => new CityRoom(item));
    public IReadOnlyList<CityTileInRooms> Board { get; } =
        Json.List(Json.Field(json, "board"), item => new CityTileInRooms(item));
}

/// <summary>Lay the tile in hand on the cell (x, y), rotated clockwise by `rotation` quarter
/// turns.</summary>
public sealed class CityLayTile(JsonElement json) : CityAction
{
    public int X { get; } = Json.Integer(Json.Field(json, "x"));
    public int Y { get; } = Json.Integer(Json.Field(json, "y"));
    public int Rotation { get; } = Json.Integer(Json.Field(json, "rotation"));
}

/// <summary>An action, by its kind of decision.</summary>
public abstract class CityAction
{
    internal static IReadOnlyList<CityAction> ReadAll(string kind, JsonElement json) =>
        Json.List(json, item => Read(kind, item));

    internal static CityAction Read(string kind, JsonElement json) => kind switch
    {
        "lay_tile" => new CityLayTile(json),
        _ => null,
    };
}

/// <summary>A decision. `forced`: with one legal action, so no player was asked. `opening`: of the
/// opening, likewise.</summary>
public sealed class CityDecisionEvent(JsonElement json) : CityEvent
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public string Decision { get; } = Json.String(Json.Field(json, "decision"));
    public CityAction Action { get; } =
        CityAction.Read(Json.String(Json.Field(json, "decision")), Json.Field(json, "action"));
    public bool Forced { get; } = Json.Optional(json, "forced", Json.Boolean);
    public bool Opening { get; } = Json.Optional(json, "opening", Json.Boolean);
}

/// <summary>A tile was laid.</summary>
public sealed class CityTileLaid(JsonElement json) : CityEvent
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public int X { get; } = Json.Integer(Json.Field(json, "x"));
    public int Y { get; } = Json.Integer(Json.Field(json, "y"));
    public int Rotation { get; } = Json.Integer(Json.Field(json, "rotation"));
    public CityTile Tile { get; } = new CityTile(Json.Field(json, "tile"));
}

/// <summary>A room was closed by a tile of `seat`: its cells, its value, and what it paid each
/// seat.</summary>
public sealed class CityRoomSettled(JsonElement json) : CityEvent
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public IReadOnlyList<IReadOnlyList<int>> Cells { get; } =
        Json.List(Json.Field(json, "cells"), items => Json.List(items, Json.Integer));
    public int Value { get; } = Json.Integer(Json.Field(json, "value"));
    public IReadOnlyList<int> Paid { get; } = Json.List(Json.Field(json, "paid"), Json.Integer);
}

/// <summary>At the end a player shows the tiles that were not drawn, and gets coins for
/// them.</summary>
public sealed class CityStackShown(JsonElement json) : CityEvent
{
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public IReadOnlyList<CityTile> Tiles { get; } = Json.List(Json.Field(json, "tiles"), item => new CityTile(item));
    public int Paid { get; } = Json.Integer(Json.Field(json, "paid"));
    public int Coins { get; } = Json.Integer(Json.Field(json, "coins"));
}

/// <summary>A draw that was made: its name, its round (where there is one per round), and its
/// value.</summary>
public sealed class CityChanceEvent(JsonElement json) : CityEvent
{
    public string What { get; } = Json.String(Json.Field(json, "what"));
    public int? Round { get; } = Json.OptionalValue(json, "round", Json.Integer);
    public JsonElement Value { get; } = Json.Any(Json.Field(json, "value"));
}

/// <summary>Something that happened in a game, by its type.</summary>
public abstract class CityEvent
{
    internal static CityEvent Read(JsonElement json) => Read(Json.String(Json.Field(json, "type")), json);

    internal static CityEvent Read(string kind, JsonElement json) => kind switch
    {
        "chance" => new CityChanceEvent(json),
        "decision" => new CityDecisionEvent(json),
        "laid" => new CityTileLaid(json),
        "settled" => new CityRoomSettled(json),
        "shown" => new CityStackShown(json),
        _ => null,
    };
}

/// <summary>A game begins.</summary>
public sealed class CityStart(JsonElement json)
{
    public string GameId { get; } = Json.String(Json.Field(json, "game_id"));
    public string Game { get; } = Json.String(Json.Field(json, "game"));
    public CityConfig Config { get; } = new CityConfig(Json.Field(json, "config"));
    public int Seat { get; } = Json.Integer(Json.Field(json, "seat"));
    public IReadOnlyList<string> Players { get; } = Json.List(Json.Field(json, "players"), Json.String);
    public Clock Clock { get; } = new Clock(Json.Field(json, "clock"));
    public long BotSeed { get; } = Json.Long(Json.Field(json, "bot_seed"));
}

/// <summary>A decision is due.</summary>
public sealed class CityAct(JsonElement json)
{
    public int Id { get; } = Json.Integer(Json.Field(json, "id"));
    public string Decision { get; } = Json.String(Json.Field(json, "decision"));
    public CityObservation Observation { get; } = new CityObservation(Json.Field(json, "observation"));
    public IReadOnlyList<CityAction> Legal { get; } =
        CityAction.ReadAll(Json.String(Json.Field(json, "decision")), Json.Field(json, "legal"));
    public IReadOnlyList<CityEvent> Events { get; } =
        Json.Optional(json, "events", each => Json.List(each, CityEvent.Read));
    public int TimeMs { get; } = Json.Integer(Json.Field(json, "time_ms"));
}

/// <summary>The game is over.</summary>
public sealed class CityEnd(JsonElement json)
{
    public string GameId { get; } = Json.String(Json.Field(json, "game_id"));
    public Result Result { get; } = new Result(Json.Field(json, "result"));
    public IReadOnlyList<CityEvent> Events { get; } =
        Json.Optional(json, "events", each => Json.List(each, CityEvent.Read));
}
