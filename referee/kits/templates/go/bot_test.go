// Runs the bot on the lines in sample.jsonl, which have every kind of decision: go test.

package main

import (
	"bytes"
	"encoding/json"
	"os"
	"testing"
)

type message struct {
	Type  string
	ID    int
	Index int
	Legal []json.RawMessage
}

func messages(t *testing.T, lines []byte, kind string) (found []message) {
	for _, line := range bytes.Split(bytes.TrimSpace(lines), []byte("\n")) {
		var each message
		if err := json.Unmarshal(line, &each); err != nil {
			t.Fatal(err)
		}
		if each.Type == kind {
			found = append(found, each)
		}
	}
	return found
}

// One answer to hello and to every act, and to nothing else.
func TestEveryQuestionGetsALegalAnswer(t *testing.T) {
	lines, err := os.ReadFile("sample.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var output bytes.Buffer
	if err := talk(bytes.NewReader(lines), &output); err != nil {
		t.Fatal(err)
	}
	acts, answers := messages(t, lines, "act"), messages(t, output.Bytes(), "action")
	if len(messages(t, output.Bytes(), "ready")) != 1 || len(answers) != len(acts) {
		t.Fatalf("not one ready and one answer to every act: %s", output.String())
	}
	for i, act := range acts {
		answer := answers[i]
		if answer.ID != act.ID || answer.Index < 0 || answer.Index >= len(act.Legal) {
			t.Errorf("no legal answer to act %d: %+v", act.ID, answer)
		}
	}
}
