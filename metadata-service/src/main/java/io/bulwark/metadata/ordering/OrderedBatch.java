package io.bulwark.metadata.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/**
 * These requests in this order, at this time.
 *
 * @param millis as an engine delivers it, the time that the proposer gave; as it is logged and executed, the agreed time:
 *     the greater of the proposed one and that of the batch before
 */
public record OrderedBatch(long millis, List<Submission> submissions) {
    public static final int SUBMISSIONS_MAX = 4096;

    /** An engine closes a batch at this length; a single command may be as long. */
    public static final int BYTES_MAX = 2 << 20;

    public OrderedBatch {
        submissions = List.copyOf(submissions);
        if (submissions.size() > SUBMISSIONS_MAX) {
            throw new IllegalArgumentException(submissions.size() + " submissions");
        }
    }

    /** The canonical encoding, which is a record of the log. */
    public Bytes encoded() {
        WireWriter out = new WireWriter(1024).i64(millis).i32(submissions.size());
        for (Submission submission : submissions) {
            submission.client().write(out);
            out.i64(submission.call()).bool(submission.query()).bytes(submission.command());
        }
        return out.toBytes();
    }

    /**
     * Reads an encoded batch.
     *
     * @throws MalformedException on a value out of bounds or trailing bytes
     */
    public static OrderedBatch decode(Bytes encoded) {
        WireReader in = new WireReader(encoded);
        long millis = in.i64();
        int count = in.i32(0, SUBMISSIONS_MAX);
        List<Submission> submissions = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            submissions.add(new Submission(
                    PrincipalId.read(in), in.i64(), in.bool(), in.bytes(OrderingMessage.COMMAND_BYTES_MAX)));
        }
        in.end();
        return new OrderedBatch(millis, submissions);
    }
}
