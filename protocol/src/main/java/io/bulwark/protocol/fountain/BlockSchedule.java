package io.bulwark.protocol.fountain;

/**
 * The symbols of each slot, for segments of which m of n slots are to suffice (e-SAFE 4, coalescing). Slot i holds the symbols from {@code i *
 * symbolsPerSlot} on. There are at least 256 source symbols, and m slots hold {@link #OVERHEAD} symbols more than there are source
 * symbols. So a set of m slots fails to decode with a probability below 2^-48, and m + 1 slots do not fail in practice.
 *
 * @param n slots
 * @param symbolsPerSlot the same for all slots
 * @param sourceSymbols k of the code
 */
public record BlockSchedule(int n, int symbolsPerSlot, int sourceSymbols) {
    /** Symbols that m slots hold beyond k. */
    public static final int OVERHEAD = 6;

    private static final int SOURCE_SYMBOLS = 256;

    /**
     * The schedule for m of n slots; nothing else has an influence on it.
     *
     * @throws IllegalArgumentException unless 1 <= m <= n <= 255
     */
    public static BlockSchedule of(int m, int n) {
        if (m < 1 || n < m || n > 255) {
            throw new IllegalArgumentException("no schedule for " + m + " of " + n + " slots");
        }
        int symbolsPerSlot = Math.ceilDiv(SOURCE_SYMBOLS + OVERHEAD, m);
        return new BlockSchedule(n, symbolsPerSlot, m * symbolsPerSlot - OVERHEAD);
    }

    public FountainCode code() {
        return FountainCode.of(sourceSymbols);
    }

    /** N: the number of symbols of all slots. */
    public int symbols() {
        return n * symbolsPerSlot;
    }

    /** The bytes of each symbol of a segment. */
    public int symbolBytes(int segmentBytes) {
        return Math.ceilDiv(segmentBytes, sourceSymbols);
    }
}
