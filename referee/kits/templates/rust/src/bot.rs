//! Your bot: edit this file.
//!
//! There is a function per game, listed in `GAMES`. Each is given what the referee says when a game starts, and a question
//! (`act`), and returns the index of an action in `act.legal`. The strategies here give every legal action a value and
//! take the best; they are meant to be read in five minutes and to be beaten. A game that is not listed is played at
//! random: write a `choose_NAME` for it.
//!
//! Log with `eprintln!`: the referee keeps standard error beside the record of the game. Never use `println!`: standard
//! output is for the protocol alone.

use crate::messages::{
    ActionCard, ActionKind, Card, CityAct, CityAction, CityLayTile, CityObservation, CityRoom,
    CityStart, CityTileInRooms, DragonAct, DragonAction, DragonChooseAction, DragonObservation,
    DragonPlacePerson, DragonPlayer, DragonStart, DragonTask, EventTile, PersonType, Picture,
};
use crate::wire::{game, Game};
use std::collections::HashMap;

pub const NAME: &str = "{{name}}";

/// The strategy for each game.
pub const GAMES: &[(&str, Game)] = &[
    ("year_of_the_dragon", |start| {
        game(start, Bot::choose_dragon)
    }),
    ("forbidden_city", |start| game(start, Bot::choose_city)),
];

/// What the bot remembers from one decision to the next. It is made once, before the first game.
#[derive(Default)]
pub struct Bot {}

impl Bot {
    /// The index of the best action in `act.legal`. `start.config` says which expansions are in play.
    fn choose_dragon(&mut self, _start: &DragonStart, act: &DragonAct) -> usize {
        best_of(&act.legal, |action| dragon_value(action, &act.observation))
    }

    /// The index of the best action in `act.legal`: a place and a rotation.
    fn choose_city(&mut self, _start: &CityStart, act: &CityAct) -> usize {
        let table = Table::new(&act.observation);
        best_of(&act.legal, |action| match action {
            CityAction::LayTile(action) => table.value(action),
            CityAction::Unknown => 0,
        })
    }
}

/// The index of the action with the highest value, the first one of several.
fn best_of<Action>(legal: &[Action], value_of: impl Fn(&Action) -> i64) -> usize {
    let values: Vec<i64> = legal.iter().map(value_of).collect();
    let highest = values.iter().max();
    values
        .iter()
        .position(|value| Some(value) == highest)
        .unwrap_or(0)
}

// -- In the Year of the Dragon ----------------------------------------------------------------------------------------

/// How much the bot values each person.
fn person_value(person: PersonType) -> i64 {
    match person {
        PersonType::CourtLady | PersonType::Scholar => 5,
        PersonType::Craftsman
        | PersonType::TaxCollector
        | PersonType::Monk
        | PersonType::Farmer => 4,
        _ => 3,
    }
}

/// The value of a legal action. What an action says depends on the kind of decision.
fn dragon_value(action: &DragonAction, seen: &DragonObservation) -> i64 {
    match action {
        DragonAction::ChooseAction(action) => choose_action_value(action, seen),
        DragonAction::Draft(action) => {
            person_value(action.persons.0) + person_value(action.persons.1)
        }
        DragonAction::PlacePerson(action) => place_person_value(action, &seen.turn),
        DragonAction::PlayCard(action) => {
            let is_wild = action.card == Card::Wild;
            // A wild card is worth more later.
            action.person.map_or(0, person_value) - if is_wild { 2 } else { 0 }
        }
        DragonAction::ReleasePerson(action) => -person_value(action.person),
        DragonAction::TakePerson(action) => person_value(action.person),
        DragonAction::GiveBack(action) => -3 * action.rice - 2 * action.yuan - action.fireworks,
        _ => 0, // in the other decisions one action is as good as another
    }
}

/// The value of a group's card, less the 3 yuan that it costs if somebody has chosen that group before.
fn choose_action_value(action: &DragonChooseAction, seen: &DragonObservation) -> i64 {
    let me = &seen.players[seen.seat as usize];
    match (action.kind, action.group, action.card) {
        (ActionKind::Card, Some(group), Some(card)) => {
            let is_taken = !seen.action_groups[group as usize].taken_by.is_empty();
            card_value(card, seen, me) - if is_taken { 3 } else { 0 }
        }
        _ if me.yuan == 0 => 2, // replenish
        _ => 0,
    }
}

