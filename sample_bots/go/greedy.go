package main

import (
	"strings"

	pb "example/bot/warladder/v1"
)

// Greedy at Battle for Stalingrad: gives every option a number and takes the highest.
//
// It looks at the position only, never ahead. The kit of every language has the same rules, and
// takes the same options in the same match. All numbers are whole; of equal options the first is
// taken.

// reserve is cards kept in hand when buying, and when a Firefight is only to be bettered.
const reserve = 3

// worth of a card when it is played for its effect; others are kept for Firefights.
var worth = map[string]int{
	"dive_bombers":      25,
	"artillery_barrage": 24,
	"supply_raid":       23,
	"air_supply":        22,
	"fresh_supplies":    21,
	"desperation":       20,
	"scouts":            19,
	"fog_of_war":        12,
	"propaganda_war":    11,
	"victory":           10,
	"recover_wounded":   9,
	"sniper":            8,
	"rubble":            7,
	"reserve_forces":    6,
	"heavy_weapons":     5,
	"big_push":          4,
}

// inBattle holds the cards for a battle that would be lost without them.
var inBattle = map[string]bool{"reserve_forces": true, "heavy_weapons": true, "big_push": true}

// table is the position as the rules below need it.
type table struct {
	view    *pb.StalingradView
	seat    int
	area    map[string]string
	rations map[string]int
	weight  map[string]int
	control map[string]int
	hand    int
}

func newTable(view *pb.StalingradView, seat int) *table {
	t := &table{
		view:    view,
		seat:    seat,
		area:    map[string]string{},
		rations: map[string]int{},
		weight:  map[string]int{},
		control: map[string]int{},
	}
	for i, force := range view.GetForces() {
		t.area[force] = view.GetAreas()[i]
		t.rations[force] = int(view.GetRations()[i])
		t.weight[force] = 3 + min(t.rations[force], 4) + 2*int(view.GetMedals()[i])
	}
	for i, location := range view.GetLocations() {
		t.control[location] = int(view.GetControl()[i])
	}
	if sizes := view.GetHandSizes(); len(sizes) > 0 {
		t.hand = int(sizes[seat])
	}
	return t
}

func (t *table) owner(force string) int {
	if strings.HasPrefix(force, "R") {
		return 0
	}
	return 1
}

// strength is the weight of a side's Forces in an area, such as `GUM.C`.
func (t *table) strength(seat int, area string) int {
	sum := 0
	for force, where := range t.area {
		if where == area && t.owner(force) == seat {
			sum += t.weight[force]
		}
	}
	return sum
}

// lead is own strength in the Control Area less the enemy's.
func (t *table) lead(location string) int {
	area := location + ".C"
	return t.strength(t.seat, area) - t.strength(1-t.seat, area)
}

// open says that nobody holds it, so whoever comes first does.
func (t *table) open(location string) bool {
	area := location + ".C"
	return t.strength(0, area) == 0 && t.strength(1, area) == 0
}

// behind says that the battle in progress would cost more Hits than it brings.
func (t *table) behind() bool {
	battle := t.view.GetBattle()
	base, fire := battle.GetBase(), battle.GetFire()
	if len(base) == 0 || base[0]+base[1] == 0 {
		return t.lead(battle.GetLocation()) < 0
	}
	return base[t.seat]+fire[t.seat] < base[1-t.seat]+fire[1-t.seat]
}

// greedy is the index of the best option; nothing is left to chance.
func greedy(asked *pb.Decide, seat int, _ string) int {
	t := newTable(asked.GetView().GetStalingrad(), seat)
	best, most := 0, 0
	for index, option := range asked.GetOptions() {
		value := t.score(asked.GetKind(), option.GetStalingrad())
		if index == 0 || value > most {
			best, most = index, value
		}
	}
	return best
}

// score is what an option is worth. `pass`, `end` and `stop` are worth 0.
func (t *table) score(kind string, option *pb.StalingradOption) int {
	switch option.GetVerb() {
	case "attack":
		return t.attack(option.GetLocation())
	case "participants":
		return len(option.GetForces())
	case "move", "free_move":
		return t.move(option.GetForce())
	case "to":
		return t.station(option.GetArea())
	case "buy":
		if t.hand > reserve {
			return 40
		}
		return -1
	case "play":
		return t.play(kind, option.GetCard())
	case "fire":
		if t.behind() && t.hand > reserve {
			return 10 + abs(int(option.GetFf()))
		}
		return -1
	case "discard":
		return -worth[option.GetCard()] - abs(int(option.GetFf()))
	case "search":
		return worth[option.GetCard()]
	case "target":
		return t.target(option.GetTarget())
	case "place_ration":
		return 20 - t.rations[option.GetForce()]
	case "lose_ration":
		return t.rations[option.GetForce()]
	case "destroy_own":
		return -t.weight[option.GetForce()]
	case "ignore":
		return 50
	case "ration":
		spent := int(option.GetRations())
		if t.rations[option.GetForce()]-spent >= 1 {
			return 30 + spent
		}
		return 5 + spent
	case "retreat":
		return 20
	case "destroy":
		return -t.weight[option.GetForce()]
	case "pass", "end", "stop":
		return 0
	default:
		return -1
	}
}

// attack only with half as much again as the enemy has.
func (t *table) attack(location string) int {
	own := t.strength(t.seat, location+".C")
	enemy := t.strength(1-t.seat, location+".C")
	if 2*own >= 3*enemy {
		return 10 + own - enemy
	}
	return -1
}

// move out of a Perimeter Area: to an open Location, or to contest its own that the enemy holds.
func (t *table) move(force string) int {
	location, area, _ := strings.Cut(t.area[force], ".")
	if area == "C" || t.rations[force] < 2 {
		return -1
	}
	wanted := t.control[location] == 1-t.seat
	for each := range t.control {
		wanted = wanted || t.open(each)
	}
	if wanted {
		return 30 + t.rations[force]
	}
	return -1
}

// station is open Locations first, then where the enemy has most more; a Perimeter Area if need be.
func (t *table) station(area string) int {
	location, part, _ := strings.Cut(area, ".")
	if part == "P" {
		return 0
	}
	if t.open(location) {
		return 60
	}
	return 20 - t.lead(location)
}

func (t *table) play(kind, card string) int {
	value, known := worth[card]
	switch {
	case card == "reinforcements" && t.hand > reserve:
		return 41
	case card == "reinforcements":
		return -1
	case kind == "battle" && inBattle[card] && !t.behind():
		return -1
	case known:
		return value
	default:
		return -1
	}
}

// target the weakest of the enemy's Forces, it may fall; of the own the hungriest; else no matter.
func (t *table) target(target string) int {
	weight, isForce := t.weight[target]
	if !isForce {
		return 0
	}
	if t.owner(target) == t.seat {
		return 20 - t.rations[target]
	}
	return 40 - weight
}

func abs(number int) int {
	return max(number, -number)
}
