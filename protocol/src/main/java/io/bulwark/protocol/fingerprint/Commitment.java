package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.fountain.BlockSchedule;
import io.bulwark.protocol.fountain.FountainCode;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Commitment to a segment of the archive class: the Merkle root over the blocks of all slots (e-SAFE 4.2), the segment's own hash, and the
 * fingerprints of the k source symbols. A fragment is the block of a slot, which has the symbols that the {@link BlockSchedule} gives
 * it, and behind it its Merkle path.
 *
 * <p>The evaluation point r is the hash of m, n, the fragment length, the root and the segment's hash. So blocks and segment are fixed
 * before r is known: any of N symbols that is not the encoding of the segment, though its fingerprint says so, is there with a probability of at most
 * epsilon for each r that is tried (theorem 2.1.4). Mixtures of several segments are not ruled out by counting sets, but by the
 * segment's hash: who decodes anything else refuses it.
 *
 * <p>Canonical encoding: u32 fragment length, u8 0, u8 0, u8 m, u8 n, root, hash of the segment, k fingerprints. Immutable and
 * thread-safe.
 */
public final class Commitment extends Checksum {
    /** Bytes of an encoding before the root. */
    public static final int HEAD_BYTES = 8;

    private final int m;
    private final BlockSchedule schedule;

    // Computed at first use; a race computes the same immutable values twice.
    private @Nullable Bytes point;

    private Commitment(Bytes encoded, int length, int m, BlockSchedule schedule) {
        super(encoded, length);
        this.m = m;
        this.schedule = schedule;
    }

    /**
     * A segment as its writer sends it.
     *
     * @param fragments those of all slots
     */
    public record Encoded(Commitment commitment, List<Bytes> fragments) {
        public Encoded {
            fragments = List.copyOf(fragments);
        }
    }

    /**
     * Encodes a segment, and commits to it.
     *
     * @param segment padded to a multiple of k bytes
     * @throws IllegalArgumentException unless 1 <= m <= n <= 255, and for another length
     */
    public static Encoded encode(int m, int n, Bytes segment) {
        BlockSchedule schedule = BlockSchedule.of(m, n);
        byte[][] fragments = blocks(schedule, segment);
        return commit(m, schedule, fragments, addPaths(schedule, fragments), segment, segment);
    }

    /**
     * Commits to blocks that may be no encoding of the segment, or have fingerprints of another one: what a faulty writer may do.
     *
     * @param fragments whose blocks it commits to, and whose paths are made anew
     */
    public static Encoded of(int m, List<Bytes> fragments, Bytes segment, Bytes printed) {
        BlockSchedule schedule = BlockSchedule.of(m, fragments.size());
        byte[][] arrays = fragments.stream().map(Bytes::toByteArray).toArray(byte[][]::new);
        return commit(m, schedule, arrays, addPaths(schedule, arrays), segment, printed);
    }

    private static Encoded commit(
            int m, BlockSchedule schedule, byte[][] fragments, Bytes root, Bytes segment, Bytes printed) {
        int length = fragments[0].length;
        Bytes hash = Hashes.sha256(segment);
        Bytes point = point(m, schedule.n(), length, root, hash);
        Fingerprint function = Fingerprint.ofThread(point);
        int symbolBytes = printed.length() / schedule.sourceSymbols();
        WireWriter out = header(length, m, schedule).raw(root).raw(hash);
        for (int i = 0; i < schedule.sourceSymbols(); i++) {
            out.raw(function.of(printed.slice(i * symbolBytes, symbolBytes)));
        }
        Commitment commitment = new Commitment(out.toBytes(), length, m, schedule);
        commitment.point = point;
        return new Encoded(commitment, Arrays.stream(fragments).map(Bytes::of).toList());
    }

    /** The blocks of all slots, each with room for its path. */
    private static byte[][] blocks(BlockSchedule schedule, Bytes segment) {
        int symbolBytes = segment.length() / schedule.sourceSymbols();
        byte[][] blocks = new byte[schedule.n()][fragmentBytes(schedule, symbolBytes)];
        schedule.code().encode(segment, targets(schedule, blocks, symbolBytes));
        return blocks;
    }

