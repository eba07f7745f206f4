#include "greedy.h"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <map>
#include <string_view>

namespace greedy {
namespace {

namespace pb = warladder::v1;
using std::string_view;

// Cards kept in hand when buying, and when a Firefight is only to be bettered.
constexpr unsigned kReserve = 3;

// What a card is worth when it is played for its effect; others are kept for Firefights.
const std::map<string_view, int> kWorth = {
    {"dive_bombers", 25},   {"artillery_barrage", 24}, {"supply_raid", 23},    {"air_supply", 22},
    {"fresh_supplies", 21}, {"desperation", 20},       {"scouts", 19},         {"fog_of_war", 12},
    {"propaganda_war", 11}, {"victory", 10},           {"recover_wounded", 9}, {"sniper", 8},
    {"rubble", 7},          {"reserve_forces", 6},     {"heavy_weapons", 5},   {"big_push", 4},
};

// Cards for a battle that would be lost without them.
constexpr string_view kInBattle[] = {"reserve_forces", "heavy_weapons", "big_push"};

int worth(string_view card, int otherwise) {
    const auto found = kWorth.find(card);
    return found == kWorth.end() ? otherwise : found->second;
}

std::string control_area(string_view location) { return std::string(location) + ".C"; }

// The position as the rules below need it.
struct Table {
    const pb::StalingradView& view;
    const int seat;
    std::map<string_view, string_view> area;
    std::map<string_view, int> rations;
    std::map<string_view, int> weight;
    std::map<string_view, int> control;
    unsigned hand = 0;

    Table(const pb::StalingradView& view, int seat) : view(view), seat(seat) {
        for (int i = 0; i < view.forces_size(); ++i) {
            const int force_rations = static_cast<int>(view.rations(i));
            const int medals = static_cast<int>(view.medals(i));
            area[view.forces(i)] = view.areas(i);
            rations[view.forces(i)] = force_rations;
            weight[view.forces(i)] = 3 + std::min(force_rations, 4) + 2 * medals;
        }
        for (int i = 0; i < view.locations_size(); ++i) {
            control[view.locations(i)] = view.control(i);
        }
        if (seat < view.hand_sizes_size()) {
            hand = view.hand_sizes(seat);
        }
    }

    static int owner(string_view force) { return force.front() == 'R' ? 0 : 1; }

    // Weight of a side's Forces in an area, such as `GUM.C`.
    int strength(int side, string_view place) const {
        int sum = 0;
        for (const auto& [force, where] : area) {
            if (where == place && owner(force) == side) {
                sum += weight.at(force);
            }
        }
        return sum;
    }

    // Own strength in the Control Area less the enemy's.
    int lead(string_view location) const {
        const std::string place = control_area(location);
        return strength(seat, place) - strength(1 - seat, place);
    }

    // Nobody holds it, so whoever comes first does.
    bool open(string_view location) const {
        const std::string place = control_area(location);
        return strength(0, place) == 0 && strength(1, place) == 0;
    }

