// Greedy at Battle for Stalingrad: gives every option a number and takes the highest.
//
// It looks at the position only, never ahead. The kit of every language has the same rules, and
// takes the same options in the same match. All numbers are whole; of equal options the first is
// taken.
#pragma once

#include <cstdint>
#include <string>

#include "warladder/v1/referee.pb.h"

namespace greedy {

// Index of the best option; nothing is left to chance.
std::uint32_t choose(const warladder::v1::Decide& asked, unsigned seat, const std::string& seed);

}  // namespace greedy
