package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Locale;

/**
 * Kind of misbehaviour of a node that its peers count, with its sequential test (Agile Store, 3.3.1;
 * docs/protocols/access.md, suspicions). The test is Page's: a reporter's score for a node is max(0, score + L), L being
 * the log likelihood ratio of a window's observations under p1, the rate of a faulty node, against p0, which bounds the
 * rate of a correct one. Scores are thousandths, rounded down, so that replicas agree on them.
 *
 * <p>L is never more than a bound for each window, so that one bad minute accuses nobody. As E[exp(L)] is at most 1 under
 * p0, a correct node's score reaches {@link #LINE} after exp(25), or 7 * 10^10, windows on average, or later.
 */
public enum FaultKind {
    /** The node vouched for bytes that are not its fragment: p0 = 0.0001, p1 = 0.05. Five in a row reach the line. */
    WRONG(6_214, 52, 25_000),
    /** The node lacks what all holders have had for a window: p0 = 0.05, p1 = 0.3. */
    STALE(1_791, 306, 5_000),
    /** The node did not answer in time: p0 = 0.05, p1 = 0.5. */
    SILENT(2_302, 642, 5_000);

    /** Score of a reporter that suspects a node. */
    public static final int LINE = 25_000;

    /** No score is higher: a node that behaves well again is suspected no more after some windows. */
    public static final int SCORE_MAX = 2 * LINE;

    private static final FaultKind[] KINDS = values();

    private final int bad;
    private final int good;
    private final int windowMax;

    /**
     * @param bad ln(p1 / p0) in thousandths
     * @param good ln((1 - p0) / (1 - p1)), rounded up
     */
    FaultKind(int bad, int good, int windowMax) {
        this.bad = bad;
        this.good = good;
        this.windowMax = windowMax;
    }

    /** Returns a score after another window. */
    public int next(int score, int asked, int badOnes) {
        long ratio = (long) badOnes * bad - (long) (asked - badOnes) * good;
        return Math.clamp(score + Math.min(ratio, windowMax), 0, SCORE_MAX);
    }

    /** Returns the word that people read. */
    public String text() {
        return name().toLowerCase(Locale.ROOT);
    }

    void write(WireWriter out) {
        out.u8(ordinal());
    }

    static FaultKind read(WireReader in) {
        int code = in.u8();
        if (code >= KINDS.length) {
            throw new MalformedException("unknown kind of fault " + code);
        }
        return KINDS[code];
    }
}
