package io.bulwark.protocol.pasis;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Comparator;

/**
 * The short name of a version that was written: 40 bytes on the wire.
 *
 * @param time unsigned, not 0
 * @param hash of the timestamp's encoding
 */
public record VersionName(long time, Bytes hash) implements Comparable<VersionName> {
    private static final Comparator<VersionName> ORDER =
            Comparator.comparing(VersionName::time, Long::compareUnsigned).thenComparing(VersionName::hash);

    @Override
    public int compareTo(VersionName other) {
        return ORDER.compare(this, other);
    }

    private static final int BYTES = 8 + Hashes.LENGTH;

    public VersionName {
        if (time == 0 || hash.length() != Hashes.LENGTH) {
            throw new IllegalArgumentException("version at time " + time + ", hash of " + hash.length() + " bytes");
        }
    }

    public void write(WireWriter out) {
        out.i64(time).raw(hash);
    }

    public static VersionName read(WireReader in) {
        try {
            return new VersionName(in.i64(), in.raw(Hashes.LENGTH));
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    Bytes encoded() {
        WireWriter out = new WireWriter(BYTES);
        write(out);
        return out.toBytes();
    }

    @Override
    public String toString() {
        return Long.toUnsignedString(time) + "/" + hash.slice(0, 4).toHex();
    }
}