/// The value of an action card now: high if this round or the next one needs its goods.
fn card_value(card: ActionCard, seen: &DragonObservation, me: &DragonPlayer) -> i64 {
    let round = seen.round as usize; // 1 to 12; 0 before the first one
    let soon = &seen.event_row[round.saturating_sub(1)..seen.event_row.len().min(round + 1)];
    let room: i64 = me
        .palaces
        .iter()
        .map(|palace| palace.floors - palace.persons.len() as i64)
        .sum();
    let is_hungry = me.rice < me.palaces.len() as i64;
    match card {
        ActionCard::Build if room < 2 => 6,
        ActionCard::Build => 2,
        ActionCard::Taxes if me.yuan < 4 => 7,
        ActionCard::Harvest if soon.contains(&EventTile::Drought) && is_hungry => 6,
        ActionCard::Fireworks if soon.contains(&EventTile::DragonFestival) => 5,
        ActionCard::MilitaryParade if soon.contains(&EventTile::MongolInvasion) => 4,
        ActionCard::Harvest | ActionCard::Fireworks | ActionCard::MilitaryParade => 1,
        ActionCard::Privilege if seen.round <= 4 => 4,
        ActionCard::Privilege => 0,
        _ => 3, // research, build_wall, and taxes for those who have money
    }
}

/// A free place is best; otherwise the person of the least value leaves, or the new one stays outside.
fn place_person_value(action: &DragonPlacePerson, turn: &DragonTask) -> i64 {
    if let Some(replaced) = &action.replace {
        return -person_value(replaced.person);
    }
    if action.refuse.is_some() {
        -turn.person.map_or(0, person_value)
    } else {
        0
    }
}

// -- The Forbidden City -----------------------------------------------------------------------------------------------

/// The steps (dx, dy) to the neighbours in the north, east, south and west. `edges` of a tile are in this order.
const STEPS: [(i64, i64); 4] = [(0, 1), (1, 0), (0, -1), (-1, 0)];

/// The index in `edges` of the side (0: north) of a tile that is turned clockwise by `rotation` quarter turns.
fn edge_at(side: usize, rotation: i64) -> usize {
    (side + 4 - rotation as usize) % 4
}

fn is_open(edges: &str, edge: usize) -> bool {
    edges.as_bytes()[edge] == b'o'
}

/// What the bot sees, with tiles by cell and rooms by id.
struct Table<'a> {
    seen: &'a CityObservation,
    board: HashMap<(i64, i64), &'a CityTileInRooms>,
    rooms: HashMap<i64, &'a CityRoom>,
}

impl<'a> Table<'a> {
    fn new(seen: &'a CityObservation) -> Table<'a> {
        Table {
            seen,
            board: seen
                .board
                .iter()
                .map(|laid| ((laid.x, laid.y), laid))
                .collect(),
            rooms: seen.rooms.iter().map(|room| (room.id, room)).collect(),
        }
    }

    /// Join big rooms in which we have the most advisors then, close them, and leave few edges open.
    fn value(&self, action: &CityLayTile) -> i64 {
        let mut value = 0;
        for (side, (dx, dy)) in STEPS.into_iter().enumerate() {
            if !is_open(&self.seen.hand.edges, edge_at(side, action.rotation)) {
                continue;
            }
            let Some(neighbour) = self.board.get(&(action.x + dx, action.y + dy)) else {
                value -= 1; // somebody has to close this edge
                continue;
            };
            let edge = edge_at((side + 2) % 4, neighbour.rotation);
            if is_open(&neighbour.tile.edges, edge) {
                // A diagonal tile has two parts: the first touches the edges 0 and 1, the second 2 and 3.
                let part = if neighbour.rooms.len() == 2 {
                    edge / 2
                } else {
                    0
                };
                value += self.room_value(self.rooms[&neighbour.rooms[part]]);
            }
        }
        value
    }

    /// The value of joining a room: its points to the player with the most advisors, twice if this may close it.
    fn room_value(&self, room: &CityRoom) -> i64 {
        let hand = &self.seen.hand;
        let own_seat = self.seen.seat as usize;
        let own = room.advisors[own_seat]
            + if hand.picture == Picture::Advisors {
                hand.count
            } else {
                0
            };
        let rivals = room
            .advisors
            .iter()
            .enumerate()
            .filter(|(seat, _)| *seat != own_seat);
        let rival = rivals.map(|(_, count)| *count).max().unwrap_or(0);
        let points =
            (room.cells.len() as i64 + 3 * room.dragons) * if room.open_edges == 1 { 2 } else { 1 };
        match own.cmp(&rival) {
            std::cmp::Ordering::Greater => points,
            std::cmp::Ordering::Equal => 1,
            std::cmp::Ordering::Less => -points,
        }
    }
}
