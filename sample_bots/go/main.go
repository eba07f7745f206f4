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
	chosen := readSettings(bots)
	attendance := newAttendance(chosen, bots[chosen.bot])
	go obey(attendance)
	os.Exit(attendance.run())
}

// obey ends the program when it is told to, also in the middle of a thought: at once, or at a first
// Ctrl-C with its last match.
func obey(attendance *attendance) {
	told := make(chan os.Signal, 2)
	signal.Notify(told, syscall.SIGTERM, os.Interrupt)
	for each := range told {
		if each == syscall.SIGTERM {
			os.Exit(0)
		}
		if !attendance.leave() {
			os.Exit(130)
		}
	}
}
