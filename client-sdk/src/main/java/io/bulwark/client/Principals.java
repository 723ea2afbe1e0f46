package io.bulwark.client;

import io.bulwark.client.config.JoinToken;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Scope;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Who belongs to the cluster, and what clients may do. Changes need the right to administer; when a call returns, the replicated
 * metadata keep to it, and servers believe the keys that it names within seconds.
 */
public interface Principals {
    /**
     * A principal.
     *
     * @param keys the newest first; none if it is revoked
     */
    record Entry(PrincipalId principal, List<PrincipalKey> keys) {
        public Entry {
            keys = List.copyOf(keys);
        }

        public boolean revoked() {
            return keys.isEmpty();
        }
    }

    /** What a client may do on a scope. */
    record Grant(Scope scope, Rights rights) {}

    /**
     * A client that b+1 nodes of a placement group have reported for poisonous versions.
     *
     * @param enforced whether it may not write; false of who may administer the volume, who is only named
     */
    record Suspension(PrincipalId client, Instant since, boolean enforced, List<Reply.PoisonReport> reports) {
        public Suspension {
            reports = List.copyOf(reports);
        }
    }

    /** All principals, of the genesis and since. */
    List<Entry> list();

    /** Lets a client or node in, with this key; a client has no grants yet. */
    void add(PrincipalId principal, PrincipalKey key);

    /**
     * Lets a client or node in that makes its own key, on its machine, with the token that this returns. Until then it may do nothing, and
     * may be invited again. Needs TLS.
     *
     * @param validity at most 30 days
     */
    JoinToken invite(PrincipalId principal, Duration validity);

    /**
     * Gives a principal another key.
     *
     * @param keepOld the newest key until now stays believed, until this is said again without
     */
    void rotate(PrincipalId principal, PrincipalKey key, boolean keepOld);

    /**
     * How far the nodes have put a revoked client out of the register volumes. They are asked five times, as what some do can reach others until
     * then, and what is counted here begins anew with each.
     *
     * @param asked nodes that hold blocks of such volumes and are not revoked themselves
     * @param done those of them that have said this time that they refuse it for good and have nothing undecided
     * @param undecided how many versions are not decided yet, of the client or staged by repairs, whoever wrote them, by the nodes that say so of themselves
     * @param busy those that have answered, and have not heard of it yet or are looking for what it has left
     * @param silent those that have not answered
     */
    record RevocationProgress(
            int asked, int done, Map<PrincipalId, Long> undecided, List<PrincipalId> busy, List<PrincipalId> silent) {
        public RevocationProgress {
            undecided = Collections.unmodifiableMap(new TreeMap<>(undecided));
            busy = List.copyOf(busy);
            silent = List.copyOf(silent);
        }

        /** Whether all have said so this time. */
        public boolean complete() {
            return done == asked;
        }
    }

    /** As {@link #revoke(PrincipalId, Duration, Consumer)}, for a minute. */
    default void revoke(PrincipalId principal) {
        revoke(principal, Duration.ofMinutes(1), _ -> {});
    }

    /**
     * Puts a client or node out, for good. When this returns no object of the client becomes visible or changes any more, whatever it
     * has under way, every node that holds blocks of register volumes takes nothing of it any more, and what it had prepared there is
     * written or gone. It may be said again, to go on waiting. It may have to wait for versions that others wrote and repairs have staged: until their
     * blocks are written, which the nodes' logs name.
     *
     * @param patience how long to wait for the nodes
     * @param listener told how far they are
     * @throws io.bulwark.client.error.UnavailableException if nodes are missing then: the client is revoked nevertheless, and each node
     *     puts it out as soon as it can
     */
    void revoke(PrincipalId principal, Duration patience, Consumer<RevocationProgress> listener);

    /** The clients that nodes have reported, and that may not write for it until that is lifted. */
    List<Suspension> suspended();

    /** Lets a client write again, and holds nothing against it any more that it wrote until now. */
    void lift(PrincipalId client);

    /** A client's grants. */
    List<Grant> grants(PrincipalId client);

    /** Gives a client these rights in place of those that it has on just this scope; {@link Rights#NONE} takes them away. */
    void grant(PrincipalId client, Scope scope, Rights rights);
}
