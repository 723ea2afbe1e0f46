package io.bulwark.protocol.fingerprint;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Forgeries that a faulty client can make: fingerprinted cross-checksums that only some fragments are consistent with.
 */
final class Forgery {
    private Forgery() {}

    /** r as the definition says it. */
    static Bytes point(List<Bytes> cc, int length) {
        WireWriter out = new WireWriter();
        cc.forEach(out::raw);
        return Hashes.sha256(out.i32(length).toBytes()).slice(0, 16);
    }

    /**
     * The fpcc of the fragments, but with the hashes of other fragments at some indexes; the fingerprints are right for the
     * point that these hashes give.
     */
    static Fpcc withHashesOf(Map<Integer, Bytes> others, int m, List<Bytes> firstMPlusF) {
        List<Bytes> cc = new ArrayList<>();
        for (int i = 0; i < firstMPlusF.size(); i++) {
            cc.add(Hashes.sha256(others.getOrDefault(i, firstMPlusF.get(i))));
        }
        int length = firstMPlusF.getFirst().length();
        Fingerprint fingerprint = Fingerprint.at(point(cc, length));
        return Fpcc.of(
                length, cc, firstMPlusF.stream().limit(m).map(fingerprint::of).toList());
    }

    /** Another fragment with the same fingerprint: a multiple of (y - r) added, which needs r before the hashes exist. */
    static Bytes sameFingerprint(Fpcc fpcc, Bytes fragment) {
        Bytes r = point(fpcc.cc(), fpcc.length());
        byte[] other = fragment.toByteArray();
        for (int j = 0; j < 16; j++) {
            other[64 * j] ^= r.get(j);
        }
        other[1] ^= 1;
        return Bytes.of(other);
    }
}
