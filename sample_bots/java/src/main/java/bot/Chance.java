package bot;

import java.nio.charset.StandardCharsets;

/** Chance of the bot's own: the same seed, match and decision give the same number everywhere. */
final class Chance {
    private Chance() {}

    /** A number from 0 to count - 1: FNV-1a (32 bits) of the three, its bits mixed once more. */
    static int pick(String seed, String match, int decision, int count) {
        String text = seed + "|" + match + "|" + Integer.toUnsignedString(decision);
        int number = 0x811C9DC5;
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            number = (number ^ Byte.toUnsignedInt(each)) * 0x01000193;
        }
        number ^= number >>> 16;
        number *= 0x85EBCA6B;
        number ^= number >>> 13;
        number *= 0xC2B2AE35;
        number ^= number >>> 16;
        return Integer.remainderUnsigned(number, count);
    }
}
