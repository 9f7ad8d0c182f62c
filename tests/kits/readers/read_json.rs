//! Reads each line of standard input as JSON, and writes what it read as tests/kits/test_json_readers.py writes it.

#[allow(dead_code)]
mod json;

use json::Json;
use std::io::{self, BufRead, Write};

fn hex(text: &str) -> String {
    let digits: String = text.bytes().take(1000).map(|byte| format!("{byte:02x}")).collect();
    format!("\"{digits}.{}\"", text.len())
}

fn write_value(out: &mut impl Write, value: &Json) -> io::Result<()> {
    match value {
        Json::Null => write!(out, "null"),
        Json::Bool(truth) => write!(out, "{truth}"),
        Json::Integer(integer) => write!(out, "{integer}"),
        Json::Number(number) => write!(out, "double {:016x}", number.to_bits()),
        Json::String(text) => write!(out, "{}", hex(text)),
        Json::Array(items) => {
            write!(out, "[")?;
            for item in items {
                write_value(out, item)?;
                write!(out, ",")?;
            }
            write!(out, "]")
        }
        Json::Object(members) => {
            write!(out, "{{")?;
            for (name, value) in members {
                write!(out, "{}:", hex(name))?;
                write_value(out, value)?;
                write!(out, ",")?;
            }
            write!(out, "}}")
        }
    }
}

fn main() -> io::Result<()> {
    let mut input = io::stdin().lock();
    let mut out = io::BufWriter::new(io::stdout());
    let mut line = Vec::new();
    while input.read_until(b'\n', &mut line)? > 0 {
        match Json::parse(&line) {
            Ok(value) => {
                write_value(&mut out, &value)?;
                if let Some(twice) = value.get("twice") {
                    write!(out, " twice=")?;
                    write_value(&mut out, twice)?;
                }
            }
            Err(error) => write!(out, "error {error}")?,
        }
        writeln!(out)?;
        line.clear();
    }
    Ok(())
}
