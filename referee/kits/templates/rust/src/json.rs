//! A small JSON reader (RFC 8259).

use std::borrow::Cow;
use std::fmt;

/// Arrays and objects in each other, beyond which a text is refused.
pub const MAX_DEPTH: usize = 512;

/// A JSON value. Its strings borrow from the text that it was read from, where they can.
#[derive(Debug, Clone, PartialEq)]
pub enum Json<'a> {
    Null,
    Bool(bool),
    /// A number that is written as an integer and fits into 64 bits.
    Integer(i64),
    /// Any other number: the nearest double, infinity for those beyond.
    Number(f64),
    String(Cow<'a, str>),
    Array(Vec<Json<'a>>),
    /// The members of an object in their order, with all that are given twice.
    Object(Vec<(Cow<'a, str>, Json<'a>)>),
}

/// A text is not JSON.
#[derive(Debug, Clone, PartialEq)]
pub struct SyntaxError {
    /// Where, in bytes from 0.
    pub offset: usize,
    pub problem: &'static str,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset + 1, self.problem)
    }
}

impl std::error::Error for SyntaxError {}

impl<'a> Json<'a> {
    /// Reads a text that is one JSON value and nothing else, but for spaces around it.
    pub fn parse(text: &'a [u8]) -> Result<Json<'a>, SyntaxError> {
        let text = std::str::from_utf8(text).map_err(|error| SyntaxError {
            offset: error.valid_up_to(),
            problem: "this is not UTF-8",
        })?;
        let mut parser = Parser { text, at: 0 };
        let value = parser.value(0)?;
        if parser.at < text.len() {
            return parser.fail("something follows the value");
        }
        Ok(value)
    }

    /// The member of an object with this name, the last one if there are several.
    pub fn get(&self, name: &str) -> Option<&Json<'a>> {
        match self {
            Json::Object(members) => members
                .iter()
                .rev()
                .find(|(found, _)| found == name)
                .map(|(_, value)| value),
            _ => None,
        }
    }

    /// A copy that no longer borrows from the text.
    pub fn to_owned_json(&self) -> Json<'static> {
        let owned = |text: &Cow<str>| Cow::Owned(text.to_string());
        match self {
            Json::Null => Json::Null,
            Json::Bool(truth) => Json::Bool(*truth),
            Json::Integer(integer) => Json::Integer(*integer),
            Json::Number(number) => Json::Number(*number),
            Json::String(text) => Json::String(owned(text)),
            Json::Array(items) => Json::Array(items.iter().map(Json::to_owned_json).collect()),
            Json::Object(members) => Json::Object(
                members
                    .iter()
                    .map(|(name, value)| (owned(name), value.to_owned_json()))
                    .collect(),
            ),
        }
    }
}

/// A string with quotes and escapes.
pub fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for letter in text.chars() {
        match letter {
            '"' | '\\' => out.extend(['\\', letter]),
            '\0'..='\x1f' => out.push_str(&format!("\\u{:04x}", letter as u32)),
            _ => out.push(letter),
        }
    }
    out.push('"');
    out
}

type Result<T, E = SyntaxError> = std::result::Result<T, E>;

struct Parser<'a> {
    text: &'a str,
    /// The offset of the next byte. Wherever text is taken from here, a character begins.
    at: usize,
}

