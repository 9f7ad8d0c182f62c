//! The conversation with the referee: reads its messages line by line, and asks the bot for its decisions.

use crate::bot::{Bot, EVENTS, NAME};
use crate::decode::{field, FromJson};
use crate::json::{quoted, Json};
use crate::messages::{CityStart, DragonStart, FaultMessage};
use std::error::Error;
use std::io::{BufRead, Write};

/// The game in progress.
enum Game {
    Dragon(DragonStart, Bot),
    City(CityStart, Bot),
    /// A game that this program doesn't know. It takes the first legal action.
    Unknown,
}

impl Game {
    fn start(message: &Json) -> Result<Game, Box<dyn Error>> {
        let game: String = field(message, "game")?;
        let bot = Bot::new(field(message, "bot_seed")?);
        Ok(match game.as_str() {
            "year_of_the_dragon" => Game::Dragon(FromJson::from_json(message)?, bot),
            "forbidden_city" => Game::City(FromJson::from_json(message)?, bot),
            _ => Game::Unknown,
        })
    }

    fn choose(&mut self, message: &Json) -> Result<usize, Box<dyn Error>> {
        Ok(match self {
            Game::Dragon(start, bot) => bot.year_of_the_dragon(start, &FromJson::from_json(message)?),
            Game::City(start, bot) => bot.forbidden_city(start, &FromJson::from_json(message)?),
            Game::Unknown => 0,
        })
    }
}

/// Answers until the referee says `quit` or the input ends. An error says what was wrong with the input.
pub fn play(mut input: impl BufRead, mut output: impl Write) -> Result<(), Box<dyn Error>> {
    let mut game = Game::Unknown;
    let mut line = Vec::new();
    loop {
        line.clear();
        if input.read_until(b'\n', &mut line)? == 0 {
            return Ok(());
        }
        let message = Json::parse(&line).map_err(|error| format!("a line of the referee is no JSON: {error}"))?;
        let kind: String = field(&message, "type")?;
        match kind.as_str() {
            "hello" => send(&mut output, &ready())?,
            "start" => game = Game::start(&message)?,
            "act" => {
                let id: i64 = field(&message, "id")?;
                let index = game.choose(&message)?;
                send(&mut output, &format!(r#"{{"type":"action","id":{id},"index":{index}}}"#))?;
            }
            "end" => game = Game::Unknown,
            "fault" => {
                let fault = FaultMessage::from_json(&message)?;
                eprintln!("fault {}: {}", fault.code.as_str(), fault.message);
            }
            "quit" => return Ok(()),
            _ => {} // Later versions of the protocol may have messages that this one doesn't know.
        }
    }
}

fn ready() -> String {
    format!(r#"{{"type":"ready","protocol":1,"name":{},"options":{{"events":{EVENTS}}}}}"#, quoted(NAME))
}

/// Writes a line. Without the flush it would wait in a buffer, and the referee would wait for it.
fn send(output: &mut impl Write, line: &str) -> std::io::Result<()> {
    writeln!(output, "{line}")?;
    output.flush()
}
