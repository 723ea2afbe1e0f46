package io.bulwark.protocol.ordering.message;

import static io.bulwark.protocol.ordering.message.ReplicaMessage.REPLICAS_MAX;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;

/**
 * Names of replicas as clients of their own engine, by place. A replica has two, so that its recovery has a quota of its
 * own. An intruder with the keys of a replica can fill the quota of its commands, and keeps it from no recovery.
 */
public final class ReplicaClient {
    private ReplicaClient() {}

    /** Returns the client of recovery requests. */
    public static PrincipalId ofRecovery(int place) {
        return PrincipalId.replica(place);
    }

    /** Returns the client of commands to the application. */
    public static PrincipalId ofCommands(int place) {
        return PrincipalId.replica(REPLICAS_MAX + place);
    }

    public static boolean isRecovery(PrincipalId client) {
        return client.kind() == PrincipalKind.REPLICA && client.number() < REPLICAS_MAX;
    }

    /** Returns the place of the replica whose commands this client submits; -1 if it is no such client. */
    public static int placeOfCommands(PrincipalId client) {
        return client.kind() == PrincipalKind.REPLICA && client.number() >= REPLICAS_MAX
                ? client.number() - REPLICAS_MAX
                : -1;
    }
}
