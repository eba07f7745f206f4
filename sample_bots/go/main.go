// Command bot runs one of the bots: `./bot greedy`, `./bot random`.
package main

import (
	"os"
	"os/signal"
	"syscall"

	pb "example/bot/warladder/v1"
)

// random takes any option, each as likely as the others.
func random(asked *pb.Decide, seat int, seed string) int {
	return pick(seed, asked.GetMatch(), asked.GetDecision(), len(asked.GetOptions()))
}

var bots = map[string]chooser{"greedy": greedy, "random": random}

func main() {
	go leave()
	chosen := readSettings(bots)
	os.Exit(newAttendance(chosen, bots[chosen.bot]).run())
}

// leave ends the program at once when it is told to.
func leave() {
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGTERM, os.Interrupt)
	if <-told == os.Interrupt {
		os.Exit(130)
	}
	os.Exit(0)
}
