/** Chance of the bot's own: the same seed, match and decision give the same number everywhere. */

/** A number from 0 to `count` - 1: FNV-1a (32 bits) of the three, its bits mixed once more. */
export function pick(seed: string, match: string, decision: number, count: number): number {
  let number = 0x811c9dc5;
  for (const byte of Buffer.from(`${seed}|${match}|${decision}`)) {
    number = Math.imul(number ^ byte, 0x01000193);
  }
  number ^= number >>> 16;
  number = Math.imul(number, 0x85ebca6b);
  number ^= number >>> 13;
  number = Math.imul(number, 0xc2b2ae35);
  number ^= number >>> 16;
  return (number >>> 0) % count;
}
