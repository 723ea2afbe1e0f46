package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.PutOutcome;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.MetadataStateMachine;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.metadata.SimulatedReplica;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * An operator who revokes faulty clients, each in the middle of its work. The clients continue as before, with all
 * messages that they have kept back. Nothing of theirs appears after the command has returned.
 */
final class RevokingOperator {
    /** Nothing of a revoked client becomes visible or changes, none of its sessions is open, and it changes nothing of others. */
    static final Invariant REVOKED = new Invariant(
            "revoked", "thesis definition 3.3.4, docs/protocols/metadata.md: sessions close, inodes are refused");

    /** A client that is not revoked keeps its session, and its operations in flight succeed. */
    static final Invariant UNDISTURBED =
            new Invariant("undisturbed", "thesis definition 3.3.4: only what the revoked client does is refused");

    static final PrincipalId BYSTANDER = PrincipalId.client(7);
    private static final String BYSTANDERS_KEY = "bystander";
    private static final long PATIENCE_MILLIS = 120_000;
    private static final int CHECKS_ONE_IN = 8;

    private final ObjectWorld world;
    private final ObjectClient operator;
    private final ObjectClient bystander;
    private final List<FaultyClient> attackers;
    private final String bucket;
    private final Supplier<SimulatedReplica> latest;
    private final ObjectInvariants invariants;
    private final Random random;
    private final int revokesOneIn;
    /** Number of clients revoked while faults are still present. In most runs some clients remain for later. */
    private final int early;

    private final Set<PrincipalId> asked = new TreeSet<>();
    /** Clients whose revocation has returned, but that no replica shows as revoked: all have started again meanwhile. */
    private final Set<PrincipalId> unseen = new TreeSet<>();

    private final Map<PrincipalId, ClientState> returned = new TreeMap<>();
    private Optional<String> bystanders = Optional.empty();

    /** Version and inode of a name. */
    record NamedObject(long version, long inode) {
        static Optional<NamedObject> by(Reply reply) {
            return reply instanceof Reply.ObjectFound found
                    ? Optional.of(new NamedObject(found.version(), found.inode().id()))
                    : Optional.empty();
        }
    }

    /**
     * State of a client at its revocation.
     *
     * @param executed how much the replica that shows the state has executed
     * @param named layouts and pending uploads over its blocks: a refill gives those of an inode to another one
     */
    record ClientState(int executed, Map<String, Optional<NamedObject>> names, Set<String> named) {}

    /** @param latest the most advanced correct replica */
    RevokingOperator(
            ObjectWorld world,
            ObjectClient operator,
            ObjectClient bystander,
            List<FaultyClient> attackers,
            String bucket,
            Supplier<SimulatedReplica> latest,
            ObjectInvariants invariants,
            Random random) {
        this.world = world;
        this.operator = operator;
        this.bystander = bystander;
        this.attackers = attackers;
        this.bucket = bucket;
        this.latest = latest;
        this.invariants = invariants;
        this.random = random;
        this.revokesOneIn = 5 + random.nextInt(30);
        this.early = attackers.size() - (random.nextInt(4) == 0 ? 0 : 1);
    }

    void step() {
        FaultyClient attacker = attackers.get(random.nextInt(attackers.size()));
        if (returned.containsKey(attacker.self())) {
            proceed(attacker);
        } else if (random.nextInt(3) == 0) {
            attacker.lurk();
        }
        if (random.nextInt(revokesOneIn) == 0 && asked.size() < early) {
            revoke(attacker);
        }
    }

    private void revoke(FaultyClient attacker) {
        PrincipalId self = attacker.self();
        if (!asked.add(self)) {
            return;
        }
        attacker.lurk();
        attacker.step();
        world.begins();
        operator.execute(new Command.RevokePrincipal(self), reply -> {
            if (reply.orElse(null) instanceof Reply.Done) {
                unseen.add(self);
                see();
            } else {
                // The operator does not know the outcome, and repeats the command.
                asked.remove(self);
            }
            world.ends();
        });
    }

