// Chance of the bot's own: the same seed, match and decision give the same number everywhere.
#pragma once

#include <cstdint>
#include <string>

namespace chance {

// A number from 0 to `count` - 1: FNV-1a (32 bits) of the three, its bits mixed once more.
std::uint32_t pick(const std::string& seed, const std::string& match, std::uint32_t decision,
                   std::uint32_t count);

}  // namespace chance
