package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Count of a node's answers to one of its peers in a window.
 *
 * @param node the observed one
 * @param volume with {@code group} one in which both hold a slot
 * @param asked requests of the window
 * @param bad those of them that the node answered badly in the sense of the kind
 */
public record PeerObservation(int node, FaultKind kind, int volume, int group, int asked, int bad) {
    /** No node asks another one more often in a window, or says so. */
    public static final int ASKED_MAX = 1_000;

    public PeerObservation {
        if (node < 0 || volume < 0 || group < 0 || asked < 1 || asked > ASKED_MAX || bad < 0 || bad > asked) {
            throw new IllegalArgumentException(
                    bad + " bad of " + asked + " answers of node " + node + " in " + volume + "/" + group);
        }
    }

    void write(WireWriter out) {
        kind.write(out.i32(node));
        out.i32(volume).i32(group).u16(asked).u16(bad);
    }

    static PeerObservation read(WireReader in) {
        try {
            return new PeerObservation(
                    in.i32(0, Integer.MAX_VALUE),
                    FaultKind.read(in),
                    in.i32(0, Integer.MAX_VALUE),
                    in.i32(0, Integer.MAX_VALUE),
                    in.u16(),
                    in.u16());
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
