package io.bulwark.protocol.erasure;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Multiplication in GF(2^8) of every lane of a byte vector by a constant, with two shuffles: the product of a byte is the sum
 * of the products of its low and its high bits, each looked up in a vector. A vector of 2^k lanes takes the low k bits and
 * the high 8 - k, as a lookup wraps its index at the number of lanes and so needs no mask.
 *
 * <p>Linked only where {@link VectorUnit#isPresent()}; throws at class initialization if the machine's vectors are shorter
 * than 16 bytes.
 */
public final class VectorTables {
    public static final VectorSpecies<Byte> SPECIES = species();

    /** Lanes of a vector. */
    public static final int LANES = SPECIES.length();

    private static final int LOW_BITS = Integer.numberOfTrailingZeros(LANES);
    private static final byte HIGH_MASK = (byte) (0xFF >>> LOW_BITS);
    private static final byte[] LOW = new byte[256 * LANES];
    private static final byte[] HIGH = new byte[256 * LANES];

    static {
        for (int constant = 0; constant < 256; constant++) {
            byte[] products = GaloisField.products(constant);
            for (int lane = 0; lane < LANES; lane++) {
                LOW[constant * LANES + lane] = products[lane];
                HIGH[constant * LANES + lane] = products[(lane << LOW_BITS) & 0xFF];
            }
        }
    }

    private VectorTables() {}

    private static VectorSpecies<Byte> species() {
        int bits = ByteVector.SPECIES_PREFERRED.vectorBitSize();
        if (bits < 128) {
            throw new UnsupportedOperationException("byte vectors of " + bits + " bits");
        }
        return bits >= 512 ? ByteVector.SPECIES_512 : bits >= 256 ? ByteVector.SPECIES_256 : ByteVector.SPECIES_128;
    }

    /** Returns the table in which {@link #product} looks up a byte's low bits. */
    public static ByteVector low(int constant) {
        return ByteVector.fromArray(SPECIES, LOW, (constant & 0xFF) * LANES);
    }

    /** Returns the table in which {@link #product} looks up a byte's high bits. */
    public static ByteVector high(int constant) {
        return ByteVector.fromArray(SPECIES, HIGH, (constant & 0xFF) * LANES);
    }

    /**
     * Returns the high bits of every byte, moved down. It shifts words and masks the neighbours' bits: vector units
     * shift no bytes, and the compiler's replacement takes ten instructions.
     */
    public static ByteVector highBits(ByteVector bytes) {
        return bytes.reinterpretAsInts()
                .lanewise(VectorOperators.LSHR, LOW_BITS)
                .reinterpretAsBytes()
                .lanewise(VectorOperators.AND, HIGH_MASK);
    }

    /** Every byte times the constant whose tables are given. */
    public static ByteVector product(ByteVector bytes, ByteVector highBits, ByteVector low, ByteVector high) {
        return bytes.selectFrom(low).lanewise(VectorOperators.XOR, highBits.selectFrom(high));
    }
}
