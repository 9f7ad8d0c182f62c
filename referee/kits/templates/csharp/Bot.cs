// Your bot: edit this file.
//
// There is a method per game, listed in Games. Each is given what the referee says when a game starts, and a question
// (act), and returns the index of an action in act.Legal. The strategies here give every legal action a value and take
// the best; they are meant to be read in five minutes and to be beaten. A game that is not listed is played at random:
// write a ChooseNAME for it.
//
// Console.WriteLine is safe: it writes to standard error, which the referee keeps beside the record of the game.

using System;
using System.Collections.Generic;
using System.Linq;

internal static class Bot
{
    internal const string Name = "{{name}}";

    /// <summary>The reader of messages and the strategy for each game.</summary>
    internal static readonly Dictionary<string, Wire.Game> Games = new Dictionary<string, Wire.Game>
    {
        ["year_of_the_dragon"] = Wire.GameOf(json => new DragonStart(json), json => new DragonAct(json), ChooseDragon),
        ["forbidden_city"] = Wire.GameOf(json => new CityStart(json), json => new CityAct(json), ChooseCity),
    };

    /// <summary>The index of the action with the highest value, the first one of several.</summary>
    private static int BestOf<T>(IReadOnlyList<T> legal, Func<T, int> valueOf)
    {
        var values = legal.Select(valueOf).ToList();
        return values.Count > 0 ? values.IndexOf(values.Max()) : 0;
    }

    // -- In the Year of the Dragon --------------------------------------------------------------------------------

    /// <summary>How much the bot values each person.</summary>
    private static readonly Dictionary<PersonType, int> PersonValues = new Dictionary<PersonType, int>
    {
        [PersonType.Craftsman] = 4,
        [PersonType.CourtLady] = 5,
        [PersonType.TaxCollector] = 4,
        [PersonType.Pyrotechnist] = 3,
        [PersonType.Warrior] = 3,
        [PersonType.Monk] = 4,
        [PersonType.Healer] = 3,
        [PersonType.Farmer] = 4,
        [PersonType.Scholar] = 5,
        [PersonType.Unknown] = 0,
    };

    /// <summary>
    /// The index of the best action in act.Legal. start.Config says which expansions are in play.
    /// </summary>
    internal static int ChooseDragon(DragonStart start, DragonAct act)
    {
        return BestOf(act.Legal, action => DragonValue(action, act.Observation));
    }

    /// <summary>The value of a legal action. What an action says depends on the kind of decision.</summary>
    private static int DragonValue(DragonAction action, DragonObservation seen)
    {
        switch (action)
        {
            case DragonChooseAction chosen:
                return ChooseActionValue(chosen, seen);
            case DragonDraft draft:
                return draft.Persons.Sum(person => PersonValues[person]);
            case DragonPlacePerson placed:
                return PlacePersonValue(placed, seen.Turn);
            case DragonPlayCard played: // a wild card is worth more later
                return PersonValues[played.Person ?? PersonType.Unknown] - (played.Card == Card.Wild ? 2 : 0);
            case DragonReleasePerson released:
                return -PersonValues[released.Person];
            case DragonTakePerson taken:
                return PersonValues[taken.Person];
            case DragonGiveBack given:
                return -3 * given.Rice - 2 * given.Yuan - given.Fireworks;
            default: // in the other decisions one action is as good as another
                return 0;
        }
    }

    /// <summary>
    /// The value of a group's card, less the 3 yuan that it costs if somebody has chosen that group before.
    /// </summary>
    private static int ChooseActionValue(DragonChooseAction action, DragonObservation seen)
    {
        var me = seen.Players[seen.Seat];
        if (action.Kind == ActionKind.Replenish)
        {
            return me.Yuan == 0 ? 2 : 0;
        }
        var price = seen.ActionGroups[action.Group.Value].TakenBy.Count > 0 ? 3 : 0;
        return CardValue(action.Card.Value, seen, me) - price;
    }

