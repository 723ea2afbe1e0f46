package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.simulation.engine.ReplicaAnswers;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * A world that is small enough. What its suppliers make must be the same each time, and must not share what changes.
 *
 * @param replicas answer at once, and always the same
 * @param tickMillis how far a party's clock goes with a tick; it stands still otherwise
 * @param judge looks at what the operations did
 */
public record TinyWorld(
        String name,
        MessageCodec codec,
        ReplicaAnswers replicas,
        List<Node> nodes,
        List<Operation> operations,
        long tickMillis,
        Judge judge) {
    /** More make no tiny world, and do not fit into a state's masks. */
    static final int OPERATIONS_MAX = 16;

    public TinyWorld {
        nodes = List.copyOf(nodes);
        operations = List.copyOf(operations);
        if (operations.size() > OPERATIONS_MAX) {
            throw new IllegalArgumentException(operations.size() + " operations");
        }
    }

    /**
     * A node. If its server is a {@link ChoosingServer}, each step of it is taken with each of its lies.
     *
     * @param crashes how often it may crash and start again; what its server stored is there again
     * @param ticks how often it may be ticked
     * @param slowDisk whether each of its disk operations is a step of its own; a crash loses those under way
     */
    public record Node(PrincipalId id, Supplier<ProtocolServer> server, int crashes, int ticks, boolean slowDisk) {
        public static Node plain(PrincipalId id, Supplier<ProtocolServer> server) {
            return new Node(id, server, 0, 0, false);
        }
    }

    /**
     * An operation of a client.
     *
     * @param after the number of the operation, counted from 0, that must have its outcome before this one begins; -1 if none
     * @param ticks how often it may be ticked
     */
    public record Operation(
            String name, PrincipalId client, Supplier<? extends ClientOperation<?>> operation, int after, int ticks) {
        public Operation {
            if (after < -1 || ticks < 0) {
                throw new IllegalArgumentException("after " + after + ", " + ticks + " ticks");
            }
        }
    }

    /**
     * What an operation did in one order.
     *
     * @param invoked when, in steps
     * @param completed when; {@link Long#MAX_VALUE} if not yet
     * @param outcome empty if there is none yet
     */
    public record Done(int operation, long invoked, long completed, Optional<Object> outcome) {}

    /** Says what is wrong with the outcomes so far. Operations that were not begun are not told. */
    @FunctionalInterface
    public interface Judge {
        Optional<String> wrong(List<Done> done);
    }
}
