package io.bulwark.protocol.fingerprint;

/**
 * Multiplies elements of E by one constant: for each of the 32 nibbles of an element a table of its sixteen products, each of
 * two words, the low one first. For use by one thread at a time.
 */
final class Multiplier {
    private static final int TABLE = 16 * 2;

    private final long[] tables = new long[32 * TABLE];

    Multiplier(Element constant) {
        setConstant(constant);
    }

    /** Multiplies by another constant from now on. */
    void setConstant(Element constant) {
        Element column = constant;
        for (int j = 0; j < Element.BYTES; j++) {
            long low = column.low();
            long high = column.high();
            for (int bit = 0; bit < 8; bit++) {
                int table = (2 * j + bit / 4) * TABLE;
                int top = table + (2 << (bit % 4));
                for (int known = table; known < top; known += 2) {
                    tables[top + known - table] = tables[known] ^ low;
                    tables[top + known - table + 1] = tables[known + 1] ^ high;
                }
                low = Element.doubled(low);
                high = Element.doubled(high);
            }
            column = column.timesX();
        }
    }

    Element times(Element element) {
        long[] products = tables;
        long nibblesLow = element.low();
        long nibblesHigh = element.high();
        long sumLow = 0;
        long sumHigh = 0;
        for (int table = 0; table < 16 * TABLE; table += TABLE) {
            int first = table + ((int) (nibblesLow << 1) & (TABLE - 2));
            int second = table + 16 * TABLE + ((int) (nibblesHigh << 1) & (TABLE - 2));
            sumLow ^= products[first] ^ products[second];
            sumHigh ^= products[first + 1] ^ products[second + 1];
            nibblesLow >>>= 4;
            nibblesHigh >>>= 4;
        }
        return new Element(sumLow, sumHigh);
    }
}
