package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Checksum that is kept beside each fragment of a version of a block, and names the version. It is the fingerprinted
 * cross-checksum under FP (thesis 2.2), the cross-checksum of all N fragments under PASIS (lazy verification paper
 * 2.2), and the commitment to a segment in the archive class (e-SAFE 4.2).
 *
 * <p>Canonical encoding: u32 fragment length in bytes, u8 number of fingerprints, u8 number of hashes, hashes
 * of 32 bytes, fingerprints of 16. A cross-checksum has no fingerprints, an fpcc has at least one, and a commitment, which goes on
 * in its own way, begins with neither. So none is ever taken for another, nor are their pins. Equality is that of the
 * encodings. Immutable and thread-safe.
 */
public abstract sealed class Checksum permits Fpcc, CrossChecksum, Commitment {
    /** Greatest fragment length in bytes. */
    public static final int MAX_LENGTH = 1 << 28;

    final Bytes encoded;
    final int length;

    // Computed at first use; a race computes the same immutable value twice.
    private @Nullable Bytes pin;

    Checksum(Bytes encoded, int length) {
        this.encoded = encoded;
        this.length = length;
    }

    /** The length of every fragment in bytes. */
    public final int length() {
        return length;
    }

    /** Returns whether the fragment has the length and the hash that are given here for the slot. */
    public abstract boolean matches(int slot, Bytes fragment);

    /** The canonical encoding. */
    public final Bytes encoded() {
        return encoded;
    }

    /** SHA-256 of the canonical encoding: what names this version of a block. */
    public final Bytes pin() {
        Bytes known = pin;
        if (known == null) {
            known = Hashes.sha256(encoded);
            pin = known;
        }
        return known;
    }

    @Override
    public final boolean equals(@Nullable Object other) {
        return other instanceof Checksum that && encoded.equals(that.encoded);
    }

    @Override
    public final int hashCode() {
        return encoded.hashCode();
    }

    /** Reads the canonical encoding of any kind, and copies it so that the frame can be released. */
    public static Checksum decode(WireReader in) {
        int length = in.i32(0, MAX_LENGTH);
        int fingerprints = in.u8();
        int hashes = in.u8();
        try {
            if (fingerprints == 0 && hashes == 0) {
                return Commitment.read(length, in);
            }
            return fingerprints == 0
                    ? CrossChecksum.read(length, hashes, in)
                    : Fpcc.read(length, fingerprints, hashes, in);
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    /** The beginning of an encoding, with room for the rest. */
    static WireWriter header(int length, int fingerprints, int hashes) {
        int bytes = 6 + hashes * Hashes.LENGTH + fingerprints * Fingerprint.LENGTH;
        return new WireWriter(bytes).i32(length).u8(fingerprints).u8(hashes);
    }

    /** The hashes in an encoding. */
    static List<Bytes> hashes(Bytes encoded, int count) {
        return slices(encoded, 6, count, Hashes.LENGTH);
    }

    /** The fingerprints that follow so many hashes. */
    static List<Bytes> fingerprints(Bytes encoded, int hashes, int count) {
        return slices(encoded, 6 + hashes * Hashes.LENGTH, count, Fingerprint.LENGTH);
    }

    private static List<Bytes> slices(Bytes bytes, int from, int count, int size) {
        List<Bytes> slices = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            slices.add(bytes.slice(from + i * size, size));
        }
        return List.copyOf(slices);
    }
}
