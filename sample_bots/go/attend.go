package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"sync"
	"time"

	pb "example/bot/warladder/v1"

	rpc "google.golang.org/genproto/googleapis/rpc/code"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/keepalive"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"
)

// The bot's side of the conversation with a referee: dials in, answers, dials again after a cut.
//
// One plain loop reads a message, thinks and writes, however many matches there are: the referee
// asks one question at a time, and the next one's clock stands still until it is put.

// version of the bot. Results are kept by version: raise it when the bot changes.
const version = "1"

// Before dialling again: doubled each time that nobody answers.
const (
	firstWait   = 200 * time.Millisecond
	longestWait = 10 * time.Second
)

// How long matches that this referee does not have are looked for at the others.
const (
	searchTime = 60 * time.Second
	searchWait = 500 * time.Millisecond
)

// hopeless holds what dialling again does not mend.
var hopeless = []codes.Code{
	codes.Unauthenticated,
	codes.PermissionDenied,
	codes.InvalidArgument,
	codes.Unimplemented,
}

var channel = []grpc.DialOption{
	grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: 20 * time.Second}),
	grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(16 << 20)),
}

// again stands in the place of an exit code: dial again after the wait.
const again = -1

// chooser is the bot itself: question, own seat and seed to the index of an option.
type chooser func(asked *pb.Decide, seat int, seed string) int

type stream = grpc.BidiStreamingClient[pb.BotMessage, pb.RefereeMessage]

// match is what is remembered of a running match, so that it can go on after a cut.
type match struct {
	seat      int
	lastEvent uint32
	receipt   []byte
}

// attendance is a bot's presence on a ladder, over as many streams as it takes.
type attendance struct {
	settings settings
	choose   chooser
	matches  map[string]*match
	referees []string // where to dial, the next one first
	wait     time.Duration
	// The referee let us in: after a cut our matches are to be found there first.
	stays bool
	// Until when missing matches are looked for; zero while none is missing.
	searchUntil time.Time
	writing     sync.Mutex // a stream takes one message at a time
	mutex       sync.Mutex // for what is below: a Ctrl-C comes at any moment
	stream      stream     // the one that we stay on, once we are welcome there
	running     int        // matches that are remembered
	leaving     bool
}

func newAttendance(settings settings, choose chooser) *attendance {
	return &attendance{
		settings: settings,
		choose:   choose,
		matches:  map[string]*match{},
		referees: []string{settings.referee},
		wait:     firstWait,
	}
}

// run attends until the bot is no longer wanted; returns the exit code.
func (a *attendance) run() int {
	for {
		referee := a.referees[0]
		a.stays = false
		code, err := a.attend(referee)
		leaving := a.stand(nil)
		if err != nil {
			end := status.Convert(err)
			say("%s: %s: %s", referee, rpc.Code(end.Code()), end.Message())
			if slices.Contains(hopeless, end.Code()) {
				return 1
			}
		} else if code != again {
			return code
		}
		if leaving && len(a.matches) == 0 {
			return 0
		}
		if !a.stays {
			a.referees = append(a.referees[1:], referee)
		}
		time.Sleep(time.Duration(float64(a.wait) * (1 + rand.Float64()/2)))
		a.wait = min(a.wait*2, longestWait)
	}
}

// leave takes no new matches, and run ends with the last one. False if there is nothing to wait for:
// nothing is to be played, or it was called before.
func (a *attendance) leave() bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if a.leaving || a.stream == nil && a.running == 0 {
		return false
	}
	a.leaving = true
	say("leaving: no new matches, %d still run; Ctrl-C again leaves now", a.running)
	if a.stream != nil { // else Goodbye follows the next Welcome
		go a.write(a.stream, goodbye())
	}
	return true
}

// stand notes where we stand, for leave; returns whether we are leaving.
func (a *attendance) stand(stream stream) bool {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.stream, a.running = stream, len(a.matches)
	return a.leaving
}

// attend is one stream; returns the exit code, or again.
func (a *attendance) attend(referee string) (int, error) {
	line, err := a.settings.dial(referee, channel...)
	if err != nil {
		return again, err
	}
	defer line.Close()
	token := metadata.Pairs("authorization", "Bearer "+a.settings.token)
	stream, err := pb.NewRefereeClient(line).Attend(
		metadata.NewOutgoingContext(context.Background(), token))
	if err != nil {
		return again, err
	}
	a.write(stream, &pb.BotMessage{Message: &pb.BotMessage_Hello{Hello: a.hello()}})
	for {
		message, err := stream.Recv()
		if errors.Is(err, io.EOF) {
			return again, nil
		}
		if err != nil {
			return again, err
		}
		switch told := message.GetMessage().(type) {
		case *pb.RefereeMessage_Welcome:
			if !a.welcomed(told.Welcome) {
				return again, nil
			}
			if a.stand(stream) {
				a.write(stream, goodbye())
			}
		case *pb.RefereeMessage_Referees:
			a.know(told.Referees.GetAddresses())
		case *pb.RefereeMessage_MatchStarted:
			ready := a.started(told.MatchStarted)
			a.stand(stream)
			a.write(stream, &pb.BotMessage{Message: &pb.BotMessage_Ready{Ready: ready}})
		case *pb.RefereeMessage_Decide:
			if choice := a.decide(told.Decide); choice != nil {
				a.write(stream, &pb.BotMessage{Message: &pb.BotMessage_Choose{Choose: choice}})
			}
		case *pb.RefereeMessage_Update:
			a.seen(told.Update)
		case *pb.RefereeMessage_MatchEnded:
			a.ended(told.MatchEnded)
			a.stand(stream)
		case *pb.RefereeMessage_Ping:
			pong := &pb.Pong{Number: told.Ping.GetNumber()}
			a.write(stream, &pb.BotMessage{Message: &pb.BotMessage_Pong{Pong: pong}})
		case *pb.RefereeMessage_Fault:
			say("%s: %s", told.Fault.GetCode(), told.Fault.GetText())
		case *pb.RefereeMessage_Goodbye:
			return a.parted(told.Goodbye), nil
		default: // of a newer minor version
		}
	}
}

