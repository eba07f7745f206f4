package main

import (
	"fmt"
	"hash/fnv"
)

// pick is chance of the bot's own, a number from 0 to count - 1: the same seed, match and decision
// give the same number everywhere. FNV-1a (32 bits) of the three, its bits mixed once more.
func pick(seed, match string, decision uint32, count int) int {
	hash := fnv.New32a()
	fmt.Fprintf(hash, "%s|%s|%d", seed, match, decision)
	number := hash.Sum32()
	number ^= number >> 16
	number *= 0x85EBCA6B
	number ^= number >> 13
	number *= 0xC2B2AE35
	number ^= number >> 16
	return int(number % uint32(count))
}
