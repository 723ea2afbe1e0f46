package io.bulwark.client.metadata;

import io.bulwark.client.driver.PeerLinks;
import io.bulwark.client.error.NotBelievedException;
import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Links to the replicas, and to those that follow them. */
public final class ReplicaPaths implements AutoCloseable {
    private final PeerLinks links;
    private final List<InetSocketAddress> told;
    private final Optional<KnownReplicas> group;
    private final Consumer<Successor> following = this::follow;

    /**
     * Creates the paths without connecting to anybody.
     *
     * @param told addresses of the replicas of the genesis, by number
     * @param group the current replicas; empty if they stay
     */
    public ReplicaPaths(PeerLinks links, List<InetSocketAddress> told, Optional<KnownReplicas> group) {
        this.links = links;
        this.told = List.copyOf(told);
        this.group = group;
    }

    /** Opens a link to each replica. */
    public void connect() {
        if (group.isEmpty()) {
            for (int i = 0; i < told.size(); i++) {
                links.connect(PrincipalId.replica(i), told.get(i));
            }
            return;
        }
        KnownReplicas known = group.get();
        known.onSuccessor(following);
        connect(known.term().configuration());
    }

    /** Returns the reason why no call can succeed, if keys are not trusted ({@link AuthenticationFailure}). */
    public Optional<NotBelievedException> denial() {
        return AuthenticationFailure.of(replicas(), links::refusal, links.hasEverConnected())
                .map(denial -> denial.exception(links.self()));
    }

    private List<PrincipalId> replicas() {
        return group.map(known -> known.term().configuration().replicas())
                .orElseGet(() -> IntStream.range(0, told.size())
                        .mapToObj(PrincipalId::replica)
                        .toList());
    }

    private void connect(Configuration now) {
        for (Member member : now.members()) {
            links.connect(member.replica(), KnownReplicas.addressOf(member, told));
        }
    }

    private void follow(Successor said) {
        Configuration next = said.proof().handover().next();
        connect(next);
        // It may have been this process that was let in.
        next.replicas().forEach(links::hurry);
        KnownReplicas known = group.orElseThrow();
        known.genesis().replicas().forEach(replica -> leave(known.term().configuration(), replica));
        known.proofs()
                .forEach(before -> before.handover()
                        .next()
                        .replicas()
                        .forEach(replica -> leave(known.term().configuration(), replica)));
    }

    private void leave(Configuration now, PrincipalId replica) {
        if (now.placeOf(replica) < 0) {
            links.disconnect(replica);
        }
    }

    @Override
    public void close() {
        group.ifPresent(known -> known.forget(following));
    }
}
