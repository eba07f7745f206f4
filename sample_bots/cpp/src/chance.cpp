#include "chance.h"

namespace chance {

std::uint32_t pick(const std::string& seed, const std::string& match, std::uint32_t decision,
                   std::uint32_t count) {
    std::uint32_t number = 0x811C9DC5;
    for (const unsigned char byte : seed + "|" + match + "|" + std::to_string(decision)) {
        number = (number ^ byte) * 0x01000193;
    }
    number ^= number >> 16;
    number *= 0x85EBCA6B;
    number ^= number >> 13;
    number *= 0xC2B2AE35;
    number ^= number >> 16;
    return number % count;
}

}  // namespace chance
