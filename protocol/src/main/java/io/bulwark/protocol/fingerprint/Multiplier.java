package io.bulwark.protocol.fingerprint;

/**
 * Multiplies elements of E by one constant: for each of the 32 nibbles of an element a table of its sixteen products.
 */
final class Multiplier {
    private final long[] low = new long[32 * 16];
    private final long[] high = new long[32 * 16];

    Multiplier(Element constant) {
        Element column = constant;
        for (int j = 0; j < Element.BYTES; j++) {
            Element power = column;
            for (int bit = 0; bit < 8; bit++) {
                int table = (2 * j + bit / 4) * 16;
                int top = 1 << (bit % 4);
                for (int rest = 0; rest < top; rest++) {
                    low[table + top + rest] = low[table + rest] ^ power.low();
                    high[table + top + rest] = high[table + rest] ^ power.high();
                }
                power = power.doubled();
            }
            column = column.timesX();
        }
    }

    Element times(Element element) {
        long sumLow = 0;
        long sumHigh = 0;
        for (int nibble = 0; nibble < 16; nibble++) {
            int first = nibble * 16 + ((int) (element.low() >>> (4 * nibble)) & 15);
            int second = (nibble + 16) * 16 + ((int) (element.high() >>> (4 * nibble)) & 15);
            sumLow ^= low[first] ^ low[second];
            sumHigh ^= high[first] ^ high[second];
        }
        return new Element(sumLow, sumHigh);
    }
}
