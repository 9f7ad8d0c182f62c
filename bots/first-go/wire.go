// Speaks the protocol: reads the referee's messages, asks the bot, and writes its answers. Nothing to edit here.

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

// play plays games over standard input and output until the referee says quit or is gone. Standard output is for the
// protocol alone, so from here on printing writes to standard error.
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
	var game game
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
			game, err = startGame(line)
		case "act":
			err = game.answer(line, output)
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

// game is the game in progress. Of one that this program doesn't know, neither field is set.
type game struct {
	dragon *DragonStart
	city   *CityStart
}

func startGame(line []byte) (started game, err error) {
	var message struct{ Game string }
	if err := json.Unmarshal(line, &message); err != nil {
		return started, err
	}
	switch message.Game {
	case "year_of_the_dragon":
		err = json.Unmarshal(line, &started.dragon)
	case "forbidden_city":
		err = json.Unmarshal(line, &started.city)
	}
	return started, err
}

func (game game) answer(line []byte, output io.Writer) error {
	var question struct {
		ID       int
		Decision string
	}
	if err := json.Unmarshal(line, &question); err != nil {
		return err
	}
	index := 0 // in a game that this program doesn't know, the first action
	switch {
	case game.dragon != nil:
		var act DragonAct
		if err := json.Unmarshal(line, &act); err != nil {
			return err
		}
		defer sayWhere(question.ID, question.Decision, game.dragon.GameID)
		index = chooseDragon(game.dragon, &act)
	case game.city != nil:
		var act CityAct
		if err := json.Unmarshal(line, &act); err != nil {
			return err
		}
		defer sayWhere(question.ID, question.Decision, game.city.GameID)
		index = chooseCity(game.city, &act)
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

// send writes a message on a line of its own. os.Stdout has no buffer that would keep it back.
func send(output io.Writer, message any) error {
	line, err := json.Marshal(message)
	if err == nil {
		_, err = output.Write(append(line, '\n'))
	}
	return err
}
