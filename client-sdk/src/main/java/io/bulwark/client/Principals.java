package io.bulwark.client;

import io.bulwark.client.config.JoinToken;
import io.bulwark.client.error.AlreadyExistsException;
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
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Principals of the cluster, and the rights of clients. Changes need the right to administer. The replicated metadata
 * enforce the change when a call returns; servers trust the keys that it names within seconds.
 */
public interface Principals {
    /** Numbers that {@link #addNextWithoutKey} tries. */
    int NUMBER_ATTEMPTS = 5;

    /**
     * A principal.
     *
     * @param keys the newest first; none if it is revoked
     * @param invitedUntil end of its invitation; empty once it has a key of its own
     */
    record Entry(PrincipalId principal, List<PrincipalKey> keys, Optional<Instant> invitedUntil) {
        public Entry {
            keys = List.copyOf(keys);
        }

        public boolean revoked() {
            return keys.isEmpty();
        }
    }

    /** Rights of a client on a scope. */
    record Grant(Scope scope, Rights rights) {}

    /**
     * A client that b+1 nodes of a placement group have reported for poisonous versions.
     *
     * @param enforced whether it may not write; false for a volume administrator, who is only listed
     * @param fault number of the recorded fault, see {@link Faults}
     */
    record Suspension(
            PrincipalId client, Instant since, boolean enforced, long fault, List<Reply.PoisonReport> reports) {
        public Suspension {
            reports = List.copyOf(reports);
        }
    }

    /** All principals, of the genesis and since. */
    List<Entry> list();

    /** Lets a client or node in, with this key; a client has no grants yet. */
    void add(PrincipalId principal, PrincipalKey key);

    /**
     * Invites a client or node, which makes its own key on its machine with the returned token. Until then it may do
     * nothing, and may be invited again. Needs TLS.
     *
     * @param validity at most 30 days
     */
    JoinToken invite(PrincipalId principal, Duration validity);

    /**
     * Gives a principal another key.
     *
     * @param keepOld whether the newest key so far stays trusted, until a call without this
     */
    void rotate(PrincipalId principal, PrincipalKey key, boolean keepOld);

    /**
     * Progress of the nodes in removing a revoked client from the register volumes. They are asked five times, as a
     * change at one node can reach others until then. The counts begin anew with each time.
     *
     * @param asked nodes that hold blocks of such volumes and are not revoked themselves
     * @param done those of them that have confirmed this time: they refuse the client for good and have no undecided
     *     versions
     * @param undecided number of undecided versions, by the node that reports them; written by the client, or staged by
     *     repairs for any writer
     * @param busy nodes that have answered, but have not learned of the revocation yet or still search for the client's
     *     versions
     * @param silent those that have not answered
     */
    record RevocationProgress(
            int asked, int done, Map<PrincipalId, Long> undecided, List<PrincipalId> busy, List<PrincipalId> silent) {
        public RevocationProgress {
            undecided = Collections.unmodifiableMap(new TreeMap<>(undecided));
            busy = List.copyOf(busy);
            silent = List.copyOf(silent);
        }

        /** Returns whether all have confirmed this time. */
        public boolean complete() {
            return done == asked;
        }
    }

    /** Does the same as {@link #revoke(PrincipalId, Duration, Consumer)}, for a minute. */
    default void revoke(PrincipalId principal) {
        revoke(principal, Duration.ofMinutes(1), ignored -> {});
    }

    /**
     * Revokes a client or node for good. When this returns, no object of the client becomes visible or changes any
     * more, even one in flight. Every node with blocks of register volumes refuses the client, and its prepared
     * versions there are written or gone. A repeated call continues to wait. It may have to wait for versions that
     * others wrote and repairs have staged, until their blocks are written; the nodes' logs name these.
     *
     * @param retryTimer how long to wait for the nodes
     * @param listener receives their progress
     * @throws io.bulwark.client.error.UnavailableException if nodes are missing then: the client is revoked
     *     nevertheless, and each node enforces it as soon as it can
     */
    void revoke(PrincipalId principal, Duration retryTimer, Consumer<RevocationProgress> listener);

    /**
     * Registers a client with a new key of which the private half is thrown away. Nobody can connect as this client; a
     * door may act for it once {@link #setActFor} allows that.
     */
    void addWithoutKey(PrincipalId client);

    /**
     * Returns a client with a number above those of all registered and revoked ones. Nothing is reserved: of two callers
     * who add the same one, the second gets {@link io.bulwark.client.error.AlreadyExistsException}.
     */
    PrincipalId nextClient();

    /** Person for whom a door acts, and the ceiling of that person's rights there. */
    record ActFor(PrincipalId person, Rights ceiling) {}

    /** Returns the persons for whom a door acts, ascending: all for administrators and the door, else only the asker. */
    List<ActFor> actFor(PrincipalId door);

    /**
     * Lets a door act on behalf of a person: its commands and queries count as the person's, as far as the ceiling
     * includes the right. {@link Rights#NONE} withdraws that.
     */
    void setActFor(PrincipalId door, PrincipalId person, Rights ceiling);

    /**
     * Adds a client under the next unused number, whose key nobody holds; tries again when somebody else takes the number at the same
     * time.
     *
     * @return the client
     */
    default PrincipalId addNextWithoutKey() {
        for (int attempt = 1; ; attempt++) {
            PrincipalId next = nextClient();
            try {
                addWithoutKey(next);
                return next;
            } catch (AlreadyExistsException e) {
                if (attempt == NUMBER_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** The clients that nodes have reported, and that may not write for it until that is lifted. */
    List<Suspension> suspended();

    /** Lets a client write again, and holds nothing against it any more that it wrote until now. */
    void lift(PrincipalId client);

    /** A client's grants. */
    List<Grant> grants(PrincipalId client);

    /** Gives a client these rights in place of those that it has on just this scope; {@link Rights#NONE} takes them away. */
    void grant(PrincipalId client, Scope scope, Rights rights);
}
