//! Speaks the protocol: reads the referee's messages, asks the bot, and writes its answers. Nothing to edit here.

use crate::bot::{Bot, NAME};
use crate::decode::{field, DecodeError, FromJson};
use crate::json::{quoted, Json};
use crate::messages::{CityStart, DragonStart, FaultMessage};
use std::error::Error;
use std::io::{self, BufRead, Write};

/// The version of the protocol that this file speaks.
const PROTOCOL: i64 = 1;

/// The game in progress.
enum Game {
    Dragon(DragonStart),
    City(CityStart),
    /// A game that this program doesn't know: it takes the first action.
    Unknown,
}

impl Game {
    fn start(message: &Json) -> Result<Game, DecodeError> {
        let game: String = field(message, "game")?;
        Ok(match game.as_str() {
            "year_of_the_dragon" => Game::Dragon(FromJson::from_json(message)?),
            "forbidden_city" => Game::City(FromJson::from_json(message)?),
            _ => Game::Unknown,
        })
    }

    fn choose(&self, bot: &mut Bot, act: &Json) -> Result<usize, DecodeError> {
        Ok(match self {
            Game::Dragon(start) => bot.choose_dragon(start, &FromJson::from_json(act)?),
            Game::City(start) => bot.choose_city(start, &FromJson::from_json(act)?),
            Game::Unknown => 0,
        })
    }
}

/// Answers each line of the input, until one says quit or there are no more. What the referee may send later, in a
/// further version, is ignored.
pub fn talk(mut input: impl BufRead, mut output: impl Write) -> Result<(), Box<dyn Error>> {
    let mut bot = Bot::default();
    let mut game = Game::Unknown;
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        if let Some(message) = read(&line) {
            match message.get("type") {
                // To be sent less, which is faster to read: "options":{"events":false}
                Some(Json::String(kind)) if kind == "hello" => {
                    send(
                        &mut output,
                        &format!(
                            r#"{{"type":"ready","protocol":{PROTOCOL},"name":{}}}"#,
                            quoted(NAME)
                        ),
                    )?;
                }
                Some(Json::String(kind)) if kind == "start" => game = Game::start(&message)?,
                Some(Json::String(kind)) if kind == "act" => {
                    let id: i64 = field(&message, "id")?;
                    let _named = NamedInPanic(&message, id);
                    let index = game.choose(&mut bot, &message)?;
                    send(
                        &mut output,
                        &format!(r#"{{"type":"action","id":{id},"index":{index}}}"#),
                    )?;
                }
                Some(Json::String(kind)) if kind == "fault" => {
                    let fault = FaultMessage::from_json(&message)?;
                    eprintln!(
                        "the referee says: {}: {}",
                        fault.code.as_str(),
                        fault.message
                    );
                }
                Some(Json::String(kind)) if kind == "quit" => return Ok(()),
                _ => {}
            }
        }
        line.clear();
    }
    Ok(())
}

/// Says, after a panic, which question the bot was about to answer.
struct NamedInPanic<'a>(&'a Json<'a>, i64);

impl Drop for NamedInPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let decision: String = field(self.0, "decision").unwrap_or_default();
            eprintln!("this was act {} ({decision})", self.1);
        }
    }
}

/// The message on a line; None if there is none, for then there is nothing to do.
fn read(line: &[u8]) -> Option<Json<'_>> {
    match Json::parse(line) {
        Ok(message) => Some(message),
        Err(error) => {
            if !line.iter().all(u8::is_ascii_whitespace) {
                let beginning = String::from_utf8_lossy(&line[..line.len().min(200)]);
                eprintln!("this line is not JSON ({error}): {beginning}");
            }
            None
        }
    }
}

/// Writes a line and all of it to the pipe: in its buffer nobody would read it.
fn send(output: &mut impl Write, line: &str) -> io::Result<()> {
    writeln!(output, "{line}")?;
    output.flush()
}
