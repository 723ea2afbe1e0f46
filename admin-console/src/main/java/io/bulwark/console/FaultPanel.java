package io.bulwark.console;

import java.io.IOException;
import java.util.Set;

/** Faults that an operator can give to the storage nodes of an embedded appliance, to see the cluster cope with them. */
public interface FaultPanel {
    /** A fault of one node, or its end. */
    enum Drill {
        STOP("Stop", "The node stops and answers nobody."),
        START("Start", "The node starts again and repairs its data."),
        SLOW("Slow down", "The node answers nearly a second late, and takes few bytes. The node restarts."),
        NORMAL("Full speed", "The node is as fast as before. The node restarts."),
        SAVE("Save its data", "A copy of the node's data is saved, for an outdated node later. The node restarts."),
        STALE("Set back in time", "The node's data become those that were saved. The node restarts."),
        SWAP("Swap fragments", "Each fragment is replaced by a valid one of another block. The node restarts."),
        FLIP("Flip bits", "One bit of each fragment is turned. The node restarts."),
        DROP("Lose fragments", "All fragments are removed. The node restarts."),
        GARBLE("Garble fragments", "Each fragment becomes random bytes with right checksums. The node restarts.");

        private final String title;
        private final String effect;

        Drill(String title, String effect) {
            this.title = title;
            this.effect = effect;
        }

        public String title() {
            return title;
        }

        /** Returns the effect on the node, in one sentence. */
        public String effect() {
            return effect;
        }

        /** Returns whether this makes a node faulty. */
        public boolean isFault() {
            return this != START && this != NORMAL && this != SAVE;
        }
    }

    /** Returns the numbers of the nodes that this appliance runs. */
    Set<Integer> nodes();

    /** Returns the drills that this node can be given now. */
    Set<Drill> drills(int node);

    /**
     * Gives a drill to a node; returns when it is done.
     *
     * @return the result, for people
     * @throws IOException if it failed; the message says why
     */
    String apply(int node, Drill drill) throws IOException;
}
