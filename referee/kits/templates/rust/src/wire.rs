//! Speaks the protocol: reads the referee's messages, asks the bot, and writes its answers. Nothing to edit here.
//!
//! A game that the bot doesn't know is played by random legal actions, drawn from the `bot_seed` of the game.

use crate::bot::{Bot, GAMES, NAME};
use crate::decode::{field, DecodeError, FromJson};
use crate::json::{quoted, Json};
use crate::messages::FaultMessage;
use std::error::Error;
use std::io::{self, BufRead, Write};

/// The version of the protocol that this file speaks.
const PROTOCOL: i64 = 1;

/// Answers a question (`act`) with the index of a legal action.
pub type Choose = Box<dyn FnMut(&mut Bot, &Json) -> Result<usize, DecodeError>>;
/// How a game is played: its strategy, given its `start`.
pub type Game = fn(&Json) -> Result<Choose, DecodeError>;

/// Begins a game whose messages are an S and an A, which are read for this method of the bot.
pub fn game<S: FromJson + 'static, A: FromJson + 'static>(
    start: &Json,
    choose: fn(&mut Bot, &S, &A) -> usize,
) -> Result<Choose, DecodeError> {
    let start = S::from_json(start)?;
    Ok(Box::new(move |bot: &mut Bot, act: &Json| {
        Ok(choose(bot, &start, &A::from_json(act)?))
    }))
}

/// Takes random actions, the same ones for the same seed.
fn choose_randomly(seed: i64) -> Choose {
    let mut state = seed % 2147483646 + 1;
    Box::new(move |_: &mut Bot, act: &Json| {
        let legal = match act.get("legal") {
            Some(Json::Array(legal)) => legal.len().max(1),
            _ => 1,
        };
        state = state * 48271 % 2147483647; // the generator minstd_rand of C++
        Ok(state as usize % legal)
    })
}

fn start(message: &Json) -> Result<Choose, DecodeError> {
    let name: String = field(message, "game")?;
    match GAMES.iter().find(|(known, _)| *known == name) {
        Some((_, game)) => game(message),
        None => Ok(choose_randomly(field(message, "bot_seed")?)),
    }
}

/// Answers each line of the input, until one says quit or there are no more. What the referee may send later, in a
/// further version, is ignored.
pub fn talk(mut input: impl BufRead, mut output: impl Write) -> Result<(), Box<dyn Error>> {
    let mut bot = Bot::default();
    let mut choose = choose_randomly(0);
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
                Some(Json::String(kind)) if kind == "start" => choose = start(&message)?,
                Some(Json::String(kind)) if kind == "act" => {
                    let id: i64 = field(&message, "id")?;
                    let _named = NamedInPanic(&message, id);
                    let index = choose(&mut bot, &message)?;
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

/// The message on a line; None if there is none, which needs no answer.
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
