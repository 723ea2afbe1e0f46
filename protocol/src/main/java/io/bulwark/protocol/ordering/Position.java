package io.bulwark.protocol.ordering;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * A place in the order of batches.
 *
 * @param sequence how many batches have been applied
 * @param digest SHA-256 of the chain of these batches: equal digests mean equal histories, hence equal states
 */
public record Position(long sequence, Bytes digest) {
    /** Before the first batch. */
    public static final Position GENESIS = new Position(0, Bytes.of(new byte[PeerMessage.DIGEST_BYTES]));

    public Position {
        if (sequence < 0 || digest.length() != PeerMessage.DIGEST_BYTES) {
            throw new IllegalArgumentException("no such position: " + sequence + " " + digest);
        }
    }

    /** The position after one more batch, whose record this is. */
    public Position after(Bytes batchRecord) {
        return new Position(sequence + 1, Hashes.sha256(digest, batchRecord));
    }

    public void write(WireWriter out) {
        out.i64(sequence).raw(digest);
    }

    public static Position read(WireReader in) {
        return new Position(in.nonNegative64(), in.raw(PeerMessage.DIGEST_BYTES));
    }
}
