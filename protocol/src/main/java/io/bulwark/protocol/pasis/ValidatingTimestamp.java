package io.bulwark.protocol.pasis;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;

/**
 * Validating timestamp (lazy verification paper, 2.2 and figure 1): ordered by logical time, then by client, then by
 * the bytes of the cross-checksum. As it names the hash of each fragment, there is one block at most for each
 * timestamp.
 *
 * @param time unsigned 64 bits; 0 only for the register's initial value
 * @param client the claimed maker of the timestamp; it is not authenticated, and no account is charged by it
 * @param crossChecksum the hashes of all N fragments, 32 bytes each, by slot; empty exactly where the time is 0. Under
 *     masking quorums the one hash of the block
 */
public record ValidatingTimestamp(long time, PrincipalId client, Bytes crossChecksum)
        implements Comparable<ValidatingTimestamp> {
    /** Never written. */
    public static final ValidatingTimestamp NONE = new ValidatingTimestamp(0, PrincipalId.NOBODY, Bytes.EMPTY);

    public ValidatingTimestamp {
        int hashes = crossChecksum.length() / Hashes.LENGTH;
        boolean none = crossChecksum.isEmpty() && client.equals(PrincipalId.NOBODY);
        if ((time == 0) != crossChecksum.isEmpty()
                || (time == 0 && !none)
                || crossChecksum.length() % Hashes.LENGTH != 0
                || hashes > ProtectionPolicy.PASIS_FRAGMENTS_MAX) {
            throw new IllegalArgumentException("time " + Long.toUnsignedString(time) + " of " + client
                    + " with a cross-checksum of " + crossChecksum.length() + " bytes");
        }
    }

    /** The timestamp of a block whose fragments are these, all N. */
    public static ValidatingTimestamp of(long time, PrincipalId client, List<Bytes> fragments) {
        WireWriter hashes = new WireWriter(fragments.size() * Hashes.LENGTH);
        fragments.forEach(fragment -> hashes.raw(Hashes.sha256(fragment)));
        return new ValidatingTimestamp(time, client, hashes.toBytes());
    }

    public boolean isNone() {
        return time == 0;
    }

    /** N, as the cross-checksum has it. */
    public int fragments() {
        return crossChecksum.length() / Hashes.LENGTH;
    }

    /** Returns whether this is the fragment of the slot. */
    public boolean isFragment(int slot, Bytes fragment) {
        return slot < fragments()
                && Hashes.sha256(fragment).equals(crossChecksum.slice(slot * Hashes.LENGTH, Hashes.LENGTH));
    }

    /** The short name of a version that was written. */
    public VersionName name() {
        return new VersionName(time, Hashes.sha256(encoded()));
    }

    public boolean isAfter(ValidatingTimestamp other) {
        return compareTo(other) > 0;
    }

    Bytes encoded() {
        WireWriter out = new WireWriter(16 + crossChecksum.length());
        write(out);
        return out.toBytes();
    }

    /** The time; if it is not 0, the client, N in one byte, and N hashes. */
    public void write(WireWriter out) {
        out.i64(time);
        if (time != 0) {
            client.write(out);
            out.u8(fragments()).raw(crossChecksum);
        }
    }

    public static ValidatingTimestamp read(WireReader in) {
        long time = in.i64();
        if (time == 0) {
            return NONE;
        }
        PrincipalId client = PrincipalId.read(in);
        int fragments = in.u8();
        if (fragments < 1 || fragments > ProtectionPolicy.PASIS_FRAGMENTS_MAX) {
            throw new MalformedException("cross-checksum of " + fragments + " fragments");
        }
        return new ValidatingTimestamp(time, client, in.raw(fragments * Hashes.LENGTH));
    }

    /** A timestamp that cannot be that of the initial value. */
    static ValidatingTimestamp readWritten(WireReader in) {
        ValidatingTimestamp read = read(in);
        if (read.isNone()) {
            throw new MalformedException("a version that was written has a time above 0");
        }
        return read;
    }

    @Override
    public int compareTo(ValidatingTimestamp other) {
        int byTime = Long.compareUnsigned(time, other.time);
        int byClient = byTime != 0 ? byTime : client.compareTo(other.client);
        return byClient != 0 ? byClient : crossChecksum.compareTo(other.crossChecksum);
    }

    /** Returns text such as {@code 17/3f2a..}. */
    @Override
    public String toString() {
        return isNone() ? "0/none" : name().toString();
    }
}
