package io.bulwark.simulation.ordering;

import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.membership.HandoverProof;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;

/** The configurations that there are: what correct replicas ended with. Whoever is correct follows these, and no other. */
final class TrueConfigurations {
    /** @param values what a query of each register had as its answer at the end */
    private record End(Handover handover, List<Bytes> values) {}

    private final Configuration genesis;
    private final List<End> ends = new ArrayList<>();

    TrueConfigurations(Configuration genesis) {
        this.genesis = genesis;
    }

    /** Returns how many configurations have ended at a correct replica, which is the number of the last one. */
    int last() {
        return ends.size();
    }

    Configuration of(long number) {
        return number == 0 ? genesis : ends.get((int) number - 1).handover().next();
    }

    /** Returns the answer to a query of the register at the end of the configuration with this number. */
    Bytes valueAtEnd(long number, int key) {
        return ends.get((int) number).values().get(key);
    }

    /**
     * A configuration has ended at a correct replica.
     *
     * @param query answers from the state that it has ended with
     * @return whether it is the first one
     */
    boolean ended(int replica, Handover handover, UnaryOperator<Bytes> query) {
        long number = handover.next().number() - 1;
        if (number < ends.size()) {
            requireSame("replica " + replica + " ended with", number, handover);
            return false;
        }
        List<Bytes> values = new ArrayList<>();
        for (int key = 0; key < OrderingClients.KEYS; key++) {
            values.add(query.apply(RegisterOperation.query(key)));
        }
        ends.add(new End(handover, values));
        return true;
    }

    /** A correct replica or client has believed this. */
    void onFollowed(String who, HandoverProof proof) {
        requireSame(who + " believed", proof.number(), proof.handover());
    }

    private void requireSame(String what, long number, Handover handover) {
        if (number >= ends.size() || !ends.get((int) number).handover().equals(handover)) {
            throw OrderingInvariants.REAL_CONFIGURATION.violation(
                    "",
                    what + " " + handover.next() + ", after "
                            + handover.checkpoint() + "; correct replicas ended "
                            + (number < ends.size()
                                    ? "with " + ends.get((int) number).handover()
                                    : "no such one"));
        }
    }
}
