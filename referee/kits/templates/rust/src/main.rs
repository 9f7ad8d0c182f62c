mod bot;
mod decode;
mod json;
mod messages;
mod wire;

use std::io;
use std::process::ExitCode;

/// Plays games over standard input and output, until the referee says quit or disconnects.
fn main() -> ExitCode {
    match wire::talk(io::stdin().lock(), io::stdout().lock()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod test_bot;