    private void proceed(FaultyClient attacker) {
        attacker.proceed();
        if (random.nextInt(4) == 0) {
            attacker.beginAnew(random.nextBoolean() ? ObjectWorld.VOLUME : 0, lease -> {
                throw REVOKED.violation(attacker.self().toString(), "opens session " + lease.number());
            });
        }
    }

    private void see() {
        unseen.removeIf(client -> {
            boolean revoked = isRevoked(latest.get().machine(), client);
            if (revoked) {
                returned.put(client, standing(client));
            }
            return revoked;
        });
    }

    private static boolean isRevoked(MetadataStateMachine machine, PrincipalId client) {
        Query all = new Query.ListPrincipals(-1, PrincipalId.NOBODY, Query.PAGE_MAX);
        return ask(machine, all) instanceof Reply.PrincipalList list
                && list.principals().stream()
                        .anyMatch(entry -> entry.principal().equals(client) && entry.revoked());
    }

    private ClientState standing(PrincipalId client) {
        SimulatedReplica replica = latest.get();
        return new ClientState(replica.executed(), names(replica.machine(), client), named(client));
    }

    private Map<String, Optional<NamedObject>> names(MetadataStateMachine machine, PrincipalId client) {
        Map<String, Optional<NamedObject>> names = new TreeMap<>();
        for (String key : FaultyClient.keys(client)) {
            names.put(key, NamedObject.by(ask(machine, new Query.FindObject(bucket, key, 0))));
        }
        return names;
    }

    private static Reply ask(MetadataStateMachine machine, Query query) {
        return Reply.decode(machine.query(HolderChanges.OPERATOR, query.encoded()));
    }

    private Set<String> named(PrincipalId client) {
        Set<String> named = new HashSet<>();
        for (Reply.Reference reference : invariants.inodes(ObjectWorld.VOLUME)) {
            boolean its = reference.pendingRanges().stream()
                            .anyMatch(range -> range.owner().equals(client))
                    || reference.layout().stream()
                            .flatMap(layout -> layout.ranges().stream())
                            .anyMatch(range -> range.owner().equals(client));
            if (its) {
                named.add(reference
                        .layout()
                        .map(layout -> layout.ranges().toString())
                        .orElseGet(() -> "pending " + reference.pendingRanges()));
            }
        }
        return named;
    }

    /** Called after each step. */
    void check() {
        see();
        boolean all = random.nextInt(CHECKS_ONE_IN) == 0;
        returned.forEach((client, standing) -> check(client, standing, all));
    }

    private void check(PrincipalId client, ClientState standing, boolean all) {
        SimulatedReplica replica = latest.get();
        if (replica.executed() < standing.executed) {
            // All who were as far have been started again from a checkpoint.
            return;
        }
        names(replica.machine(), client).forEach((key, now) -> requireSame(key, standing, now));
        if (all) {
            Set<String> others = named(client);
            others.removeAll(standing.named);
            if (!others.isEmpty()) {
                throw REVOKED.violation(client.toString(), "blocks " + others + " were not there when it was revoked");
            }
            requireClosed(replica.machine(), client);
        }
    }

    private static void requireSame(String key, ClientState standing, Optional<NamedObject> now) {
        Optional<NamedObject> then = standing.names.getOrDefault(key, Optional.empty());
        if (!then.equals(now)) {
            throw REVOKED.violation(key, "was " + then + " when its owner was revoked, and is " + now);
        }
    }

    private static void requireClosed(MetadataStateMachine machine, PrincipalId client) {
        for (long number = 1; ; number++) {
            SessionState volume = state(machine, ObjectWorld.VOLUME, client, number);
            if (volume == SessionState.OPEN || state(machine, 0, client, number) == SessionState.OPEN) {
                throw REVOKED.violation(client.toString(), "its session " + number + " is open");
            }
            if (volume == SessionState.UNKNOWN) {
                return;
            }
        }
    }

