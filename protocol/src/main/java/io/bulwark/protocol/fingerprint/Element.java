package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.erasure.GaloisField;
import io.bulwark.protocol.wire.Bytes;

/**
 * An element of E = GF(2^8)[x] / p(x) with p(x) = x^16 + x^5 + x^2 + 2, irreducible over GF(2^8) with the polynomial 0x11D.
 * The coefficient of x^j is byte j, counted from the least significant one, of {@code low} (j < 8) or byte j - 8 of
 * {@code high}.
 */
record Element(long low, long high) {
    static final int BYTES = 16;
    static final Element ZERO = new Element(0, 0);

    private static final long EVERY_BYTE = 0x0101_0101_0101_0101L;

    /** The element whose coefficient of x^j is byte j of the sixteen. */
    static Element of(Bytes bytes) {
        if (bytes.length() != BYTES) {
            throw new IllegalArgumentException("an element of " + bytes.length() + " bytes");
        }
        long low = 0;
        long high = 0;
        for (int j = 7; j >= 0; j--) {
            low = (low << 8) | (bytes.get(j) & 0xFF);
            high = (high << 8) | (bytes.get(j + 8) & 0xFF);
        }
        return new Element(low, high);
    }

    Bytes toBytes() {
        byte[] bytes = new byte[BYTES];
        for (int j = 0; j < BYTES; j++) {
            bytes[j] = coefficient(j);
        }
        return Bytes.of(bytes);
    }

    byte coefficient(int j) {
        return (byte) ((j < 8 ? low : high) >>> (8 * (j & 7)));
    }

    Element plus(Element other) {
        return new Element(low ^ other.low, high ^ other.high);
    }

    /** This times x: every coefficient moves up by one, and x^16 = x^5 + x^2 + 2. */
    Element timesX() {
        long top = high >>> 56;
        return new Element((low << 8) ^ doubled(top) ^ (top << 16) ^ (top << 40), (high << 8) | (low >>> 56));
    }

    /** This times the constant 2 of GF(2^8). */
    Element doubled() {
        return new Element(doubled(low), doubled(high));
    }

    /** This times a constant of GF(2^8), given by its low eight bits. */
    Element scaled(int constant) {
        Element sum = ZERO;
        Element power = this;
        for (int bit = 0; bit < 8; bit++) {
            long mask = -((constant >>> bit) & 1L);
            sum = new Element(sum.low ^ (power.low & mask), sum.high ^ (power.high & mask));
            power = power.doubled();
        }
        return sum;
    }

    Element times(Element other) {
        Element sum = ZERO;
        Element shifted = this;
        for (int j = 0; j < BYTES; j++) {
            sum = sum.plus(shifted.scaled(other.coefficient(j)));
            shifted = shifted.timesX();
        }
        return sum;
    }

    /** This to the power 2^exponent. */
    Element squared(int exponent) {
        Element power = this;
        for (int i = 0; i < exponent; i++) {
            power = power.squared();
        }
        return power;
    }

    /** In characteristic 2 the square of a sum is the sum of the squares: of {@code c x^j}, {@code c^2 x^2j}. */
    private Element squared() {
        Element sum = ZERO;
        for (int j = BYTES - 1; j >= 0; j--) {
            byte c = coefficient(j);
            sum = sum.timesX().timesX().plus(new Element(GaloisField.multiply(c, c) & 0xFF, 0));
        }
        return sum;
    }

    /** Eight bytes at once, each times 2: x^8 = x^4 + x^3 + x^2 + 1 in the code's field. */
    static long doubled(long bytes) {
        return ((bytes & 0x7F7F_7F7F_7F7F_7F7FL) << 1) ^ (((bytes >>> 7) & EVERY_BYTE) * 0x1D);
    }
}
