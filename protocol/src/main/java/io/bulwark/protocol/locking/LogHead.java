package io.bulwark.protocol.locking;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.P256;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * End of a log, as its holder has signed it.
 *
 * @param length number of entries; 0 for an empty log, which nobody signs
 * @param hash h(length)
 * @param signature {@link P256#SIGNATURE_BYTES} bytes over {@link LogChain#signed}; none of an empty log
 */
public record LogHead(long length, Bytes hash, Bytes signature) {
    public LogHead {
        if (length < 0
                || length > LogLimits.ENTRIES_MAX
                || hash.length() != Hashes.LENGTH
                || signature.length() != (length == 0 ? 0 : P256.SIGNATURE_BYTES)) {
            throw new IllegalArgumentException("head of a log of " + length + " entries");
        }
    }

    /** Returns the head of an empty log with this h(0). */
    public static LogHead empty(Bytes root) {
        return new LogHead(0, root, Bytes.EMPTY);
    }

    /** Returns whether the holder of this key has signed this head of the log, or it is the empty one. */
    public boolean isSigned(Bytes cluster, LogId log, PrincipalKey key) {
        return length == 0
                ? hash.equals(LogChain.root(cluster, log))
                : key.verifies(LogChain.signed(cluster, log, length, hash), signature);
    }

    public void write(WireWriter out) {
        out.i64(length).raw(hash).raw(signature);
    }

    public static LogHead read(WireReader in) {
        long length = in.nonNegative64();
        return new LogHead(length, in.raw(Hashes.LENGTH), in.raw(length == 0 ? 0 : P256.SIGNATURE_BYTES));
    }
}