    private static SessionState state(MetadataStateMachine machine, int volume, PrincipalId client, long number) {
        return ask(machine, new Query.SessionOf(volume, client, number)) instanceof Reply.Session(SessionState state)
                ? state
                : SessionState.UNKNOWN;
    }

    /** Returns the state that a reader that begins now must find, if the owner of the name was revoked before. */
    Optional<ClientState> standingOf(PrincipalId owner) {
        return Optional.ofNullable(returned.get(owner));
    }

    /** A reader that began then finds this now. */
    static void finds(String key, ClientState standing, Reply reply) {
        requireSame(key, standing, NamedObject.by(reply));
    }

    /** Revokes the other clients in a healthy cluster, while other clients work. */
    void revokeAll() {
        List<ObjectClient.Lease> leases = new ArrayList<>();
        bystander.lease(ObjectWorld.VOLUME, leases::add);
        await(() -> !leases.isEmpty(), "no session is opened");
        long since = latest.get().machine().agreedMillis();
        attackers.forEach(FaultyClient::lurk);
        world.simulation().runFor(random.nextInt(60));
        List<PutOutcome> outcomes = new ArrayList<>();
        String value = world.contents().next();
        putBystanders(value, outcomes::add);
        await(
                () -> {
                    attackers.forEach(this::revoke);
                    see();
                    return returned.size() == attackers.size();
                },
                "not all are revoked");
        await(() -> !outcomes.isEmpty(), "a put does not end");
        if (!(outcomes.getFirst() instanceof PutOutcome.Stored)) {
            throw UNDISTURBED.violation(BYSTANDERS_KEY, outcomes.toString());
        }
        bystanders = Optional.of(value);
        requireOpen(leases.getFirst(), since);
        for (int round = 0; round < 2; round++) {
            attackers.forEach(this::proceed);
            attackers.forEach(FaultyClient::step);
            world.simulation().runFor(1_000);
            returned.forEach((client, standing) -> check(client, standing, true));
        }
    }

    /** Begins again with the new map, as the SDK does, if the operator has changed holders or policy meanwhile. */
    private void putBystanders(String value, Consumer<PutOutcome> then) {
        world.putWhole(bystander, bucket, BYSTANDERS_KEY, Condition.NONE, ObjectLock.NONE, value, outcome -> {
            if (outcome instanceof PutOutcome.StaleEpoch) {
                world.look();
                putBystanders(value, then);
            } else {
                then.accept(outcome);
            }
        });
    }

    private void await(BooleanSupplier condition, String otherwise) {
        if (!world.simulation().runUntil(condition, PATIENCE_MILLIS)) {
            throw Invariant.OPERATIONS_END.violation("", otherwise + " after " + PATIENCE_MILLIS + " ms");
        }
    }

    /** Unless it has expired. */
    private void requireOpen(ObjectClient.Lease lease, long sinceMillis) {
        MetadataStateMachine machine = latest.get().machine();
        boolean mayExpire = machine.agreedMillis() - sinceMillis >= lease.ttlMillis();
        if (!mayExpire && state(machine, ObjectWorld.VOLUME, BYSTANDER, lease.number()) != SessionState.OPEN) {
            throw UNDISTURBED.violation(BYSTANDER.toString(), "its session " + lease.number() + " is not open");
        }
    }

    /** Checks that the bystander's latest value is there. */
    void readBystanders() {
        bystanders.ifPresent(value -> {
            world.begins();
            world.read(bystander, bucket, BYSTANDERS_KEY, found -> {
                if (!(found instanceof ObjectWorld.ReadResult.Value got
                        && got.name().equals(value))) {
                    throw UNDISTURBED.violation(BYSTANDERS_KEY, "has " + value + ", found " + found);
                }
                world.ends();
            });
        });
    }

    /** Returns the number of revoked clients. */
    int revoked() {
        return returned.size();
    }
}
