package io.bulwark.simulation.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.OrderingMessage.OrderedQuery;
import io.bulwark.protocol.ordering.OrderingMessage.Submit;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** Clients that send requests to some replicas only, or different ones under one call, or what is no operation at all. */
final class OrderingAttacker {
    private static final int KEYS = 3;
    private static final long VALUES_FROM = 1_000_000;

    private final Simulation simulation;
    private final List<PrincipalId> replicas;
    private final int first;
    private final int count;
    private final Random random;
    private final List<Submit> sent = new ArrayList<>();
    private long values = VALUES_FROM;

    OrderingAttacker(Simulation simulation, List<PrincipalId> replicas, int first, int count, Random random) {
        this.simulation = simulation;
        this.replicas = List.copyOf(replicas);
        this.first = first;
        this.count = count;
        this.random = random;
    }

    void step(int numbers) {
        PrincipalId client = PrincipalId.client(first + random.nextInt(count));
        long call = random.nextLong();
        switch (random.nextInt(6)) {
            case 0, 1 -> sendSomeGet(client, write(call, numbers));
            case 2 -> replicas.forEach(replica -> send(client, replica, write(call, numbers)));
            case 3 -> sendSomeGet(client, new Submit(call, Bytes.of((byte) 7)));
            case 4 -> {
                OrderedQuery query = new OrderedQuery(call, RegisterOperation.query(random.nextInt(KEYS)));
                replicas.stream()
                        .filter(_ -> random.nextBoolean())
                        .forEach(replica -> simulation.send(client, replica, 0, query));
            }
            default -> {
                if (!sent.isEmpty()) {
                    sendSomeGet(client, sent.get(random.nextInt(sent.size())));
                }
            }
        }
    }

    private Submit write(long call, int numbers) {
        RegisterOperation operation = new RegisterOperation(random.nextInt(numbers), random.nextInt(KEYS), values++);
        return new Submit(call, operation.encode());
    }

    private void sendSomeGet(PrincipalId client, Submit submit) {
        int chance = 1 + random.nextInt(4);
        replicas.stream().filter(_ -> random.nextInt(4) < chance).forEach(replica -> send(client, replica, submit));
    }

    private void send(PrincipalId client, PrincipalId replica, Submit submit) {
        sent.add(submit);
        simulation.send(client, replica, 0, submit);
    }
}
