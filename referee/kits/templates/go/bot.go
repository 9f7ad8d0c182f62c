// Your bot: edit this file.
//
// There is a function per game, listed in games. Each is given what the referee says when a game starts, and a question
// (act), and returns the index of an action in act.Legal. The strategies here give every legal action a value and take
// the best; they are meant to be read in five minutes and to be beaten. A game that is not listed is played at random:
// write a chooseNAME for it.
//
// Printing is safe: it writes to standard error, which the referee keeps beside the record of the game.

package main

const name = "{{name}}"

// The strategy for each game.
var games = map[string]game{
	"year_of_the_dragon": gameOf(chooseDragon),
	"forbidden_city":     gameOf(chooseCity),
}

func main() {
	play()
}

// bestOf returns the index of the action with the highest value, the first one of several.
func bestOf[Action any](legal []Action, valueOf func(Action) int) int {
	best, highest := 0, 0
	for i, action := range legal {
		if value := valueOf(action); i == 0 || value > highest {
			best, highest = i, value
		}
	}
	return best
}

// -- In the Year of the Dragon ---------------------------------------------------------------------------------------

// How much the bot values each person.
var personValues = map[PersonType]int{
	PersonTypeCraftsman:    4,
	PersonTypeCourtLady:    5,
	PersonTypeTaxCollector: 4,
	PersonTypePyrotechnist: 3,
	PersonTypeWarrior:      3,
	PersonTypeMonk:         4,
	PersonTypeHealer:       3,
	PersonTypeFarmer:       4,
	PersonTypeScholar:      5,
}

// chooseDragon returns the index of the best action in act.Legal. start.Config says which expansions are in play.
func chooseDragon(start *DragonStart, act *DragonAct) int {
	return bestOf(act.Legal, func(action DragonAction) int { return dragonValue(action, &act.Observation) })
}

// dragonValue is the value of a legal action. What an action says depends on the kind of decision.
func dragonValue(action DragonAction, seen *DragonObservation) int {
	switch action := action.(type) {
	case *DragonChooseAction:
		return chooseActionValue(action, seen)
	case *DragonDraft:
		return personValues[action.Persons[0]] + personValues[action.Persons[1]]
	case *DragonPlacePerson:
		return placePersonValue(action, &seen.Turn)
	case *DragonPlayCard:
		value := personValues[action.Person] // 0 if the card brings nobody
		if action.Card == CardWild {
			value -= 2 // a wild card is worth more later
		}
		return value
	case *DragonReleasePerson:
		return -personValues[action.Person]
	case *DragonTakePerson:
		return personValues[action.Person]
	case *DragonGiveBack:
		return -3*action.Rice - 2*action.Yuan - action.Fireworks
	}
	return 0 // in the other decisions one action is as good as another
}

// chooseActionValue is what a group's card brings, less the 3 yuan that it costs if somebody has chosen that group
// before.
func chooseActionValue(action *DragonChooseAction, seen *DragonObservation) int {
	me := &seen.Players[seen.Seat]
	if action.Kind == ActionKindReplenish {
		if me.Yuan == 0 {
			return 2
		}
		return 0
	}
	value := cardValue(action.Card, seen, me)
	if len(seen.ActionGroups[*action.Group].TakenBy) > 0 {
		value -= 3
	}
	return value
}

// cardValue is what an action card is worth now: much, if this round or the next one asks for what it brings.
func cardValue(card ActionCard, seen *DragonObservation, me *DragonPlayer) int {
	room := 0
	for _, palace := range me.Palaces {
		room += palace.Floors - len(palace.Persons)
	}
	switch {
	case card == ActionCardBuild && room < 2:
		return 6
	case card == ActionCardBuild:
		return 2
	case card == ActionCardTaxes && me.Yuan < 4:
		return 7
	case card == ActionCardHarvest && comesSoon(EventTileDrought, seen) && me.Rice < len(me.Palaces):
		return 6
	case card == ActionCardFireworks && comesSoon(EventTileDragonFestival, seen):
		return 5
	case card == ActionCardMilitaryParade && comesSoon(EventTileMongolInvasion, seen):
		return 4
	case card == ActionCardHarvest, card == ActionCardFireworks, card == ActionCardMilitaryParade:
		return 1
	case card == ActionCardPrivilege && seen.Round <= 4:
		return 4
	case card == ActionCardPrivilege:
		return 0
	}
	return 3 // research, build_wall, and taxes for those who have money
}

