package io.bulwark.protocol.ordering;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

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
        MessageDigest sha;
        try {
            sha = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no SHA-256", e);
        }
        sha.update(digest.array(), digest.offset(), digest.length());
        sha.update(batchRecord.array(), batchRecord.offset(), batchRecord.length());
        return new Position(sequence + 1, Bytes.of(sha.digest()));
    }

    public void write(WireWriter out) {
        out.i64(sequence).raw(digest);
    }

    public static Position read(WireReader in) {
        return new Position(in.nonNegative64(), in.raw(PeerMessage.DIGEST_BYTES));
    }
}
