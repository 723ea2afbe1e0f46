package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;

/**
 * Node that f+1 holders of one placement group found faulty.
 *
 * @param kind the misbehaviour that they agree on
 * @param sinceMillis agreed time
 * @param volume with {@code group} the placement group of the reporters
 * @param evidence number of the recorded fault whose signed reports name it; 0 if statistics do
 * @param suspicions those that name it; empty if recorded evidence does
 * @param stage progress of its removal
 * @param removedMillis agreed time at which its removal began; 0 before
 */
public record NodeFault(
        int node,
        FaultKind kind,
        long sinceMillis,
        int volume,
        int group,
        long evidence,
        List<Suspicion> suspicions,
        Stage stage,
        long removedMillis) {
    /** Progress of a removal. */
    public enum Stage {
        /** The node keeps its slots. */
        NAMED,
        /** Its slots move to other nodes, as far as these can take them. */
        LEAVING,
        /** It holds no slot that can move. */
        REMOVED;

        private static final Stage[] STAGES = values();
    }

    public NodeFault {
        suspicions = List.copyOf(suspicions);
        if (node < 0
                || (evidence == 0) == suspicions.isEmpty()
                || suspicions.size() > Evidence.REPORTS_MAX
                || (stage == Stage.NAMED) != (removedMillis == 0)) {
            throw new IllegalArgumentException("node " + node + ", evidence " + evidence + ", " + suspicions.size()
                    + " suspicions, " + stage + " since " + removedMillis);
        }
    }

    NodeFault at(Stage next, long nowMillis) {
        return new NodeFault(node, kind, sinceMillis, volume, group, evidence, suspicions, next, nowMillis);
    }

    void write(WireWriter out) {
        kind.write(out.i32(node));
        out.i64(sinceMillis).i32(volume).i32(group).i64(evidence);
        Lists.write(suspicions, out, Suspicion::write);
        out.u8(stage.ordinal()).i64(removedMillis);
    }

    static NodeFault read(WireReader in) {
        try {
            return new NodeFault(
                    in.i32(0, Integer.MAX_VALUE),
                    FaultKind.read(in),
                    in.nonNegative64(),
                    in.i32(0, Integer.MAX_VALUE),
                    in.i32(0, Integer.MAX_VALUE),
                    in.nonNegative64(),
                    Lists.read(in, Evidence.REPORTS_MAX, Suspicion::read),
                    readStage(in),
                    in.nonNegative64());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    private static Stage readStage(WireReader in) {
        int code = in.u8();
        if (code >= Stage.STAGES.length) {
            throw new MalformedException("unknown stage " + code);
        }
        return Stage.STAGES[code];
    }
}
