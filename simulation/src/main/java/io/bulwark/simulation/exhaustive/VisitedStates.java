package io.bulwark.simulation.exhaustive;

/** The numbers of states by 128 bits of hash each, open addressing: 20 bytes for each place. */
final class VisitedStates {
    private long[] high = new long[1 << 12];
    private long[] low = new long[1 << 12];
    private int[] numbers = new int[1 << 12];
    private int size;

    /** The number that it has; if it was not there, that is the one given. */
    int add(int[] state, int number) {
        long a = 0x9e3779b97f4a7c15L;
        long b = 0xc2b2ae3d27d4eb4fL;
        for (int word : state) {
            a = mix(a ^ word);
            b = mix(b + word * 0xff51afd7ed558ccdL);
        }
        // Zero is an empty place.
        a |= 1;
        if (size * 4L > high.length * 3L) {
            grow();
        }
        int has = put(a, b, number);
        size += has == number ? 1 : 0;
        return has;
    }

    private static long mix(long word) {
        long mixed = (word ^ (word >>> 32)) * 0xd6e8feb86659fd93L;
        mixed = (mixed ^ (mixed >>> 29)) * 0xbf58476d1ce4e5b9L;
        return mixed ^ (mixed >>> 32);
    }

    private int put(long a, long b, int number) {
        int at = (int) (b >>> 1) & (high.length - 1);
        while (high[at] != 0) {
            if (high[at] == a && low[at] == b) {
                return numbers[at];
            }
            at = (at + 1) & (high.length - 1);
        }
        high[at] = a;
        low[at] = b;
        numbers[at] = number;
        return number;
    }

    private void grow() {
        long[] oldHigh = high;
        long[] oldLow = low;
        int[] oldNumbers = numbers;
        high = new long[oldHigh.length * 2];
        low = new long[oldLow.length * 2];
        numbers = new int[oldNumbers.length * 2];
        for (int i = 0; i < oldHigh.length; i++) {
            if (oldHigh[i] != 0) {
                put(oldHigh[i], oldLow[i], oldNumbers[i]);
            }
        }
    }
}
