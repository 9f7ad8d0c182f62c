// Speaks the protocol: reads the referee's messages, asks the bot, and writes its answers. Nothing to edit here.
//
// A game that the bot doesn't know is played by random legal actions, drawn from the bot_seed of the game.

package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
)

// The version of the protocol that this file speaks.
const protocol = 1

type ready struct {
	Type     string `json:"type"`
	Protocol int    `json:"protocol"`
	Name     string `json:"name"`
	// To be sent less, which is faster to read: Options map[string]bool, with "events": false
}

type answer struct {
	Type  string `json:"type"`
	ID    int    `json:"id"`
	Index int    `json:"index"`
}

// play plays games over standard input and output until the referee says quit or disconnects. Standard output is for
// the protocol alone, so from here on printing writes to standard error.
func play() {
	output := os.Stdout
	os.Stdout = os.Stderr
	if err := talk(os.Stdin, output); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// talk answers each line of the input, until one says quit or there are no more. What the referee may send later, in a
// further version, is ignored.
func talk(input io.Reader, output io.Writer) error {
	lines := bufio.NewReaderSize(input, 1<<16)
	session := session{"", randomly(0)}
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) == 0 && err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		var message struct{ Type string }
		if !json.Valid(line) {
			if len(bytes.TrimSpace(line)) > 0 {
				fmt.Fprintf(os.Stderr, "this line is not JSON: %.200q\n", line)
			}
			continue
		}
		if json.Unmarshal(line, &message) != nil {
			continue // it is no object, or its type is no string
		}
		switch message.Type {
		case "hello":
			err = send(output, ready{Type: "ready", Protocol: protocol, Name: name})
		case "start":
			session, err = startGame(line)
		case "act":
			err = session.answer(line, output)
		case "fault":
			var fault FaultMessage
			if err = json.Unmarshal(line, &fault); err == nil {
				fmt.Fprintf(os.Stderr, "the referee says: %s: %s\n", fault.Code, fault.Message)
			}
		case "quit":
			return nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
	}
}

// chooser returns the index of a legal action, given the line of a question (act).
type chooser func(act []byte) (int, error)

// game returns the strategy for a game, given the line of its start.
type game func(start []byte) (chooser, error)

// gameOf makes a game of a function that chooses, whose types say how the messages of that game are read.
func gameOf[Start, Act any](choose func(*Start, *Act) int) game {
	return func(line []byte) (chooser, error) {
		start := new(Start)
		if err := json.Unmarshal(line, start); err != nil {
			return nil, err
		}
		return func(line []byte) (int, error) {
			act := new(Act)
			if err := json.Unmarshal(line, act); err != nil {
				return 0, err
			}
			return choose(start, act), nil
		}, nil
	}
}

// randomly takes random actions, the same ones for the same seed.
func randomly(seed int64) chooser {
	state := seed%2147483646 + 1
	return func(line []byte) (int, error) {
		var act struct{ Legal []json.RawMessage }
		if err := json.Unmarshal(line, &act); err != nil {
			return 0, err
		}
		state = state * 48271 % 2147483647 // the generator minstd_rand of C++
		return int(state % int64(len(act.Legal))), nil
	}
}

// session is the game in progress.
type session struct {
	id     string
	choose chooser
}

func startGame(line []byte) (started session, err error) {
	var start struct {
		Game    string
		GameID  string `json:"game_id"`
		BotSeed int64  `json:"bot_seed"`
	}
	if err := json.Unmarshal(line, &start); err != nil {
		return started, err
	}
	started = session{start.GameID, randomly(start.BotSeed)}
	if game, known := games[start.Game]; known {
		started.choose, err = game(line)
	}
	return started, err
}

func (session session) answer(line []byte, output io.Writer) error {
	var question struct {
		ID       int
		Decision string
	}
	if err := json.Unmarshal(line, &question); err != nil {
		return err
	}
	defer sayWhere(question.ID, question.Decision, session.id)
	index, err := session.choose(line)
	if err != nil {
		return err
	}
	return send(output, answer{Type: "action", ID: question.ID, Index: index})
}

// sayWhere writes, in a panic, which question the bot was about to answer.
func sayWhere(id int, decision, gameID string) {
	if problem := recover(); problem != nil {
		fmt.Fprintf(os.Stderr, "act %d (%s) of game %s:\n", id, decision, gameID)
		panic(problem)
	}
}

// send writes a message on a separate line. os.Stdout has no buffer that would keep it back.
func send(output io.Writer, message any) error {
	line, err := json.Marshal(message)
	if err == nil {
		_, err = output.Write(append(line, '\n'))
	}
	return err
}
