package io.bulwark.protocol.fp;

import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import org.jspecify.annotations.Nullable;

/**
 * A logical timestamp (thesis 4.2.3, notation): ordered by {@code ts}, then by the canonical bytes of {@code fpcc}.
 *
 * @param ts unsigned 64 bits; 0 only for the register's initial value
 * @param fpcc null exactly where {@code ts} is 0
 */
public record Timestamp(long ts, @Nullable Fpcc fpcc) implements Comparable<Timestamp> {
    /** (0, none): never written. */
    public static final Timestamp NONE = new Timestamp(0, null);

    public Timestamp {
        if ((ts == 0) != (fpcc == null)) {
            throw new IllegalArgumentException("ts " + Long.toUnsignedString(ts) + (fpcc == null ? " without" : " with")
                    + " a fingerprinted cross-checksum");
        }
    }

    public boolean isNone() {
        return fpcc == null;
    }

    /** The cross-checksum of a version that was written. */
    public Fpcc written() {
        Fpcc known = fpcc;
        if (known == null) {
            throw new IllegalStateException("never written");
        }
        return known;
    }

    /** The short name of a version that was written. */
    public Version version() {
        return new Version(ts, written().pin());
    }

    public boolean isAfter(Timestamp other) {
        return compareTo(other) > 0;
    }

    public void write(WireWriter out) {
        out.i64(ts);
        Fpcc known = fpcc;
        if (known != null) {
            out.raw(known.encoded());
        }
    }

    public static Timestamp read(WireReader in) {
        long ts = in.i64();
        return ts == 0 ? NONE : new Timestamp(ts, Fpcc.decode(in));
    }

    /** A timestamp that cannot be (0, none). */
    static Timestamp readWritten(WireReader in) {
        Timestamp read = read(in);
        if (read.isNone()) {
            throw new MalformedException("a version that was written has a ts above 0");
        }
        return read;
    }

    @Override
    public int compareTo(Timestamp other) {
        int order = Long.compareUnsigned(ts, other.ts);
        if (order != 0) {
            return order;
        }
        Fpcc mine = fpcc;
        Fpcc theirs = other.fpcc;
        return mine == null || theirs == null ? 0 : mine.compareTo(theirs);
    }

    /** Returns text such as {@code 17/3f2a..}. */
    @Override
    public String toString() {
        return isNone() ? "0/none" : version().toString();
    }
}
