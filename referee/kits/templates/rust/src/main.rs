mod bot;
mod decode;
mod json;
mod messages;
mod protocol;

use std::io;
use std::process::ExitCode;

fn main() -> ExitCode {
    match protocol::play(io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}
