package io.bulwark.simulation.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.simulation.engine.RunningOperation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * Clients, and a future replica, that are away while replicas change, and come back with outdated beliefs. They often
 * hear liars first. Clients read when they come back, and leave again.
 */
final class AbsentMembers {
    /** The number of the first such client. */
    static final int FIRST_CLIENT = 500;

    static final int CLIENTS = 2;

    private static final int CHANGES_MAX = 4;
    private static final int BACK_ONE_IN = 6;
    private static final int LEAVES_ONE_IN = 8;
    private static final int LIARS_FIRST_MILLIS = 500;

    /** View of the world for those left behind, and their actions in it. */
    interface Host {
        /** Returns whether some members have executed in the last configuration while others have not heard of it. */
        boolean isSplit();

        /** The number of the last configuration that there is. */
        long last();

        /** The number of the configuration that the client believes in. */
        long configurationOf(PrincipalId client);

        RunningOperation<?> read(PrincipalId client, int key);

        RunningOperation<?> write(PrincipalId client);

        void restart(int replica);

        long nowMillis();
    }

    private static final class Client {
        private final PrincipalId id;
        private final List<RunningOperation<?>> running = new ArrayList<>();
        private boolean away = true;
        private int changes;

        private Client(PrincipalId id, int changes) {
            this.id = id;
            this.changes = changes;
        }
    }

    private final Host host;
    private final Random random;
    private final DelayedSuccession late;
    private final List<Client> clients = new ArrayList<>();
    private final int replica;
    private final int replicasChanges;
    private boolean isReplicaAway = true;

    /** @param replica which one is away from the beginning */
    AbsentMembers(Host host, Random random, DelayedSuccession late, int replica) {
        this.host = host;
        this.random = random;
        this.late = late;
        this.replica = replica;
        replicasChanges = changes();
        for (int client = 0; client < CLIENTS; client++) {
            clients.add(new Client(PrincipalId.client(FIRST_CLIENT + client), changes()));
        }
    }

    private int changes() {
        return 1 + random.nextInt(CHANGES_MAX);
    }

    static boolean isOne(PrincipalId client) {
        return client.number() >= FIRST_CLIENT && client.number() < FIRST_CLIENT + CLIENTS;
    }

    /** -1 if it is back. */
    int absentReplica() {
        return isReplicaAway ? replica : -1;
    }

    /** Nothing that a client has begun goes on while it is away. */
    List<PrincipalId> absentClients() {
        return clients.stream().filter(each -> each.away).map(each -> each.id).toList();
    }

    void step() {
        for (Client client : clients) {
            client.running.removeIf(RunningOperation::isFinished);
            if (client.away && random.nextInt(BACK_ONE_IN) == 0) {
                long behind = host.last() - host.configurationOf(client.id);
                if (behind >= client.changes || (behind == 1 && host.isSplit())) {
                    rejoin(client);
                }
            } else if (!client.away && client.running.isEmpty() && random.nextInt(LEAVES_ONE_IN) == 0) {
                client.away = true;
                client.changes = changes();
            }
        }
        if (isReplicaAway && host.last() >= replicasChanges && random.nextInt(BACK_ONE_IN) == 0) {
            rejoin();
        }
    }

    private void rejoin(Client client) {
        client.away = false;
        hearLiarsFirst(client.id);
        for (int key = 0; key < OrderingClients.KEYS; key++) {
            client.running.add(host.read(client.id, key));
        }
        if (random.nextBoolean()) {
            client.running.add(host.write(client.id));
        }
    }

    private void rejoin() {
        isReplicaAway = false;
        hearLiarsFirst(PrincipalId.replica(replica));
        host.restart(replica);
    }

    private void hearLiarsFirst(PrincipalId who) {
        if (random.nextBoolean()) {
            late.keepFrom(who, host.nowMillis() + LIARS_FIRST_MILLIS);
        }
    }

    /** All come back, now at last. */
    void rejoinAll() {
        clients.stream().filter(each -> each.away).forEach(this::rejoin);
        if (isReplicaAway) {
            rejoin();
        }
    }
}
