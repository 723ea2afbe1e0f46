package io.bulwark.protocol.erasure;

import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A systematic linear m-of-n erasure code (thesis, definitions 2.1.9 and 2.1.10): Reed-Solomon over GF(2^8), polynomial
 * 0x11D, with the generator matrix of Backblaze JavaReedSolomon. Fragments 0 to m-1 are the block itself in m contiguous
 * stripes, zero-padded at its end.
 *
 * <p>Immutable and safe for use by many threads.
 */
public final class ErasureCode {
    /** Most fragments of one code: the rows of the Vandermonde matrix are powers of distinct bytes. */
    public static final int MAX_FRAGMENTS = 255;

    /**
     * Below this many bytes per fragment the portable loop serves: what vectors save there is little beside the hashes, and
     * until the compiler has seen them often they are a hundred times slower.
     */
    private static final int VECTOR_THRESHOLD = 4096;

    /** Bytes of each fragment that are encoded before the next ones; they fit into the L2 cache. */
    private static final int PIECE = 32 << 10;

    private static final CodingLoop FASTEST = fastest();
    private static final ConcurrentHashMap<Integer, ErasureCode> CODES = new ConcurrentHashMap<>();

    private final int m;
    private final int n;
    private final byte[][] generator;
    private final CodingLoop loop;

    private ErasureCode(int m, int n, byte[][] generator, CodingLoop loop) {
        this.m = m;
        this.n = n;
        this.generator = generator;
        this.loop = loop;
    }

    /**
     * The m-of-n code on the fastest loop of this virtual machine.
     *
     * @throws IllegalArgumentException unless 1 <= m <= n <= 255
     */
    public static ErasureCode of(int m, int n) {
        if (m < 1 || n < m || n > MAX_FRAGMENTS) {
            throw new IllegalArgumentException("no erasure code with m = " + m + ", n = " + n);
        }
        return CODES.computeIfAbsent(
                (m << 8) | n, ignored -> new ErasureCode(m, n, GaloisField.generator(m, n), FASTEST));
    }

    /** The same code on another loop. */
    ErasureCode on(CodingLoop other) {
        return new ErasureCode(m, n, generator, other);
    }

    private static CodingLoop fastest() {
        if (VectorUnit.isPresent()) {
            try {
                CodingLoop vector = Class.forName("io.bulwark.protocol.erasure.VectorCodingLoop")
                        .asSubclass(CodingLoop.class)
                        .getDeclaredConstructor()
                        .newInstance();
                return (rows, inputs, outputs, positions, length) -> {
                    CodingLoop loop = length < VECTOR_THRESHOLD ? GaloisField::code : vector;
                    loop.code(rows, inputs, outputs, positions, length);
                };
            } catch (ReflectiveOperationException | LinkageError e) {
                return GaloisField::code; // no vectors of a useful width on this machine
            }
        }
        return GaloisField::code;
    }

    /** m: how many fragments make the block. */
    public int dataFragments() {
        return m;
    }

    /** n: how many fragments there are. */
    public int fragments() {
        return n;
    }

    /** The bytes of each fragment of a block: blockLength / m, rounded up. */
    public static int fragmentLength(int blockLength, int m) {
        return Math.ceilDiv(blockLength, m);
    }

    /** The first {@code count} fragments; the data fragments share the block's array where they need no padding. */
    public List<Bytes> encode(Bytes block, int count) {
        if (count < 0 || count > n) {
            throw new IllegalArgumentException(count + " fragments of " + n);
        }
        List<Bytes> data = stripes(block, Math.min(count, m));
        List<Bytes> fragments = new ArrayList<>(data);
        if (count > m) {
            fragments.addAll(multiply(Arrays.copyOfRange(generator, m, count), data));
        }
        return List.copyOf(fragments);
    }

    /** Receives a piece of a fragment. */
    @FunctionalInterface
    public interface PieceConsumer {
        /**
         * Called for the pieces of each fragment in their order.
         *
         * @param position position of the fragment's index among those asked for
         * @param piece array that is overwritten afterwards
         * @param length of the piece, from the array's beginning
         */
        void accept(int position, byte[] piece, int length);
    }

