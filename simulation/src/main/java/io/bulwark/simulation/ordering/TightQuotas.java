package io.bulwark.simulation.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.OrderingMessage.Submit;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Quotas;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.Simulation;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * Runs in which replicas have little room, and more faulty clients than usual fill it. Each fills its own room with
 * requests, and together they fill the common room with long ones. Correct clients may be refused while they exceed
 * their room; all their requests are executed in the end.
 */
final class TightQuotas {
    private static final int SMALL_ONE_IN = 6;
    private static final int FLOOD_ONE_IN = 4;
    private static final int MORE_CLIENTS = 6;
    private static final int LONG_FLOODS_MAX = 3;
    private static final int LONG_BYTES = 100_000;

    private final RandomGenerator random;
    private final boolean isSmall;
    private final int requests;
    private final int echoes;
    private int longFloods;

    TightQuotas(RandomGenerator random) {
        this.random = random;
        isSmall = random.nextInt(SMALL_ONE_IN) == 0;
        requests = 2 + random.nextInt(7);
        echoes = 16 + random.nextInt(100);
    }

    /** Bytes can be no less: one command may have as many. */
    Quotas room() {
        int bytes = OrderingMessage.COMMAND_BYTES_MAX;
        return isSmall ? new Quotas(requests, bytes, echoes, 2 * requests, bytes) : Quotas.DEFAULT;
    }

    /** Returns whether the faulty clients now fill rooms instead of other attacks. */
    boolean isFlooding() {
        return isSmall && random.nextInt(FLOOD_ONE_IN) == 0;
    }

    /** More than there is room for, to all, to some, or something else to each; the first faulty client has this number. */
    void flood(Simulation simulation, List<PrincipalId> replicas, int first, int count) {
        boolean isLong = longFloods < LONG_FLOODS_MAX && random.nextInt(3) == 0;
        longFloods += isLong ? 1 : 0;
        int manner = random.nextInt(4);
        int receivers = manner == 1 ? 1 + random.nextInt(replicas.size()) : replicas.size();
        int start = random.nextInt(replicas.size());
        for (int client = first; client < first + count + MORE_CLIENTS; client++) {
            for (int i = 0; i <= requests; i++) {
                long call = random.nextLong();
                Bytes operation = operation(isLong);
                for (int each = 0; each < receivers; each++) {
                    PrincipalId replica = replicas.get((start + each) % replicas.size());
                    Bytes told = manner == 2 ? operation(isLong) : operation;
                    simulation.send(PrincipalId.client(client), replica, 0, new Submit(call, told));
                }
            }
        }
    }

    /** Returns an operation that the application does not know. */
    private Bytes operation(boolean isLong) {
        byte[] bytes = new byte[isLong ? LONG_BYTES + random.nextInt(LONG_BYTES) : 30];
        for (int i = 0; i < Long.BYTES; i++) {
            bytes[i] = (byte) random.nextInt();
        }
        return Bytes.of(bytes);
    }
}