    // The battle in progress would cost more Hits than it brings.
    bool behind() const {
        const pb::StalingradBattle& battle = view.battle();
        if (battle.base_size() < 2 || battle.base(0) + battle.base(1) == 0) {
            return lead(battle.location()) < 0;
        }
        const auto total = [&](int side) { return battle.base(side) + battle.fire(side); };
        return total(seat) < total(1 - seat);
    }
};

int score(const Table& table, string_view kind, const pb::StalingradOption& option);
int attack(const Table& table, string_view location);
int move(const Table& table, string_view force);
int station(const Table& table, string_view area);
int play(const Table& table, string_view kind, string_view card);
int target(const Table& table, string_view target);

}  // namespace

std::uint32_t choose(const pb::Decide& asked, unsigned seat, const std::string&) {
    const Table table(asked.view().stalingrad(), static_cast<int>(seat));
    int best = 0;
    int most = std::numeric_limits<int>::min();
    for (int index = 0; index < asked.options_size(); ++index) {
        const int value = score(table, asked.kind(), asked.options(index).stalingrad());
        if (value > most) {
            best = index;
            most = value;
        }
    }
    return static_cast<std::uint32_t>(best);
}

namespace {

// What an option is worth. `pass`, `end` and `stop` are worth 0.
int score(const Table& table, string_view kind, const pb::StalingradOption& option) {
    const string_view verb = option.verb();
    if (verb == "attack") {
        return attack(table, option.location());
    }
    if (verb == "participants") {
        return option.forces_size();
    }
    if (verb == "move" || verb == "free_move") {
        return move(table, option.force());
    }
    if (verb == "to") {
        return station(table, option.area());
    }
    if (verb == "buy") {
        return table.hand > kReserve ? 40 : -1;
    }
    if (verb == "play") {
        return play(table, kind, option.card());
    }
    if (verb == "fire") {
        return table.behind() && table.hand > kReserve ? 10 + std::abs(option.ff()) : -1;
    }
    if (verb == "discard") {
        return -worth(option.card(), 0) - std::abs(option.ff());
    }
    if (verb == "search") {
        return worth(option.card(), 0);
    }
    if (verb == "target") {
        return target(table, option.target());
    }
    if (verb == "place_ration") {
        return 20 - table.rations.at(option.force());
    }
    if (verb == "lose_ration") {
        return table.rations.at(option.force());
    }
    if (verb == "destroy_own") {
        return -table.weight.at(option.force());
    }
    if (verb == "ignore") {
        return 50;
    }
    if (verb == "ration") {
        const int spent = static_cast<int>(option.rations());
        const int kept = table.rations.at(option.force()) - spent;
        return kept >= 1 ? 30 + spent : 5 + spent;
    }
    if (verb == "retreat") {
        return 20;
    }
    if (verb == "destroy") {
        return -table.weight.at(option.force());
    }
    return verb == "pass" || verb == "end" || verb == "stop" ? 0 : -1;
}

// Only with half as much again as the enemy has.
int attack(const Table& table, string_view location) {
    const int own = table.strength(table.seat, control_area(location));
    const int enemy = table.strength(1 - table.seat, control_area(location));
    return 2 * own >= 3 * enemy ? 10 + own - enemy : -1;
}

// Out of a Perimeter Area: to an open Location, or to contest its own that the enemy holds.
int move(const Table& table, string_view force) {
    const string_view place = table.area.at(force);
    const string_view location = place.substr(0, place.find('.'));
    const int rations = table.rations.at(force);
    if (place == control_area(location) || rations < 2) {
        return -1;
    }
    const bool waits = std::any_of(table.control.begin(), table.control.end(),
                                   [&](const auto& each) { return table.open(each.first); });
    const bool held = table.control.at(location) == 1 - table.seat;
    return waits || held ? 30 + rations : -1;
}

// Open Locations first, then where the enemy has most more; a Perimeter Area if need be.
int station(const Table& table, string_view area) {
    const string_view location = area.substr(0, area.find('.'));
    if (area != control_area(location)) {
        return 0;
    }
    return table.open(location) ? 60 : 20 - table.lead(location);
}

int play(const Table& table, string_view kind, string_view card) {
    if (card == "reinforcements") {
        return table.hand > kReserve ? 41 : -1;
    }
    const bool in_battle =
        std::find(std::begin(kInBattle), std::end(kInBattle), card) != std::end(kInBattle);
    if (kind == "battle" && in_battle) {
        return table.behind() ? worth(card, -1) : -1;
    }
    return worth(card, -1);
}

// The weakest of the enemy's Forces, it may fall; of the own the hungriest; else no matter.
int target(const Table& table, string_view target) {
    const auto found = table.weight.find(target);
    if (found == table.weight.end()) {
        return 0;
    }
    return Table::owner(target) == table.seat ? 20 - table.rations.at(target) : 40 - found->second;
}

}  // namespace
}  // namespace greedy
