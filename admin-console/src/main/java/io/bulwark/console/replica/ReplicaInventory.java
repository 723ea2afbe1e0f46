package io.bulwark.console.replica;

import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.Replicas;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.StatusView;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.live.ClusterWatch;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Replicas as the last status shows them, in the places of the configuration that this console has proofs for. */
@Component
public class ReplicaInventory {
    private final ClusterWatch watch;
    private final Bulwark door;

    public ReplicaInventory(ClusterWatch watch, Bulwark door) {
        this.watch = watch;
        this.door = door;
    }

    /**
     * All replicas at one time.
     *
     * @param configuration its number; each change of the replicas counts
     * @param leader number of the replica that f+1 report as leading; null if no f+1 report the same
     * @param applied commands that f+1 replicas have executed
     * @param next replicas of the configuration that the next checkpoint begins; empty if none is announced, or the replicas do not answer
     */
    public record Inventory(
            long configuration,
            int faults,
            int faultsLeft,
            @Nullable Integer leader,
            long applied,
            List<ReplicaView> replicas,
            List<String> next,
            StatusView.Recoveries recoveries,
            Instant at) {
        /**
         * Returns a replica.
         *
         * @throws ApiException if it is not of the configuration
         */
        public ReplicaView replica(int number) {
            return replicas.stream()
                    .filter(replica -> replica.status().number() == number)
                    .findFirst()
                    .orElseThrow(() -> ApiException.notFound("replica-" + number + " is not one of the replicas"));
        }
    }

    /**
     * Returns the present replicas, asked for the announced change, too.
     *
     * @throws BulwarkException if the cluster does not answer
     */
    public Inventory now() {
        ClusterWatch.Observation observation = watch.now();
        Replicas.GroupMembership standing = door.replicas().standing();
        return inventory(
                observation,
                standing.now(),
                standing.next().map(ReplicaInventory::names).orElse(List.of()));
    }

    /**
     * Returns the replicas for a page: a few seconds old at most, or as they were before an outage.
     *
     * @throws BulwarkException if nothing was ever known and the cluster does not answer
     */
    public Inventory recent() {
        ClusterWatch.Standing known = watch.standing();
        if (known.outage().isEmpty()) {
            return now();
        }
        return inventory(known.known().orElseGet(watch::now), door.replicas().believed(), List.of());
    }

    /** Returns why the cluster does not answer; empty if it does. */
    public Optional<ClusterWatch.Outage> outage() {
        return watch.outage();
    }

    private static Inventory inventory(
            ClusterWatch.Observation observation, Configuration configuration, List<String> next) {
        ClusterStatus status = observation.status();
        StatusView view = StatusView.of(status);
        Integer leader =
                status.agreedLeader().isPresent() ? status.agreedLeader().getAsInt() : null;
        long applied = status.agreedApplied();
        List<ReplicaView> replicas = view.replicas().stream()
                .map(replica -> replica(replica, view, configuration, leader, applied))
                .toList();
        return new Inventory(
                configuration.number(),
                view.replicaFaults(),
                view.replicaFaultsLeft(),
                leader,
                applied,
                replicas,
                next,
                view.recoveries(),
                observation.at());
    }

    private static ReplicaView replica(
            StatusView.Replica replica,
            StatusView view,
            Configuration configuration,
            @Nullable Integer leader,
            long applied) {
        int place = -1;
        String key = "";
        List<Member> members = configuration.members();
        for (int i = 0; i < members.size(); i++) {
            if (members.get(i).replica().number() == replica.number()) {
                place = i;
                key = members.get(i).key().length() == PrincipalKey.BYTES
                        ? new PrincipalKey(members.get(i).key()).toString()
                        : "";
            }
        }
        StatusView.Recovery recovery = view.recoveries().periodMillis() == 0
                ? null
                : view.recoveries().replicas().stream()
                        .filter(each -> each.number() == replica.number())
                        .findFirst()
                        .orElse(null);
        return new ReplicaView(
                place,
                replica,
                replica.reachable() ? Math.max(0, applied - replica.applied()) : null,
                leader != null && leader == replica.number(),
                recovery,
                key);
    }

    static List<String> names(Configuration configuration) {
        return configuration.replicas().stream().map(Object::toString).toList();
    }
}