impl<'a> Parser<'a> {
    fn fail<T>(&self, problem: &'static str) -> Result<T> {
        Err(SyntaxError {
            offset: self.at,
            problem,
        })
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn accept(&mut self, byte: u8) -> bool {
        let accepted = self.peek() == Some(byte);
        self.at += usize::from(accepted);
        accepted
    }

    fn skip_spaces(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// A value with the spaces around it; `depth` arrays and objects contain it.
    fn value(&mut self, depth: usize) -> Result<Json<'a>> {
        self.skip_spaces();
        let value = match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b'"') => self.string().map(Json::String),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.fail("a value is missing"),
        }?;
        self.skip_spaces();
        Ok(value)
    }

    fn word(&mut self, word: &str, meaning: Json<'a>) -> Result<Json<'a>> {
        if !self.text[self.at..].starts_with(word) {
            return self.fail("a value is missing");
        }
        self.at += word.len();
        Ok(meaning)
    }

    fn digits(&mut self) -> Result<()> {
        if !matches!(self.peek(), Some(b'0'..=b'9')) {
            return self.fail("a digit is missing");
        }
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        Ok(())
    }

    fn number(&mut self) -> Result<Json<'a>> {
        let start = self.at;
        let mut integral = true;
        self.accept(b'-');
        if !self.accept(b'0') {
            self.digits()?;
        } else if matches!(self.peek(), Some(b'0'..=b'9')) {
            return self.fail("a number begins with 0");
        }
        if self.accept(b'.') {
            integral = false;
            self.digits()?;
        }
        if self.accept(b'e') || self.accept(b'E') {
            integral = false;
            let _ = self.accept(b'+') || self.accept(b'-');
            self.digits()?;
        }
        let written = &self.text[start..self.at];
        if let (true, Ok(integer)) = (integral, written.parse()) {
            return Ok(Json::Integer(integer));
        }
        // What JSON allows, Rust reads: this does not fail.
        written
            .parse()
            .map(Json::Number)
            .or_else(|_| self.fail("a number is missing"))
    }

    fn string(&mut self) -> Result<Cow<'a, str>> {
        if !self.accept(b'"') {
            return self.fail("a name in quotes is missing");
        }
        let mut out = Cow::Borrowed("");
        loop {
            let start = self.at;
            while self
                .peek()
                .is_some_and(|byte| byte >= 0x20 && byte != b'"' && byte != b'\\')
            {
                self.at += 1;
            }
            out += &self.text[start..self.at];
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(out);
                }
                Some(b'\\') => {
                    self.at += 1;
                    out.to_mut().push(self.escape()?);
                }
                Some(_) => return self.fail("control characters in strings must be escaped"),
                None => return self.fail("this string does not end"),
            }
        }
    }

    /// The character that an escape stands for.
    fn escape(&mut self) -> Result<char> {
        let meaning = match self.peek() {
            Some(letter @ (b'"' | b'\\' | b'/')) => letter as char,
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.escaped_character(),
            _ => return self.fail("there is no such escape"),
        };
        self.at += 1;
        Ok(meaning)
    }

    /// The character of `\uXXXX`, or of a surrogate pair of two such escapes.
    fn escaped_character(&mut self) -> Result<char> {
        const HALF: &str = "half of a surrogate pair is no character";
        let mut code = self.four_hex_digits()?;
        if (0xD800..=0xDBFF).contains(&code) {
            if !self.accept(b'\\') || self.peek() != Some(b'u') {
                return self.fail(HALF);
            }
            let low = self.four_hex_digits()?;
            if !(0xDC00..=0xDFFF).contains(&low) {
                return self.fail(HALF);
            }
            code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
        }
        char::from_u32(code).map_or_else(|| self.fail(HALF), Ok)
    }

    /// The number after `u`.
    fn four_hex_digits(&mut self) -> Result<u32> {
        self.at += 1;
        let digits = self
            .text
            .as_bytes()
            .get(self.at..self.at + 4)
            .unwrap_or_default();
        let mut code = 0;
        for &digit in digits {
            match char::from(digit).to_digit(16) {
                Some(value) => code = 16 * code + value,
                None => return self.fail("\\u needs four hexadecimal digits"),
            }
        }
        if digits.is_empty() {
            return self.fail("\\u needs four hexadecimal digits");
        }
        self.at += 4;
        Ok(code)
    }

    fn open(&mut self, depth: usize) -> Result<()> {
        self.at += 1;
        if depth >= MAX_DEPTH {
            return self.fail("it is nested too deeply");
        }
        self.skip_spaces();
        Ok(())
    }

    fn array(&mut self, depth: usize) -> Result<Json<'a>> {
        let mut items = Vec::new();
        self.open(depth)?;
        while !self.accept(b']') {
            if !items.is_empty() && !self.accept(b',') {
                return self.fail("a comma or ] is missing");
            }
            items.push(self.value(depth + 1)?);
        }
        Ok(Json::Array(items))
    }

    fn object(&mut self, depth: usize) -> Result<Json<'a>> {
        let mut members = Vec::new();
        self.open(depth)?;
        while !self.accept(b'}') {
            if !members.is_empty() && !self.accept(b',') {
                return self.fail("a comma or } is missing");
            }
            self.skip_spaces();
            let name = self.string()?;
            self.skip_spaces();
            if !self.accept(b':') {
                return self.fail("a colon is missing");
            }
            members.push((name, self.value(depth + 1)?));
        }
        Ok(Json::Object(members))
    }
}