    /// <summary>
    /// The value of an action card now: high if this round or the next one needs its goods.
    /// </summary>
    private static int CardValue(ActionCard card, DragonObservation seen, DragonPlayer me)
    {
        var soon = seen.EventRow.Where((name, i) => i == seen.Round - 1 || i == seen.Round).ToList();
        var room = me.Palaces.Sum(palace => palace.Floors - palace.Persons.Count);
        switch (card)
        {
            case ActionCard.Build:
                return room < 2 ? 6 : 2;
            case ActionCard.Taxes:
                return me.Yuan < 4 ? 7 : 3;
            case ActionCard.Harvest:
                return soon.Contains(EventTile.Drought) && me.Rice < me.Palaces.Count ? 6 : 1;
            case ActionCard.Fireworks:
                return soon.Contains(EventTile.DragonFestival) ? 5 : 1;
            case ActionCard.MilitaryParade:
                return soon.Contains(EventTile.MongolInvasion) ? 4 : 1;
            case ActionCard.Privilege:
                return seen.Round <= 4 ? 4 : 0;
            default: // research and build_wall
                return 3;
        }
    }

    /// <summary>
    /// A free place is best; otherwise the person of the least value leaves, or the new one stays outside.
    /// </summary>
    private static int PlacePersonValue(DragonPlacePerson action, DragonTask turn)
    {
        if (action.Replace != null)
        {
            return -PersonValues[action.Replace.Person];
        }
        return action.Refuse ? -PersonValues[turn.Person ?? PersonType.Unknown] : 0;
    }

    // -- The Forbidden City ---------------------------------------------------------------------------------------

    /// <summary>
    /// The steps to the neighbours in the north, east, south and west. Edges of a tile are in this order.
    /// </summary>
    private static readonly (int X, int Y)[] Steps = { (0, 1), (1, 0), (0, -1), (-1, 0) };

    /// <summary>The index of the best action in act.Legal: a place and a rotation.</summary>
    internal static int ChooseCity(CityStart start, CityAct act)
    {
        var board = act.Observation.Board.ToDictionary(laid => (laid.X, laid.Y));
        var rooms = act.Observation.Rooms.ToDictionary(room => room.Id);
        return BestOf(act.Legal, action => LayTileValue(action as CityLayTile, act.Observation, board, rooms));
    }

    /// <summary>Join big rooms in which we have the most advisors then, close them, and leave few edges open.</summary>
    private static int LayTileValue(
        CityLayTile action,
        CityObservation seen,
        Dictionary<(int, int), CityTileInRooms> board,
        Dictionary<int, CityRoom> rooms)
    {
        var value = 0;
        for (var side = 0; side < 4 && action != null; side++)
        {
            if (seen.Hand.Edges[EdgeAt(side, action.Rotation)] != 'o')
            {
                continue;
            }
            if (!board.TryGetValue((action.X + Steps[side].X, action.Y + Steps[side].Y), out var neighbour))
            {
                value--; // somebody has to close this edge
                continue;
            }
            var edge = EdgeAt((side + 2) % 4, neighbour.Rotation);
            if (neighbour.Tile.Edges[edge] == 'o')
            {
                // A diagonal tile has two parts: the first touches the edges 0 and 1, the second 2 and 3.
                var part = neighbour.Rooms.Count == 2 ? edge / 2 : 0;
                value += RoomValue(rooms[neighbour.Rooms[part]], seen);
            }
        }
        return value;
    }

    /// <summary>
    /// Which of its edges a tile that is turned clockwise by quarter turns has on a side (0: north).
    /// </summary>
    private static int EdgeAt(int side, int rotation)
    {
        return (side + 4 - rotation) % 4;
    }

    /// <summary>
    /// The value of joining a room: its points to the player with the most advisors, twice if this may close it.
    /// </summary>
    private static int RoomValue(CityRoom room, CityObservation seen)
    {
        var own = room.Advisors[seen.Seat] + (seen.Hand.Picture == Picture.Advisors ? seen.Hand.Count : 0);
        var rival = room.Advisors.Where((count, seat) => seat != seen.Seat).Max();
        var points = (room.Cells.Count + 3 * room.Dragons) * (room.OpenEdges == 1 ? 2 : 1);
        return own > rival ? points : own < rival ? -points : 1;
    }
}
