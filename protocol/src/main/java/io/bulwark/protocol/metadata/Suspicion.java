package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Observations of one node by another since the score was 0.
 *
 * @param reporter the node that counted
 * @param score see {@link FaultKind}
 * @param windows reports that make it up
 * @param last the last report
 * @param asked over all windows
 * @param bad over all windows
 * @param agreedMillis time of the last report
 */
public record Suspicion(
        int reporter, int score, int windows, PeerObservation last, long asked, long bad, long agreedMillis) {
    public Suspicion {
        if (reporter < 0 || score < 1 || score > FaultKind.SCORE_MAX || windows < 1 || bad > asked || bad < 0) {
            throw new IllegalArgumentException(
                    "score " + score + " of " + windows + " windows, " + bad + " bad of " + asked);
        }
    }

    /** Returns whether the reporter suspects the node, by a report that has not expired. */
    public boolean counts(long nowMillis) {
        return score >= FaultKind.LINE && isRecent(nowMillis);
    }

    boolean isRecent(long nowMillis) {
        return nowMillis - agreedMillis < Command.REPORT_TTL_MILLIS;
    }

    void write(WireWriter out) {
        last.write(out.i32(reporter).i32(score).i32(windows));
        out.i64(asked).i64(bad).i64(agreedMillis);
    }

    static Suspicion read(WireReader in) {
        try {
            return new Suspicion(
                    in.i32(0, Integer.MAX_VALUE),
                    in.i32(0, FaultKind.SCORE_MAX),
                    in.i32(0, Integer.MAX_VALUE),
                    PeerObservation.read(in),
                    in.nonNegative64(),
                    in.nonNegative64(),
                    in.nonNegative64());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
