package io.bulwark.protocol.ordering.message;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * Content ordered by one sequence number. Its digest covers the time and the list, never the authentication of the
 * requests. The null batch has neither requests nor time: it leaves state and agreed time as they are.
 *
 * @param millis the time that the primary proposes; applied is max(previous, proposed)
 */
public record Batch(long millis, List<RequestId> requests) {
    public static final int REQUESTS_MAX = 4_096;

    /** Orders nothing. */
    public static final Batch NULL = new Batch(0, List.of());

    /** Digest of {@link #NULL}. */
    public static final Bytes NULL_DIGEST = NULL.digest();

    public Batch {
        requests = List.copyOf(requests);
        if (requests.size() > REQUESTS_MAX) {
            throw new IllegalArgumentException(requests.size() + " requests");
        }
        if (millis < 0) {
            throw new IllegalArgumentException("negative time: " + millis);
        }
    }

    /** SHA-256 of the canonical encoding, computed anew each time. */
    public Bytes digest() {
        WireWriter out = new WireWriter(64 + 48 * requests.size());
        write(out);
        return Hashes.sha256(out.toBytes());
    }

    /** The time, then the requests. */
    public void write(WireWriter out) {
        out.i64(millis);
        writeIds(requests, out);
    }

    public static Batch read(WireReader in) {
        return new Batch(in.nonNegative64(), readIds(in));
    }

    static void writeIds(List<RequestId> ids, WireWriter out) {
        out.u16(ids.size());
        ids.forEach(id -> id.write(out));
    }

    static List<RequestId> readIds(WireReader in) {
        int count = in.count16(REQUESTS_MAX);
        List<RequestId> ids = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            ids.add(RequestId.read(in));
        }
        return ids;
    }
}