// comesSoon says whether an event comes in this round or the next one.
func comesSoon(event EventTile, seen *DragonObservation) bool {
	for i, comes := range seen.EventRow {
		if comes == event && (i == seen.Round-1 || i == seen.Round) {
			return true
		}
	}
	return false
}

// placePersonValue: a free place is best; if there is none, the person who is worth least has to go, or stays outside.
func placePersonValue(action *DragonPlacePerson, turn *DragonTask) int {
	if action.Replace != nil {
		return -personValues[action.Replace.Person]
	}
	if action.Refuse {
		return -personValues[turn.Person]
	}
	return 0
}

// -- The Forbidden City ----------------------------------------------------------------------------------------------

type cell struct{ x, y int }

// The steps to the neighbours in the north, east, south and west. Edges of a tile are in this order.
var steps = [4]cell{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}

// chooseCity returns the index of the best action in act.Legal: a place and a rotation.
func chooseCity(start *CityStart, act *CityAct) int {
	seen := &act.Observation
	board := map[cell]*CityTileInRooms{}
	for i := range seen.Board {
		laid := &seen.Board[i]
		board[cell{laid.X, laid.Y}] = laid
	}
	rooms := map[int]*CityRoom{}
	for i := range seen.Rooms {
		rooms[seen.Rooms[i].ID] = &seen.Rooms[i]
	}
	return bestOf(act.Legal, func(action CityAction) int {
		if tile, ok := action.(*CityLayTile); ok {
			return layTileValue(tile, seen, board, rooms)
		}
		return 0
	})
}

// layTileValue: join big rooms in which we have the most advisors then, close them, and leave few edges open.
func layTileValue(
	action *CityLayTile, seen *CityObservation, board map[cell]*CityTileInRooms, rooms map[int]*CityRoom,
) int {
	value := 0
	for side, step := range steps {
		if seen.Hand.Edges[edgeAt(side, action.Rotation)] != 'o' {
			continue
		}
		neighbour, found := board[cell{action.X + step.x, action.Y + step.y}]
		if !found {
			value-- // somebody has to close this edge
			continue
		}
		edge := edgeAt((side+2)%4, neighbour.Rotation)
		if neighbour.Tile.Edges[edge] == 'o' {
			// A diagonal tile has two parts: the first touches the edges 0 and 1, the second 2 and 3.
			part := 0
			if len(neighbour.Rooms) == 2 {
				part = edge / 2
			}
			value += roomValue(rooms[neighbour.Rooms[part]], seen)
		}
	}
	return value
}

// edgeAt says which of its edges a tile that is turned clockwise by quarter turns has on a side (0: north).
func edgeAt(side, rotation int) int {
	return (side + 4 - rotation) % 4
}

// roomValue is what it is worth to join a room: its points to the player with the most advisors, twice if this may
// close it.
func roomValue(room *CityRoom, seen *CityObservation) int {
	own, rival := room.Advisors[seen.Seat], 0
	for seat, count := range room.Advisors {
		if seat != seen.Seat && count > rival {
			rival = count
		}
	}
	if seen.Hand.Picture == PictureAdvisors {
		own += seen.Hand.Count
	}
	points := len(room.Cells) + 3*room.Dragons
	if room.OpenEdges == 1 {
		points *= 2
	}
	switch {
	case own > rival:
		return points
	case own < rival:
		return -points
	}
	return 1
}