    /** Writes the paths behind the blocks, and returns the root. */
    private static Bytes addPaths(BlockSchedule schedule, byte[][] fragments) {
        int blockBytes = fragments[0].length - MerkleTree.depth(schedule.n()) * Hashes.LENGTH;
        MerkleTree tree = new MerkleTree(Arrays.stream(fragments)
                .map(array -> Bytes.of(array, 0, blockBytes))
                .toList());
        for (int slot = 0; slot < fragments.length; slot++) {
            tree.copyPath(slot, fragments[slot], blockBytes);
        }
        return tree.root();
    }

    /** Targets for symbols in order, one array for each slot. */
    private static FountainCode.Targets targets(BlockSchedule schedule, byte[][] arrays, int symbolBytes) {
        int count = schedule.symbols();
        int[] numbers = new int[count];
        byte[][] targets = new byte[count][];
        int[] positions = new int[count];
        for (int i = 0; i < count; i++) {
            numbers[i] = i;
            targets[i] = arrays[i / schedule.symbolsPerSlot()];
            positions[i] = i % schedule.symbolsPerSlot() * symbolBytes;
        }
        return new FountainCode.Targets(numbers, targets, positions);
    }

    /** The bytes of a fragment: the block of a slot and its Merkle path. */
    public static int fragmentBytes(BlockSchedule schedule, int symbolBytes) {
        return schedule.symbolsPerSlot() * symbolBytes + MerkleTree.depth(schedule.n()) * Hashes.LENGTH;
    }

    /** The bytes of a commitment, which stands beside each fragment. */
    public static int encodedBytes(BlockSchedule schedule) {
        return HEAD_BYTES + 2 * Hashes.LENGTH + schedule.sourceSymbols() * Fingerprint.LENGTH;
    }

    private static WireWriter header(int length, int m, BlockSchedule schedule) {
        return new WireWriter(encodedBytes(schedule))
                .i32(length)
                .u8(0)
                .u8(0)
                .u8(m)
                .u8(schedule.n());
    }

    /** @throws IllegalArgumentException if a bound of the encoding does not hold */
    static Commitment read(int length, WireReader in) {
        int m = in.u8();
        int n = in.u8();
        if (m < 1 || n < Math.max(2, m) || n > 255) {
            throw new MalformedException("no commitment to " + m + " of " + n + " blocks");
        }
        BlockSchedule schedule = BlockSchedule.of(m, n);
        int blockBytes = length - MerkleTree.depth(n) * Hashes.LENGTH;
        if (blockBytes < 0 || blockBytes % schedule.symbolsPerSlot() != 0) {
            throw new MalformedException("no fragment of " + length + " bytes has " + schedule.symbolsPerSlot()
                    + " symbols and the path of one of " + n + " slots");
        }
        WireWriter out = header(length, m, schedule);
        int body = 2 * Hashes.LENGTH + schedule.sourceSymbols() * Fingerprint.LENGTH;
        out.raw(Bytes.of(in.raw(body).toByteArray()));
        return new Commitment(out.toBytes(), length, m, schedule);
    }

    /** The first 16 bytes of the hash of all that is fixed before the fingerprints. */
    private static Bytes point(int m, int n, int length, Bytes root, Bytes hash) {
        Bytes head = new WireWriter(6).u8(m).u8(n).i32(length).toBytes();
        return Hashes.sha256(head, root, hash).slice(0, Fingerprint.LENGTH);
    }

    /** m: the number of slots that suffice. */
    public int dataFragments() {
        return m;
    }

    /** n: the number of slots. */
    public int slots() {
        return schedule.n();
    }

    private Bytes root() {
        return encoded.slice(HEAD_BYTES, Hashes.LENGTH);
    }

    private Bytes segmentHash() {
        return encoded.slice(HEAD_BYTES + Hashes.LENGTH, Hashes.LENGTH);
    }

    private int symbolBytes() {
        return (length - MerkleTree.depth(schedule.n()) * Hashes.LENGTH) / schedule.symbolsPerSlot();
    }

    private int blockBytes() {
        return symbolBytes() * schedule.symbolsPerSlot();
    }

    /** Returns whether the block of the fragment stands at the slot's leaf below the root. */
    @Override
    public boolean matches(int slot, Bytes fragment) {
        if (slot < 0 || slot >= schedule.n() || fragment.length() != length) {
            return false;
        }
        Bytes block = fragment.slice(0, blockBytes());
        return MerkleTree.root(slot, block, fragment.slice(blockBytes(), length - blockBytes()))
                .equals(root());
    }

