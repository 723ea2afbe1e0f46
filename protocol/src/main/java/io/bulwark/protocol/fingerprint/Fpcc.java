package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.erasure.ErasureCode;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Fingerprinted cross-checksum (thesis, definition 2.2.2): the hashes of the first fragments of a block and the
 * fingerprints of its first m, at a point r that the hashes and the fragments' length determine. Any two blocks decoded
 * from fragments consistent with it are equal, except with negligible probability (theorem 2.2.4). For an extent it has
 * the hashes of all n fragments, for a register those of the first m+f (partial encoding, thesis 4.2.1).
 *
 * <p>Equality, order and {@link #pin()} are those of the canonical encoding. Immutable and thread-safe.
 */
public final class Fpcc extends Checksum implements Comparable<Fpcc> {
    private final List<Bytes> cc;
    private final List<Bytes> fp;

    // Computed at first use; a race computes the same immutable value twice.
    private @Nullable Bytes point;

    private Fpcc(Bytes encoded, int length, int dataFragments, int hashes) {
        super(encoded, length);
        this.cc = Checksum.hashes(encoded, hashes);
        this.fp = Checksum.fingerprints(encoded, hashes, dataFragments);
    }

    /**
     * The fingerprinted cross-checksum of a block's first m+f fragments.
     *
     * @throws IllegalArgumentException unless there are m+f <= n of one length of at most 2^28 bytes
     */
    public static Fpcc of(ErasureCode code, int f, List<Bytes> firstMPlusF) {
        return of(code, f, firstMPlusF, firstMPlusF.stream().map(Hashes::sha256).toList());
    }

    /** The same with the fragments' hashes at hand. */
    static Fpcc of(ErasureCode code, int f, List<Bytes> firstMPlusF, List<Bytes> cc) {
        int m = code.dataFragments();
        if (f < 0 || firstMPlusF.size() != m + f || m + f > code.fragments()) {
            throw new IllegalArgumentException(firstMPlusF.size() + " fragments of " + code + " where f = " + f);
        }
        int length = firstMPlusF.getFirst().length();
        if (firstMPlusF.stream().anyMatch(fragment -> fragment.length() != length)) {
            throw new IllegalArgumentException("fragments of several lengths");
        }
        Bytes point = point(cc, length);
        Fingerprint function = Fingerprint.ofThread(point);
        Fpcc fpcc = of(
                length, cc, firstMPlusF.subList(0, m).stream().map(function::of).toList());
        fpcc.point = point;
        return fpcc;
    }

    /**
     * Returns a fingerprinted cross-checksum with these values, even if no fragment is consistent with it.
     *
     * @throws IllegalArgumentException if a bound of the encoding does not hold
     */
    public static Fpcc of(int length, List<Bytes> cc, List<Bytes> fp) {
        checkBounds(length, fp.size(), cc.size());
        WireWriter out = Checksum.header(length, fp.size(), cc.size());
        cc.forEach(hash -> out.raw(checkSize(hash, Hashes.LENGTH)));
        fp.forEach(print -> out.raw(checkSize(print, Fingerprint.LENGTH)));
        return new Fpcc(out.toBytes(), length, fp.size(), cc.size());
    }

    /** Reads the canonical encoding, and copies it so that the frame can be released. */
    public static Fpcc decode(WireReader in) {
        if (Checksum.decode(in) instanceof Fpcc fpcc) {
            return fpcc;
        }
        throw new MalformedException("a cross-checksum without fingerprints");
    }

    /** @throws IllegalArgumentException if a bound of the encoding does not hold */
    static Fpcc read(int length, int dataFragments, int hashes, WireReader in) {
        checkBounds(length, dataFragments, hashes);
        WireWriter out = Checksum.header(length, dataFragments, hashes);
        int body = hashes * Hashes.LENGTH + dataFragments * Fingerprint.LENGTH;
        out.raw(Bytes.of(in.raw(body).toByteArray()));
        return new Fpcc(out.toBytes(), length, dataFragments, hashes);
    }

    private static void checkBounds(int length, int dataFragments, int hashes) {
        if (length < 0
                || length > MAX_LENGTH
                || dataFragments < 1
                || hashes < dataFragments
                || hashes > ErasureCode.MAX_FRAGMENTS) {
            throw new IllegalArgumentException(
                    "no fpcc of length " + length + ", " + dataFragments + " fingerprints, " + hashes + " hashes");
        }
    }

    private static Bytes checkSize(Bytes bytes, int size) {
        if (bytes.length() != size) {
            throw new IllegalArgumentException(bytes.length() + " bytes where " + size + " belong");
        }
        return bytes;
    }

    /** The point r: the first 16 bytes of the hash of the concatenated cross-checksum and the length, 4 bytes big-endian. */
    private static Bytes point(List<Bytes> cc, int length) {
        List<Bytes> parts = new ArrayList<>(cc);
        parts.add(new WireWriter(4).i32(length).toBytes());
        return Hashes.sha256(parts.toArray(Bytes[]::new)).slice(0, Fingerprint.LENGTH);
    }

    /** The cross-checksum: SHA-256 of the first fragments, 32 bytes each. */
    public List<Bytes> cc() {
        return cc;
    }

    /** The fingerprints of the first m fragments, 16 bytes each. */
    public List<Bytes> fp() {
        return fp;
    }

    @Override
    public boolean matches(int slot, Bytes fragment) {
        return slot >= 0
                && slot < cc.size()
                && fragment.length() == length
                && Hashes.sha256(fragment).equals(cc.get(slot));
    }

    /**
     * Returns whether the fragment is consistent with this at the index (definition 2.2.3): its hash is {@code
     * cc[index]} and its fingerprint {@code encode_index(fp)}. False for an index that has no hash, for another length,
     * and for a code with another number of fragments.
     */
    public boolean isConsistent(ErasureCode code, int index, Bytes fragment) {
        return isPlausible(code, index, fragment) && isConsistent(code, index, fragment, Hashes.sha256(fragment));
    }

    /** The same with the fragment's hash at hand. */
    boolean isConsistent(ErasureCode code, int index, Bytes fragment, Bytes hash) {
        return isPlausible(code, index, fragment)
                && hash.equals(cc.get(index))
                && fingerprint().of(fragment).equals(code.combine(index, fp));
    }

    private boolean isPlausible(ErasureCode code, int index, Bytes fragment) {
        return fits(code) && index >= 0 && index < cc.size() && fragment.length() == length;
    }

    private boolean fits(ErasureCode code) {
        return code.dataFragments() == fp.size() && code.fragments() >= cc.size();
    }

    /** Returns the number of a block's first m+f fragments, in their order, that are consistent with this. */
    public int countConsistent(ErasureCode code, List<Bytes> firstMPlusF) {
        int count = 0;
        for (int i = 0; i < firstMPlusF.size(); i++) {
            if (isConsistent(code, i, firstMPlusF.get(i))) {
                count++;
            }
        }
        return count;
    }

    private Fingerprint fingerprint() {
        Bytes known = point;
        if (known == null) {
            known = point(cc, length);
            point = known;
        }
        return Fingerprint.ofThread(known);
    }

    /** Compares the canonical encodings as unsigned bytes. */
    @Override
    public int compareTo(Fpcc other) {
        return encoded.compareTo(other.encoded);
    }

    @Override
    public String toString() {
        return "fpcc " + pin() + " of " + fp.size() + "+" + (cc.size() - fp.size()) + " x " + length + " bytes";
    }
}
