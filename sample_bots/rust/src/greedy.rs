//! Greedy at Battle for Stalingrad: gives every option a number and takes the highest.
//!
//! It looks at the position only, never ahead. The kit of every language has the same rules, and
//! takes the same options in the same match. All numbers are whole; of equal options the first is
//! taken.

use std::collections::BTreeMap;
use std::iter::zip;

use crate::pb::{self, StalingradOption, StalingradView};

/// Cards kept in hand when buying, and when a Firefight is only to be bettered.
const RESERVE: u32 = 3;

/// What a card is worth when it is played for its effect; others are kept for Firefights.
fn worth(card: &str) -> Option<i32> {
    Some(match card {
        "dive_bombers" => 25,
        "artillery_barrage" => 24,
        "supply_raid" => 23,
        "air_supply" => 22,
        "fresh_supplies" => 21,
        "desperation" => 20,
        "scouts" => 19,
        "fog_of_war" => 12,
        "propaganda_war" => 11,
        "victory" => 10,
        "recover_wounded" => 9,
        "sniper" => 8,
        "rubble" => 7,
        "reserve_forces" => 6,
        "heavy_weapons" => 5,
        "big_push" => 4,
        _ => return None,
    })
}

/// Cards for a battle that would be lost without them.
const IN_BATTLE: [&str; 3] = ["reserve_forces", "heavy_weapons", "big_push"];

/// The position as the rules below need it.
struct Table<'a> {
    view: &'a StalingradView,
    seat: usize,
    area: BTreeMap<&'a str, &'a str>,
    rations: BTreeMap<&'a str, i32>,
    weight: BTreeMap<&'a str, i32>,
    control: BTreeMap<&'a str, i32>,
    hand: u32,
}

impl<'a> Table<'a> {
    fn new(view: &'a StalingradView, seat: usize) -> Self {
        let forces = || view.forces.iter().map(String::as_str);
        let rations = || view.rations.iter().map(|&rations| rations as i32);
        let weight = zip(rations(), &view.medals)
            .map(|(rations, &medals)| 3 + rations.min(4) + 2 * medals as i32);
        Self {
            view,
            seat,
            area: zip(forces(), view.areas.iter().map(String::as_str)).collect(),
            rations: zip(forces(), rations()).collect(),
            weight: zip(forces(), weight).collect(),
            control: zip(view.locations.iter().map(String::as_str), view.control.iter().copied())
                .collect(),
            hand: view.hand_sizes.get(seat).copied().unwrap_or(0),
        }
    }

    fn owner(&self, force: &str) -> usize {
        if force.starts_with('R') { 0 } else { 1 }
    }

    /// Weight of a side's Forces in an area, such as `GUM.C`.
    fn strength(&self, seat: usize, area: &str) -> i32 {
        self.area
            .iter()
            .filter(|&(force, &place)| place == area && self.owner(force) == seat)
            .map(|(force, _)| self.weight[force])
            .sum()
    }

    /// Own strength in the Control Area less the enemy's.
    fn lead(&self, location: &str) -> i32 {
        let area = format!("{location}.C");
        self.strength(self.seat, &area) - self.strength(1 - self.seat, &area)
    }

    /// Nobody holds it, so whoever comes first does.
    fn open(&self, location: &str) -> bool {
        let area = format!("{location}.C");
        self.strength(0, &area) == 0 && self.strength(1, &area) == 0
    }

    /// The battle in progress would cost more Hits than it brings.
    fn behind(&self) -> bool {
        let Some(battle) = &self.view.battle else { return false };
        if battle.base.iter().sum::<i32>() == 0 {
            return self.lead(&battle.location) < 0;
        }
        let total: Vec<i32> =
            zip(&battle.base, &battle.fire).map(|(base, fire)| base + fire).collect();
        total[self.seat] < total[1 - self.seat]
    }
}

/// Index of the best option; nothing is left to chance.
pub fn choose(asked: &pb::Decide, seat: usize, _seed: &str) -> usize {
    let Some(pb::view::Game::Stalingrad(view)) =
        asked.view.as_ref().and_then(|view| view.game.as_ref())
    else {
        return 0;
    };
    let table = Table::new(view, seat);
    let (mut best, mut most) = (0, i32::MIN);
    for (index, option) in asked.options.iter().enumerate() {
        let Some(pb::option::Game::Stalingrad(option)) = &option.game else { continue };
        let value = score(&table, &asked.kind, option);
        if value > most {
            (best, most) = (index, value);
        }
    }
    best
}

/// What an option is worth. `pass`, `end` and `stop` are worth 0.
fn score(table: &Table, kind: &str, option: &StalingradOption) -> i32 {
    match option.verb.as_str() {
        "attack" => attack(table, &option.location),
        "participants" => option.forces.len() as i32,
        "move" | "free_move" => leave(table, &option.force),
        "to" => station(table, &option.area),
        "buy" if table.hand > RESERVE => 40,
        "play" => play(table, kind, &option.card),
        "fire" if table.behind() && table.hand > RESERVE => 10 + option.ff.abs(),
        "discard" => -worth(&option.card).unwrap_or(0) - option.ff.abs(),
        "search" => worth(&option.card).unwrap_or(0),
        "target" => target(table, &option.target),
        "place_ration" => 20 - table.rations[option.force.as_str()],
        "lose_ration" => table.rations[option.force.as_str()],
        "destroy_own" => -table.weight[option.force.as_str()],
        "ignore" => 50,
        "ration" => {
            let spent = option.rations as i32;
            let kept = table.rations[option.force.as_str()] - spent;
            if kept >= 1 { 30 + spent } else { 5 + spent }
        }
        "retreat" => 20,
        "destroy" => -table.weight[option.force.as_str()],
        "pass" | "end" | "stop" => 0,
        _ => -1,
    }
}

/// Only with half as much again as the enemy has.
fn attack(table: &Table, location: &str) -> i32 {
    let area = format!("{location}.C");
    let own = table.strength(table.seat, &area);
    let enemy = table.strength(1 - table.seat, &area);
    if 2 * own >= 3 * enemy { 10 + own - enemy } else { -1 }
}

/// Out of a Perimeter Area: to an open Location, or to contest its own that the enemy holds.
fn leave(table: &Table, force: &str) -> i32 {
    let Some((location, area)) = table.area[force].split_once('.') else { return -1 };
    if area == "C" || table.rations[force] < 2 {
        return -1;
    }
    let waits = table.control.keys().any(|each| table.open(each));
    let held = table.control[location] == 1 - table.seat as i32;
    if waits || held { 30 + table.rations[force] } else { -1 }
}

/// Open Locations first, then where the enemy has most more; a Perimeter Area if need be.
fn station(table: &Table, area: &str) -> i32 {
    match area.strip_suffix(".C") {
        None => 0,
        Some(location) if table.open(location) => 60,
        Some(location) => 20 - table.lead(location),
    }
}

fn play(table: &Table, kind: &str, card: &str) -> i32 {
    if card == "reinforcements" {
        return if table.hand > RESERVE { 41 } else { -1 };
    }
    if kind == "battle" && IN_BATTLE.contains(&card) && !table.behind() {
        return -1;
    }
    worth(card).unwrap_or(-1)
}

/// The weakest of the enemy's Forces, it may fall; of the own the hungriest; else no matter.
fn target(table: &Table, target: &str) -> i32 {
    let Some(weight) = table.weight.get(target) else { return 0 };
    if table.owner(target) == table.seat { 20 - table.rations[target] } else { 40 - weight }
}