    /**
     * Returns whether the fragment {@link #matches} and the fingerprint of each of its symbols is that of the encoded fingerprints of the source
     * symbols.
     */
    public boolean isConsistent(int slot, Bytes fragment) {
        if (!matches(slot, fragment)) {
            return false;
        }
        byte[] prints = symbolPrints(slot);
        Fingerprint function = fingerprint();
        int symbolBytes = symbolBytes();
        for (int i = 0; i < schedule.symbolsPerSlot(); i++) {
            Bytes expected = Bytes.of(prints, i * Fingerprint.LENGTH, Fingerprint.LENGTH);
            if (!function.of(fragment.slice(i * symbolBytes, symbolBytes)).equals(expected)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Decodes consistent fragments.
     *
     * @param fragments by slot
     * @return null if they do not suffice; any segment, where the writer lied
     */
    public @Nullable Bytes decode(SortedMap<Integer, Bytes> fragments) {
        int symbolBytes = symbolBytes();
        int perSlot = schedule.symbolsPerSlot();
        int k = schedule.sourceSymbols();
        byte[] segment = new byte[Math.multiplyExact(k, symbolBytes)];
        int[] numbers = new int[fragments.size() * perSlot];
        Bytes[] symbols = new Bytes[numbers.length];
        boolean[] present = new boolean[k];
        int next = 0;
        for (Map.Entry<Integer, Bytes> each : fragments.entrySet()) {
            for (int i = 0; i < perSlot; i++) {
                int number = each.getKey() * perSlot + i;
                numbers[next] = number;
                symbols[next] = each.getValue().slice(i * symbolBytes, symbolBytes);
                if (number < k) {
                    symbols[next].copyTo(0, segment, number * symbolBytes, symbolBytes);
                    present[number] = true;
                }
                next++;
            }
        }
        int[] missing = IntStream.range(0, k).filter(i -> !present[i]).toArray();
        byte[][] arrays = new byte[missing.length][];
        Arrays.fill(arrays, segment);
        int[] positions = Arrays.stream(missing).map(i -> i * symbolBytes).toArray();
        boolean decoded = missing.length == 0
                || schedule.code().decode(numbers, symbols, new FountainCode.Targets(missing, arrays, positions));
        return decoded ? Bytes.of(segment) : null;
    }

    /** Returns whether this is the segment that the writer committed to. */
    public boolean isSegment(Bytes segment) {
        return segment.length() == schedule.sourceSymbols() * symbolBytes()
                && Hashes.sha256(segment).equals(segmentHash());
    }

    /**
     * The fragments of all slots, if the segment encodes to exactly this commitment.
     *
     * @param consistent whether m slots were found {@link #isConsistent consistent} and gave the segment: then the fingerprints are right
     */
    public List<Bytes> encodeExactly(Bytes segment, boolean consistent) {
        if (!isSegment(segment)) {
            return List.of();
        }
        if (consistent) {
            byte[][] fragments = blocks(schedule, segment);
            return addPaths(schedule, fragments).equals(root())
                    ? Arrays.stream(fragments).map(Bytes::of).toList()
                    : List.of();
        }
        Encoded whole = encode(m, schedule.n(), segment);
        return whole.commitment().equals(this) ? whole.fragments() : List.of();
    }

    /** Returns the fingerprint function on the tables of this thread. */
    private Fingerprint fingerprint() {
        Bytes known = point;
        if (known == null) {
            known = point(m, schedule.n(), length, root(), segmentHash());
            point = known;
        }
        return Fingerprint.ofThread(known);
    }

    /** The fingerprints of the symbols of a slot: the encoding of those of the source symbols (theorem 2.1.11). */
    private byte[] symbolPrints(int slot) {
        int count = schedule.symbolsPerSlot();
        byte[] prints = new byte[count * Fingerprint.LENGTH];
        byte[][] arrays = new byte[count][];
        Arrays.fill(arrays, prints);
        int[] numbers = IntStream.range(0, count).map(i -> slot * count + i).toArray();
        int[] positions =
                IntStream.range(0, count).map(i -> i * Fingerprint.LENGTH).toArray();
        int at = HEAD_BYTES + 2 * Hashes.LENGTH;
        schedule.code()
                .encode(encoded.slice(at, encoded.length() - at), new FountainCode.Targets(numbers, arrays, positions));
        return prints;
    }

    @Override
    public String toString() {
        return "commitment " + pin() + " to " + m + " of " + schedule.n() + " x " + length + " bytes";
    }
}