func (a *attendance) hello() *pb.Hello {
	hello := &pb.Hello{
		Version:    version,
		Instance:   a.settings.instance,
		Games:      []string{"stalingrad"},
		MaxMatches: uint32(a.settings.maxMatches),
		Detail:     pb.Detail_DETAIL_NO_LABELS,
	}
	for name, each := range a.matches {
		hello.Resume = append(hello.Resume,
			&pb.Resume{Match: name, LastEvent: each.lastEvent, Receipt: each.receipt})
	}
	return hello
}

// welcomed says whether to stay: our matches go on here, or no other referee can have them.
func (a *attendance) welcomed(welcome *pb.Welcome) bool {
	say("attending as %s", welcome.GetBot())
	a.know(welcome.GetReferees())
	var missing []string
	for name := range a.matches {
		if !slices.Contains(welcome.GetResumed(), name) {
			missing = append(missing, name)
		}
	}
	now := time.Now()
	searching := !a.searchUntil.IsZero()
	if len(missing) == 0 || searching && now.After(a.searchUntil) {
		a.searchUntil = time.Time{}
		for _, name := range missing { // ended while we were away
			delete(a.matches, name)
		}
		a.stays = true
	} else {
		if !searching {
			a.searchUntil = now.Add(searchTime)
		}
		a.stays = len(welcome.GetResumed()) > 0 || len(a.referees) == 1
	}
	a.wait = searchWait
	if a.stays {
		a.wait = firstWait
	}
	return a.stays
}

// know notes where else to dial when this referee goes.
func (a *attendance) know(referees []string) {
	for _, each := range referees {
		if !slices.Contains(a.referees, each) {
			a.referees = append(a.referees, each)
		}
	}
}

func (a *attendance) started(started *pb.MatchStarted) *pb.Ready {
	if a.matches[started.GetMatch()] == nil {
		a.matches[started.GetMatch()] = &match{seat: int(started.GetSeat())}
	}
	return &pb.Ready{Match: started.GetMatch()}
}

// decide answers; nil for a match that we have no seat in.
func (a *attendance) decide(asked *pb.Decide) *pb.Choose {
	match := a.seen(asked)
	if match == nil {
		return nil
	}
	option := a.choose(asked, match.seat, a.settings.seed)
	return &pb.Choose{Match: asked.GetMatch(), Decision: asked.GetDecision(), Option: uint32(option)}
}

// position is what Decide and Update have in common.
type position interface {
	GetMatch() string
	GetEvents() []*pb.Event // what happened, for a bot that wants it
	GetLastEvent() uint32
	GetReceipt() []byte
}

// seen notes how far we are; nil for a match that we have no seat in.
func (a *attendance) seen(told position) *match {
	match := a.matches[told.GetMatch()]
	if match != nil {
		match.lastEvent, match.receipt = told.GetLastEvent(), told.GetReceipt()
	}
	return match
}

func (a *attendance) ended(ended *pb.MatchEnded) {
	delete(a.matches, ended.GetMatch())
	if ended.GetText() != "" { // what a fault of our own was
		say("%s: %s", ended.GetMatch(), ended.GetText())
	}
}

// parted is what a Goodbye means: an exit code, or again.
func (a *attendance) parted(goodbye *pb.Goodbye) int {
	switch goodbye.GetReason() {
	case pb.GoodbyeReason_GOODBYE_REASON_DONE:
		return 0
	case pb.GoodbyeReason_GOODBYE_REASON_REPLACED, pb.GoodbyeReason_GOODBYE_REASON_FAULT:
		return 1
	case pb.GoodbyeReason_GOODBYE_REASON_REVOKED:
		say("this token opens nothing any more: set WARLADDER_TOKEN to the new one")
		return 1
	case pb.GoodbyeReason_GOODBYE_REASON_DRAINING:
		a.stays = false
	}
	a.wait = max(time.Duration(goodbye.GetReconnectAfterMs())*time.Millisecond, firstWait)
	return again
}

func goodbye() *pb.BotMessage {
	return &pb.BotMessage{Message: &pb.BotMessage_Goodbye{Goodbye: &pb.Goodbye{}}}
}

// write says something. A stream that has ended takes nothing: reading it tells why.
func (a *attendance) write(stream stream, message *pb.BotMessage) {
	a.writing.Lock()
	defer a.writing.Unlock()
	_ = stream.Send(message)
}

func say(format string, words ...any) {
	fmt.Fprintf(os.Stderr, format+"\n", words...)
}
