//! Runs the bot on the lines in sample.jsonl, which have every kind of decision: `cargo test`.

use crate::json::Json;
use crate::wire::talk;

const LINES: &[u8] = include_bytes!("../sample.jsonl");

fn messages<'a>(lines: &'a [u8], kind: &str) -> Vec<Json<'a>> {
    let messages = lines
        .split_inclusive(|byte| *byte == b'\n')
        .map(|line| Json::parse(line).unwrap());
    messages
        .filter(|message| message.get("type") == Some(&Json::String(kind.into())))
        .collect()
}

/// One answer to hello and to every act, and to nothing else.
#[test]
fn every_question_gets_a_legal_answer() {
    let mut output = Vec::new();
    talk(LINES, &mut output).unwrap();
    let (acts, answers) = (messages(LINES, "act"), messages(&output, "action"));
    assert_eq!(messages(&output, "ready").len(), 1);
    assert_eq!(answers.len(), acts.len());
    for (act, answer) in acts.iter().zip(&answers) {
        assert_eq!(answer.get("id"), act.get("id"));
        let (Some(Json::Integer(index)), Some(Json::Array(legal))) =
            (answer.get("index"), act.get("legal"))
        else {
            panic!("no index in {answer:?}");
        };
        assert!(
            (0..legal.len() as i64).contains(index),
            "{answer:?} is illegal"
        );
    }
}
