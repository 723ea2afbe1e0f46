package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Checksum that is kept beside each fragment of a version of a block, and names the version. It is the fingerprinted
 * cross-checksum under FP (thesis 2.2), the cross-checksum of all N fragments under PASIS (lazy verification paper
 * 2.2), and the commitment to a segment in the archive class (e-SAFE 4.2).
 *
 * <p>Canonical encoding: u32 fragment length in bytes, u8 number of fingerprints, u8 number of hashes, hashes
 * of 32 bytes, fingerprints of 16. A cross-checksum has no fingerprints, an fpcc has at least one, and a commitment, which goes on
 * in its own way, begins with neither. So none is ever taken for another, nor are their pins.
 */
public sealed interface Checksum permits Fpcc, CrossChecksum, Commitment {
    /** Greatest fragment length in bytes. */
    int MAX_LENGTH = 1 << 28;

    /** The length of every fragment in bytes. */
    int length();

    /** Returns whether the fragment has the length and the hash that are given here for the slot. */
    boolean matches(int slot, Bytes fragment);

    /** The canonical encoding. */
    Bytes encoded();

    /** SHA-256 of the canonical encoding: what names this version of a block. */
    Bytes pin();

    /** Reads the canonical encoding of any kind, and copies it so that the frame can be released. */
    static Checksum decode(WireReader in) {
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