    /**
     * Encodes fragments piece by piece, for a user that does not keep them.
     *
     * @param block padded to m fragments
     * @param indexes of the fragments
     */
    public void encodePieces(Bytes block, int[] indexes, PieceConsumer consumer) {
        int length = fragmentLength(block.length(), m);
        List<Bytes> data = stripes(block, m);
        byte[][] rows = new byte[indexes.length][];
        for (int i = 0; i < indexes.length; i++) {
            checkIndex(indexes[i]);
            rows[i] = generator[indexes[i]];
        }
        byte[][] pieces = new byte[indexes.length][Math.min(PIECE, length)];
        int[] positions = new int[indexes.length];
        for (int from = 0; from < length && indexes.length > 0; from += PIECE) {
            int count = Math.min(PIECE, length - from);
            int at = from;
            loop.code(rows, data.stream().map(stripe -> stripe.slice(at, count)).toList(), pieces, positions, count);
            for (int i = 0; i < indexes.length; i++) {
                consumer.accept(i, pieces[i], count);
            }
        }
    }

    /** Fragment {@code index} alone. */
    public Bytes encodeFragment(Bytes block, int index) {
        checkIndex(index);
        if (index < m) {
            return stripe(block, index, fragmentLength(block.length(), m));
        }
        return combine(index, stripes(block, m));
    }

    /**
     * The linear combination that makes fragment {@code index} out of the first m, applied to any m byte strings of one
     * length: to stripes, or to their fingerprints (theorem 2.1.11).
     */
    public Bytes combine(int index, List<Bytes> firstM) {
        checkIndex(index);
        commonLength(firstM);
        return index < m
                ? firstM.get(index)
                : multiply(new byte[][] {generator[index]}, firstM).getFirst();
    }

    /**
     * The padded block of m * L bytes from m fragments of L bytes with distinct indexes, in any order.
     *
     * @throws IllegalArgumentException if there are not exactly m, an index repeats or is out of range, or lengths differ
     */
    public Bytes decode(int[] indexes, List<Bytes> fragments) {
        int length = commonLength(fragments);
        if (indexes.length != m) {
            throw new IllegalArgumentException(indexes.length + " indexes where m = " + m);
        }
        boolean[] present = new boolean[n];
        for (int index : indexes) {
            checkIndex(index);
            if (present[index]) {
                throw new IllegalArgumentException("fragment " + index + " given twice");
            }
            present[index] = true;
        }
        byte[] block = new byte[Math.multiplyExact(m, length)];
        int missing = 0;
        for (int i = 0; i < m; i++) {
            if (indexes[i] < m) {
                fragments.get(i).copyTo(0, block, indexes[i] * length, length);
            } else {
                missing++;
            }
        }
        if (missing > 0 && length > 0) {
            reconstruct(indexes, fragments, present, missing, block, length);
        }
        return Bytes.of(block);
    }

    private void reconstruct(
            int[] indexes, List<Bytes> fragments, boolean[] present, int missing, byte[] block, int length) {
        byte[][] used = new byte[m][];
        for (int i = 0; i < m; i++) {
            used[i] = generator[indexes[i]];
        }
        byte[][] inverse = GaloisField.inverse(used);
        byte[][] rows = new byte[missing][];
        byte[][] outputs = new byte[missing][];
        int[] positions = new int[missing];
        int next = 0;
        for (int i = 0; i < m; i++) {
            if (!present[i]) {
                rows[next] = inverse[i];
                outputs[next] = block;
                positions[next++] = i * length;
            }
        }
        loop.code(rows, fragments, outputs, positions, length);
    }

    private List<Bytes> multiply(byte[][] rows, List<Bytes> inputs) {
        int length = inputs.getFirst().length();
        byte[][] outputs = new byte[rows.length][length];
        if (length > 0) {
            loop.code(rows, inputs, outputs, new int[rows.length], length);
        }
        return Arrays.stream(outputs).map(Bytes::of).toList();
    }

    private List<Bytes> stripes(Bytes block, int count) {
        int length = fragmentLength(block.length(), m);
        List<Bytes> stripes = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            stripes.add(stripe(block, i, length));
        }
        return stripes;
    }

    private static Bytes stripe(Bytes block, int index, int length) {
        int from = (int) Math.min((long) index * length, block.length());
        int count = Math.min(length, block.length() - from);
        if (count == length) {
            return block.slice(from, length);
        }
        byte[] padded = new byte[length];
        block.copyTo(from, padded, 0, count);
        return Bytes.of(padded);
    }

    private int commonLength(List<Bytes> fragments) {
        if (fragments.size() != m) {
            throw new IllegalArgumentException(fragments.size() + " fragments where m = " + m);
        }
        int length = fragments.getFirst().length();
        for (Bytes fragment : fragments) {
            if (fragment.length() != length) {
                throw new IllegalArgumentException("fragments of " + length + " and " + fragment.length() + " bytes");
            }
        }
        return length;
    }

    private void checkIndex(int index) {
        if (index < 0 || index >= n) {
            throw new IllegalArgumentException("fragment " + index + " of " + n);
        }
    }

    @Override
    public String toString() {
        return m + "-of-" + n;
    }
}
