package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.erasure.ErasureCode;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;

/**
 * The hashes of all N fragments of a block (lazy verification paper 2.2). A fragment whose hash is its entry may still be no fragment
 * of any block: a faulty writer can put hashes together that no encoding gives. Only who encodes all N again, from any m such
 * fragments, knows; whichever m they are, the answer is the same. Immutable and safe for use by many threads.
 */
public final class CrossChecksum extends Checksum {
    private final List<Bytes> cc;

    private CrossChecksum(Bytes encoded, int length, int hashes) {
        super(encoded, length);
        this.cc = Checksum.hashes(encoded, hashes);
    }

    /**
     * The cross-checksum of these fragments.
     *
     * @throws IllegalArgumentException unless they are of one length of at most 2^28 bytes, and 1 to 255
     */
    public static CrossChecksum of(List<Bytes> fragments) {
        int length = fragments.isEmpty() ? 0 : fragments.getFirst().length();
        if (fragments.stream().anyMatch(fragment -> fragment.length() != length)) {
            throw new IllegalArgumentException("fragments of several lengths");
        }
        return of(length, fragments.stream().map(Hashes::sha256).toList());
    }

    /**
     * Returns a cross-checksum with these values, even if no fragment matches it.
     *
     * @throws IllegalArgumentException if a bound of the encoding does not hold
     */
    public static CrossChecksum of(int length, List<Bytes> cc) {
        checkBounds(length, cc.size());
        WireWriter out = Checksum.header(length, 0, cc.size());
        for (Bytes hash : cc) {
            if (hash.length() != Hashes.LENGTH) {
                throw new IllegalArgumentException(hash.length() + " bytes where " + Hashes.LENGTH + " belong");
            }
            out.raw(hash);
        }
        return new CrossChecksum(out.toBytes(), length, cc.size());
    }

    static CrossChecksum read(int length, int hashes, WireReader in) {
        checkBounds(length, hashes);
        WireWriter out = Checksum.header(length, 0, hashes);
        out.raw(Bytes.of(in.raw(hashes * Hashes.LENGTH).toByteArray()));
        return new CrossChecksum(out.toBytes(), length, hashes);
    }

    private static void checkBounds(int length, int hashes) {
        if (length < 0 || length > MAX_LENGTH || hashes < 1 || hashes > ErasureCode.MAX_FRAGMENTS) {
            throw new IllegalArgumentException("no cross-checksum of length " + length + " with " + hashes + " hashes");
        }
    }

    @Override
    public boolean matches(int slot, Bytes fragment) {
        return slot >= 0
                && slot < cc.size()
                && fragment.length() == length
                && Hashes.sha256(fragment).equals(cc.get(slot));
    }

    /** SHA-256 of all N fragments, 32 bytes each. */
    public List<Bytes> cc() {
        return cc;
    }

    @Override
    public String toString() {
        return "cross-checksum " + pin() + " of " + cc.size() + " x " + length + " bytes";
    }
}
