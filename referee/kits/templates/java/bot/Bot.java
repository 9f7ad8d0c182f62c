package bot;

import bot.Messages.*;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToIntFunction;

/**
 * Your bot: edit this file.
 *
 * There is a method per game, listed in GAMES. Each is given what the referee says when a game starts, and a question
 * (`act`), and returns the index of an action in act.legal(). The strategies here give every legal action a value and
 * take the best; they are meant to be read in five minutes and to be beaten. A game that is not listed is played at
 * random: write a `chooseNAME` for it.
 *
 * System.out is safe: it writes to standard error, which the referee keeps beside the record of the game.
 */
final class Bot {
    static final String NAME = "{{name}}";

    /** The types of messages and the strategy for each game. */
    static final Map<String, Wire.Game> GAMES = Map.of(
            "year_of_the_dragon", Wire.game(DragonStart.class, DragonAct.class, Bot::chooseDragon),
            "forbidden_city", Wire.game(CityStart.class, CityAct.class, Bot::chooseCity));

    public static void main(String[] arguments) {
        Wire.play(NAME, GAMES);
    }

    /** The index of the item with the highest value; of equal ones the first. */
    private static <T> int best(List<T> items, ToIntFunction<T> value) {
        int best = 0;
        for (int i = 1; i < items.size(); i++) {
            if (value.applyAsInt(items.get(i)) > value.applyAsInt(items.get(best))) {
                best = i;
            }
        }
        return best;
    }

    // -- In the Year of the Dragon ------------------------------------------------------------------------------------

    /** How much the bot values each person. */
    private static final Map<PersonType, Integer> PERSON_VALUES = new EnumMap<>(Map.of(
            PersonType.CRAFTSMAN, 4,
            PersonType.COURT_LADY, 5,
            PersonType.TAX_COLLECTOR, 4,
            PersonType.PYROTECHNIST, 3,
            PersonType.WARRIOR, 3,
            PersonType.MONK, 4,
            PersonType.HEALER, 3,
            PersonType.FARMER, 4,
            PersonType.SCHOLAR, 5));

    /** The index of the best action in act.legal(). start.config() says which expansions are in play. */
    static int chooseDragon(DragonStart start, DragonAct act) {
        return best(act.legal(), action -> value(action, act.observation()));
    }

    private static int personValue(PersonType person) {
        return PERSON_VALUES.getOrDefault(person, 0);
    }

    /** The value of a legal action. What an action says depends on the kind of decision. */
    private static int value(DragonAction legal, DragonObservation seen) {
        if (legal instanceof DragonChooseAction action) {
            return actionValue(action, seen);
        }
        if (legal instanceof DragonDraft action) {
            return action.persons().stream().mapToInt(Bot::personValue).sum();
        }
        if (legal instanceof DragonPlacePerson action) {
            return placeValue(action, seen.turn());
        }
        if (legal instanceof DragonPlayCard action) { // a wild card is worth more later
            return personValue(action.person()) - (action.card() == Card.WILD ? 2 : 0);
        }
        if (legal instanceof DragonReleasePerson action) {
            return -personValue(action.person());
        }
        if (legal instanceof DragonTakePerson action) {
            return personValue(action.person());
        }
        if (legal instanceof DragonGiveBack action) {
            return -3 * action.rice() - 2 * action.yuan() - action.fireworks();
        }
        return 0; // in the other decisions one action is as good as another
    }

    /** The value of a group's card, less the 3 yuan that it costs if somebody has chosen that group before. */
    private static int actionValue(DragonChooseAction action, DragonObservation seen) {
        DragonPlayer me = seen.players().get(seen.seat());
        if (action.kind() == ActionKind.REPLENISH) {
            return me.yuan() == 0 ? 2 : 0;
        }
        int price = seen.actionGroups().get(action.group()).takenBy().isEmpty() ? 0 : 3;
        return cardValue(action.card(), seen, me) - price;
    }

