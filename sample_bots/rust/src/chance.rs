//! Chance of the bot's own: the same seed, match and decision give the same number everywhere.

/// A number from 0 to `count` - 1: FNV-1a (32 bits) of the three, its bits mixed once more.
pub fn pick(seed: &str, r#match: &str, decision: u32, count: usize) -> usize {
    let mut number: u32 = 0x811C_9DC5;
    for byte in format!("{seed}|{match}|{decision}", match = r#match).bytes() {
        number = (number ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    number ^= number >> 16;
    number = number.wrapping_mul(0x85EB_CA6B);
    number ^= number >> 13;
    number = number.wrapping_mul(0xC2B2_AE35);
    number ^= number >> 16;
    number as usize % count
}
