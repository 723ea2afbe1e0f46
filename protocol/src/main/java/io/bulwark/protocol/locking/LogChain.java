package io.bulwark.protocol.locking;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.nio.charset.StandardCharsets;

/** Hash chain over a log: h(n) = SHA-256(h(n-1), n, entry), and what its holder signs. */
public final class LogChain {
    private static final Bytes ROOT_TAG = Bytes.of("bulwark log\0".getBytes(StandardCharsets.US_ASCII));
    private static final Bytes HEAD_TAG = Bytes.of("bulwark head\0".getBytes(StandardCharsets.US_ASCII));

    private LogChain() {}

    /** Returns h(0) of a log in this cluster. */
    public static Bytes root(Bytes cluster, LogId log) {
        WireWriter out = new WireWriter().raw(ROOT_TAG).raw(cluster);
        log.write(out);
        return Hashes.sha256(out.toBytes());
    }

    /** Returns h(n) of an entry behind h(n-1). */
    public static Bytes next(Bytes previous, long number, LogEntry entry) {
        WireWriter out = new WireWriter(64 + entry.length()).raw(previous).i64(number);
        entry.write(out);
        return Hashes.sha256(out.toBytes());
    }

    /** Returns the bytes that the holder signs for a log of this length. */
    public static Bytes signed(Bytes cluster, LogId log, long length, Bytes hash) {
        WireWriter out = new WireWriter().raw(HEAD_TAG).raw(cluster);
        log.write(out);
        return out.i64(length).raw(hash).toBytes();
    }
}