    /** The value of an action card now: high if this round or the next one needs its goods. */
    private static int cardValue(ActionCard card, DragonObservation seen, DragonPlayer me) {
        List<EventTile> row = seen.eventRow();
        List<EventTile> soon = row.subList(Math.max(0, seen.round() - 1), Math.min(row.size(), seen.round() + 1));
        int room = me.palaces().stream().mapToInt(palace -> palace.floors() - palace.persons().size()).sum();
        return switch (card) {
            case BUILD -> room < 2 ? 6 : 2;
            case TAXES -> me.yuan() < 4 ? 7 : 3;
            case HARVEST -> soon.contains(EventTile.DROUGHT) && me.rice() < me.palaces().size() ? 6 : 1;
            case FIREWORKS -> soon.contains(EventTile.DRAGON_FESTIVAL) ? 5 : 1;
            case MILITARY_PARADE -> soon.contains(EventTile.MONGOL_INVASION) ? 4 : 1;
            case PRIVILEGE -> seen.round() <= 4 ? 4 : 0;
            case RESEARCH, BUILD_WALL, UNKNOWN -> 3;
        };
    }

    /** A free place is best; otherwise the person of the least value leaves, or the new one stays outside. */
    private static int placeValue(DragonPlacePerson action, DragonTask turn) {
        if (action.replace() != null) {
            return -personValue(action.replace().person());
        }
        return action.refuse() ? -personValue(turn.person()) : 0;
    }

    // -- The Forbidden City -------------------------------------------------------------------------------------------

    /** A cell of the board. */
    private record Cell(int x, int y) {
    }

    /** The steps to the neighbours in the north, east, south and west. The edges of a tile are in this order. */
    private static final List<Cell> STEPS = List.of(new Cell(0, 1), new Cell(1, 0), new Cell(0, -1), new Cell(-1, 0));

    /** The index of the best action in act.legal(). */
    static int chooseCity(CityStart start, CityAct act) {
        CityObservation seen = act.observation();
        Map<Cell, CityTileInRooms> board = new HashMap<>();
        for (CityTileInRooms laid : seen.board()) {
            board.put(new Cell(laid.x(), laid.y()), laid);
        }
        Map<Integer, CityRoom> rooms = new HashMap<>();
        for (CityRoom room : seen.rooms()) {
            rooms.put(room.id(), room);
        }
        return best(act.legal(), action -> tileValue((CityLayTile) action, seen, board, rooms));
    }

    /** Join big rooms in which we have the most advisors then, close them, and leave few edges open. */
    private static int tileValue(
            CityLayTile action, CityObservation seen, Map<Cell, CityTileInRooms> board, Map<Integer, CityRoom> rooms) {
        int value = 0;
        for (int side = 0; side < 4; side++) {
            if (seen.hand().edges().charAt(edgeAt(side, action.rotation())) != 'o') {
                continue;
            }
            Cell step = STEPS.get(side);
            CityTileInRooms neighbour = board.get(new Cell(action.x() + step.x(), action.y() + step.y()));
            if (neighbour == null) {
                value -= 1; // somebody has to close this edge
                continue;
            }
            int edge = edgeAt((side + 2) % 4, neighbour.rotation());
            if (neighbour.tile().edges().charAt(edge) == 'o') {
                // A diagonal tile has two parts: the first touches the edges 0 and 1, the second 2 and 3.
                int part = neighbour.rooms().size() == 2 ? edge / 2 : 0;
                value += roomValue(rooms.get(neighbour.rooms().get(part)), seen);
            }
        }
        return value;
    }

    /** Which of its edges a tile that is turned clockwise by `rotation` quarter turns has on a side (0: north). */
    private static int edgeAt(int side, int rotation) {
        return (side + 4 - rotation) % 4;
    }

    /** The value of joining a room: its points to the player with the most advisors, twice if this may close it. */
    private static int roomValue(CityRoom room, CityObservation seen) {
        int own = room.advisors().get(seen.seat())
                + (seen.hand().picture() == Picture.ADVISORS ? seen.hand().count() : 0);
        int rival = 0;
        for (int seat = 0; seat < room.advisors().size(); seat++) {
            if (seat != seen.seat()) {
                rival = Math.max(rival, room.advisors().get(seat));
            }
        }
        int points = (room.cells().size() + 3 * room.dragons()) * (room.openEdges() == 1 ? 2 : 1);
        return own == rival ? 1 : own > rival ? points : -points;
    }
}
