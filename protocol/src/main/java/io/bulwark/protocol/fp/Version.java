package io.bulwark.protocol.fp;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Comparator;

/**
 * The short name of a {@link Timestamp}: where both sides know the fingerprinted cross-checksum, its hash stands for it.
 * 40 bytes on the wire.
 *
 * @param ts unsigned 64 bits, not 0
 * @param pin SHA-256(fpcc)
 */
public record Version(long ts, Bytes pin) implements Comparable<Version> {
    private static final Comparator<Version> ORDER =
            Comparator.comparing(Version::ts, Long::compareUnsigned).thenComparing(Version::pin);

    @Override
    public int compareTo(Version other) {
        return ORDER.compare(this, other);
    }

    public static final int BYTES = 8 + Hashes.LENGTH;

    public Version {
        if (ts == 0 || pin.length() != Hashes.LENGTH) {
            throw new IllegalArgumentException("no version: ts " + ts + ", pin of " + pin.length() + " bytes");
        }
    }

    public void write(WireWriter out) {
        out.i64(ts).raw(pin);
    }

    public static Version read(WireReader in) {
        try {
            return new Version(in.i64(), in.raw(Hashes.LENGTH));
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    /** The canonical bytes, 40 of them. */
    public Bytes encoded() {
        WireWriter out = new WireWriter(BYTES);
        write(out);
        return out.toBytes();
    }

    @Override
    public String toString() {
        return Long.toUnsignedString(ts) + "/" + pin.slice(0, 4).toHex();
    }
}
