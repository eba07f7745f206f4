"""Chance of the bot's own: the same seed, match and decision give the same number everywhere."""


def pick(seed: str, match: str, decision: int, count: int) -> int:
    """A number from 0 to `count` - 1: FNV-1a (32 bits) of the three, its bits mixed once more."""
    number = 0x811C9DC5
    for byte in f"{seed}|{match}|{decision}".encode():
        number = (number ^ byte) * 0x01000193 & 0xFFFFFFFF
    number ^= number >> 16
    number = number * 0x85EBCA6B & 0xFFFFFFFF
    number ^= number >> 13
    number = number * 0xC2B2AE35 & 0xFFFFFFFF
    number ^= number >> 16
    return number % count
