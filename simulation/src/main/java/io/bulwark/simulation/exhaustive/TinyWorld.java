package io.bulwark.simulation.exhaustive;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.simulation.engine.ReplicaAnswers;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * A world that is small enough to explore. Its suppliers must make the same values each time, without shared mutable
 * state.
 *
 * @param replicas answer at once, and always the same
 * @param repetitions how many messages may arrive once more than they were sent
 * @param tickMillis how far a party's clock advances with a tick; it stands still otherwise
 * @param judge checks the results of the operations
 */
public record TinyWorld(
        String name,
        MessageCodec codec,
        ReplicaAnswers replicas,
        List<Node> nodes,
        List<Operation> operations,
        int repetitions,
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
     * @param crashes how often it may crash and restart; its stored data survive
     * @param ticks how often it may be ticked
     * @param slowDisk whether each of its disk operations is a step of its own; a crash loses the pending ones
     * @param forgets the requests that it may answer like a new node, without keeping anything of them
     * @param told the facts that replicas send it, in this order, each at any time
     */
    public record Node(
            PrincipalId id,
            Supplier<ProtocolServer> server,
            int crashes,
            int ticks,
            boolean slowDisk,
            Optional<Predicate<Message>> forgets,
            List<Fact> told) {
        public Node {
            told = List.copyOf(told);
        }

        public static Node plain(PrincipalId id, Supplier<ProtocolServer> server) {
            return new Node(id, server, 0, 0, false, Optional.empty(), List.of());
        }

        Node crashing() {
            return new Node(id, server, 1, ticks, true, forgets, told);
        }

        Node ticked(int times) {
            return new Node(id, server, crashes, times, slowDisk, forgets, told);
        }

        Node forgetting(Predicate<Message> requests) {
            return new Node(id, server, crashes, ticks, slowDisk, Optional.of(requests), told);
        }

        Node lying(List<ChoosingServer.Lie> menu) {
            return new Node(id, () -> new ChoosingServer(server.get(), menu), crashes, ticks, slowDisk, forgets, told);
        }

        Node told(List<Fact> facts) {
            return new Node(id, server, crashes, ticks, slowDisk, forgets, facts);
        }
    }

    /**
     * An operation of a client.
     *
     * @param after the number of the operation, counted from 0, that must have its outcome before this one begins; -1
     *     if none
     * @param ticks how often it may be ticked
     * @param patient whether it begins as soon as it may, while all messages in flight are lost, and is ticked only
     *     when nothing is in flight
     * @param cutOff the nodes that its messages do not reach, counted from 0
     * @param ends whether it must have an outcome once no step is left
     */
    public record Operation(
            String name,
            PrincipalId client,
            Supplier<? extends ClientOperation<?>> operation,
            int after,
            int ticks,
            boolean patient,
            Set<Integer> cutOff,
            boolean ends) {
        public Operation {
            if (after < -1 || ticks < 0) {
                throw new IllegalArgumentException("after " + after + ", " + ticks + " ticks");
            }
            cutOff = Set.copyOf(cutOff);
        }

        /** Never ticked. */
        public static Operation of(
                String name, PrincipalId client, Supplier<? extends ClientOperation<?>> operation, int after) {
            return new Operation(name, client, operation, after, 0, false, Set.of(), false);
        }

        Operation impatient(int times) {
            return new Operation(name, client, operation, after, times, false, cutOff, ends);
        }

        Operation patient(int times) {
            return new Operation(name, client, operation, after, times, true, cutOff, ends);
        }

        Operation without(Set<Integer> unreached) {
            return new Operation(name, client, operation, after, ticks, patient, unreached, ends);
        }

        Operation ending() {
            return new Operation(name, client, operation, after, ticks, patient, cutOff, true);
        }
    }

    /**
     * Record of an operation in one order.
     *
     * @param invoked when, in steps
     * @param completed when; {@link Long#MAX_VALUE} if not yet
     * @param outcome empty if there is none yet
     */
    public record OperationResult(int operation, long invoked, long completed, Optional<Object> outcome) {}

    /** Returns the violation in the outcomes so far, if any. Operations that have not begun are left out. */
    @FunctionalInterface
    public interface Judge {
        Optional<String> findViolation(List<OperationResult> done);
    }
}
