package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.GroupCall;
import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.ReplicatedCall;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationChain;
import io.bulwark.protocol.ordering.membership.ConfigurationStart;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.membership.HandoverProof;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.MembershipMessage;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.membership.Succession;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.RunningOperation;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * An operator who replaces some replicas, clients that follow, and the lies of liars about it. A removed replica is
 * correct until the last correct one knows of its removal, and may belong to an intruder from then on.
 */
final class Replacements implements OrderingClients.Directory {
    private static final int REPLACE_ONE_IN = 15;
    private static final int CORRUPT_ONE_IN = 10;
    private static final int LATE_ONE_IN = 2;

    /** View of the world, and actions in it. */
    interface Host {
        /** The last configuration that a correct replica has heard of, be it down. */
        long configurationOf(int name);

        void corrupt(int name);

        boolean isFaulty(int name);

        /** All that lie by now. */
        Set<Integer> faulty();

        Bytes falseDigest(long number);

        void restart(int name);

        /** Returns whether anything was executed in the configuration with this number. */
        boolean hasGoneOn(long configuration);

        RunningOperation<?> read(PrincipalId client, int key);

        RunningOperation<?> write(PrincipalId client);
    }

    private final Host host;
    private final Simulation simulation;
    private final Random random;
    private final Configuration genesis;
    private final Deque<Integer> spares = new ArrayDeque<>();
    /** Takes a liar's place, and lies; -1 if all of the spares are right. */
    private final int falseSpare;

    private final Map<PrincipalId, ConfigurationChain> lineages = new TreeMap<>();
    private final TrueConfigurations real;
    private final ForgedProofs forged;
    private final EndedConfigurationLies pastLives;
    private final DelayedSuccession late;
    private final AbsentMembers leftBehind;
    private final int names;
    private @Nullable RunningOperation<?> change;

    /** @param liar one of the genesis's that lies; -1 if nobody does */
    Replacements(
            OrderingWorld world, Host host, Simulation simulation, Random random, int faulty, int spares, int liar) {
        this.host = host;
        this.simulation = simulation;
        this.random = random;
        genesis = Configuration.fixed(faulty);
        int first = genesis.members().size();
        for (int name = first; name < first + spares; name++) {
            this.spares.add(name);
        }
        names = first + spares;
        for (int client = 0; client < OrderingClients.CLIENTS; client++) {
            var _ = configurationChain(PrincipalId.client(client));
        }
        for (int client = 0; client < AbsentMembers.CLIENTS; client++) {
            var _ = configurationChain(PrincipalId.client(AbsentMembers.FIRST_CLIENT + client));
        }
        real = new TrueConfigurations(genesis);
        forged = new ForgedProofs(real, random, host::falseDigest);
        pastLives = new EndedConfigurationLies(world, real, random);
        late = new DelayedSuccession(random);
        leftBehind = new AbsentMembers(new AbsentHost(), random, late, first + 1 + random.nextInt(spares - 1));
        falseSpare = liar >= 0 && random.nextInt(4) == 0 ? first : -1;
    }

    /** Null if there is none with this number yet. */
    @Nullable
    Configuration of(long number) {
        return number <= real.last() ? real.of(number) : null;
    }

    Configuration genesis() {
        return genesis;
    }

    int falseSpare() {
        return falseSpare;
    }

    private ConfigurationChain configurationChain(PrincipalId client) {
        return lineages.computeIfAbsent(
                client, _ -> new ConfigurationChain(genesis, new SimulatedSigning(-1), new SimulatedMandates()));
    }

    @Override
    public List<PrincipalId> replicas(PrincipalId client) {
        return configurationChain(client).configuration().replicas();
    }

    @Override
    public ClientOperation<ReplicatedCall.Outcome> following(PrincipalId client, ReplicatedCall call) {
        return new GroupCall(new CheckedSuccession(client), call);
    }

    /** Succession that checks the beliefs of a correct client, which must be true. */
    private final class CheckedSuccession implements Succession {
        private final PrincipalId client;
        private final ConfigurationChain configurationChain;

        private CheckedSuccession(PrincipalId client) {
            this.client = client;
            configurationChain = configurationChain(client);
        }

        @Override
        public ConfigurationStart term() {
            return configurationChain.term();
        }

        @Override
        public boolean mayCheck(long nowMillis, PrincipalId from) {
            return configurationChain.mayCheck(nowMillis, from);
        }

        @Override
        public boolean accept(Successor said) {
            boolean isAccepted = configurationChain.accept(said);
            if (isAccepted) {
                real.onFollowed(client.toString(), said.proof());
            }
            return isAccepted;
        }
    }

    /** View of the world for those that are away and come back. */
    private final class AbsentHost implements AbsentMembers.Host {
        @Override
        public boolean isSplit() {
            return late.isLate(simulation.nowMillis()) && host.hasGoneOn(real.last());
        }

        @Override
        public long last() {
            return real.last();
        }

        @Override
        public long configurationOf(PrincipalId client) {
            return configurationChain(client).term().number();
        }

        @Override
        public RunningOperation<?> read(PrincipalId client, int key) {
            return host.read(client, key);
        }

        @Override
        public RunningOperation<?> write(PrincipalId client) {
            return host.write(client);
        }

        @Override
        public void restart(int replica) {
            host.restart(replica);
        }

        @Override
        public long nowMillis() {
            return simulation.nowMillis();
        }
    }

    void step() {
        if (isIdle() && random.nextInt(REPLACE_ONE_IN) == 0) {
            replace();
        }
        leftBehind.step();
        if (random.nextInt(CORRUPT_ONE_IN) == 0) {
            removed().stream().filter(this::mayFall).findFirst().ifPresent(host::corrupt);
        }
    }

    /** Returns whether the last requested change has been answered. */
    boolean isIdle() {
        RunningOperation<?> asked = change;
        return asked == null || asked.isFinished();
    }

    private void replace() {
        ConfigurationChain known = configurationChain(RegisterState.OPERATOR);
        while (!spares.isEmpty() && wasMember(known, spares.getFirst())) {
            spares.remove();
        }
        Integer spare = spares.peek();
        if (spare == null) {
            return;
        }
        Configuration now = known.configuration();
        Configuration next = spare == falseSpare ? replacingLiar(now, spare) : next(now, spare);
        if (next == null) {
            spares.remove();
            return;
        }
        ReplicatedCall call = ReplicatedCall.command(
                now.replicas(), RegisterState.encode(next), OrderingClients.NO_TIMEOUT_MILLIS, simulation.random());
        change = simulation.start(RegisterState.OPERATOR, following(RegisterState.OPERATOR, call));
    }

    private static Member member(int name) {
        return new Member(PrincipalId.replica(name), Bytes.EMPTY, "");
    }

    /** Another one in any place; or three more, or three fewer. */
    private Configuration next(Configuration now, int spare) {
        List<Integer> fresh = List.copyOf(spares);
        if (now.faulty() > genesis.faulty() && random.nextBoolean()) {
            List<Integer> places = new ArrayList<>();
            for (int place = 0; place < now.members().size(); place++) {
                places.add(place);
            }
            Collections.shuffle(places, random);
            return now.without(Set.copyOf(places.subList(0, 3)));
        }
        if (now.faulty() == genesis.faulty() && fresh.size() >= 3 && random.nextInt(3) == 0) {
            return now.adding(
                    fresh.subList(0, 3).stream().map(Replacements::member).toList());
        }
        return now.replacing(random.nextInt(now.members().size()), member(spare));
    }

    private @Nullable Configuration replacingLiar(Configuration now, int spare) {
        for (int place = 0; place < now.members().size(); place++) {
            if (host.isFaulty(now.members().get(place).replica().number())) {
                return now.replacing(place, member(spare));
            }
        }
        return null;
    }

    private boolean wasMember(ConfigurationChain known, int name) {
        return name < genesis.members().size()
                || known.proofs().stream()
                        .anyMatch(proof -> proof.handover().next().placeOf(PrincipalId.replica(name)) >= 0);
    }

    /** Returns the correct replicas that the operator knows to be removed. */
    private List<Integer> removed() {
        ConfigurationChain known = configurationChain(RegisterState.OPERATOR);
        List<Integer> removed = new ArrayList<>();
        for (int name = 0; name < names; name++) {
            if (wasMember(known, name)
                    && known.configuration().placeOf(PrincipalId.replica(name)) < 0
                    && !host.isFaulty(name)) {
                removed.add(name);
            }
        }
        return removed;
    }

    /**
     * Returns whether an intruder may take the replica over. All correct parties that are not away must know a
     * configuration without it. A configuration that the absent ones believe in may have 2f faulty members where no
     * correct one takes part any more, otherwise f.
     */
    private boolean mayFall(int name) {
        ConfigurationChain known = configurationChain(RegisterState.OPERATOR);
        long out = known.term().number();
        for (HandoverProof proof : known.proofs().reversed()) {
            if (proof.handover().next().placeOf(PrincipalId.replica(name)) >= 0) {
                break;
            }
            out = proof.number() + 1;
        }
        int awayReplica = leftBehind.absentReplica();
        for (int other = 0; other < names; other++) {
            if (!host.isFaulty(other) && other != awayReplica && host.configurationOf(other) < out) {
                return false;
            }
        }
        List<PrincipalId> away = leftBehind.absentClients();
        for (Map.Entry<PrincipalId, ConfigurationChain> each : lineages.entrySet()) {
            if (!away.contains(each.getKey()) && each.getValue().term().number() < out) {
                return false;
            }
        }
        for (PrincipalId client : away) {
            if (!isSafe(configurationChain(client).term().number(), client, name)) {
                return false;
            }
        }
        return awayReplica < 0 || isSafe(host.configurationOf(awayReplica), PrincipalId.replica(awayReplica), name);
    }

    /**
     * Returns whether a party that believes in the configuration with this number reaches the last one, although this
     * replica became faulty.
     */
    private boolean isSafe(long believed, PrincipalId who, int fallen) {
        for (long number = believed; number <= real.last(); number++) {
            Configuration each = real.of(number);
            long faulty = each.members().stream()
                    .map(member -> member.replica().number())
                    .filter(name -> name == fallen || host.isFaulty(name))
                    .count();
            if (faulty > (each.placeOf(who) < 0 && number < real.last() ? 2L : 1L) * each.faulty()) {
                return false;
            }
        }
        return true;
    }

    /** Sends a replica's message to another one. No proof or signature reaches a replica from which it is kept. */
    void send(int from, int to, MembershipMessage message) {
        MembershipMessage said = host.isFaulty(from) && !mayLiarsHelp() ? alter(to, message) : message;
        boolean isTrue = message.equals(said) && !(message instanceof MembershipMessage.AskSuccessor);
        if (said != null && !(isTrue && late.isKeptFrom(PrincipalId.replica(to), simulation.nowMillis()))) {
            simulation.send(PrincipalId.replica(from), PrincipalId.replica(to), 0, said);
        }
    }

    /** Returns the message that a faulty replica sends instead; null for none. */
    private @Nullable MembershipMessage alter(int to, MembershipMessage message) {
        return switch (random.nextInt(4)) {
            case 0 -> null;
            case 1 -> message;
            case 2 ->
                message instanceof MembershipMessage.Ended ended
                        ? new MembershipMessage.Ended(
                                ended.configuration(),
                                new Numbered(ended.checkpoint().sequence(), host.falseDigest(0)),
                                host.falseDigest(1))
                        : message;
            default -> forged.of(host.isFaulty(to) ? 0 : host.configurationOf(to), host.faulty());
        };
    }

    /** Returns a replica's answer to a client that asks for the successor of a configuration. */
    Optional<MembershipMessage> answer(
            int self, PrincipalId client, MembershipMessage.AskSuccessor ask, Optional<Successor> told) {
        if (host.isFaulty(self) && random.nextBoolean()) {
            return Optional.of(forged.of(ask.configuration(), host.faulty()));
        }
        return late.isKeptFrom(client, simulation.nowMillis()) ? Optional.empty() : told.map(Function.identity());
    }

    /**
     * Returns the messages that a faulty replica sends a client beside its answer: answers from earlier configurations,
     * and forged proofs.
     */
    List<Message> answersBeside(int self, PrincipalId client, OrderingMessage.ToReplica request) {
        List<Message> said = new ArrayList<>();
        ConfigurationChain known = lineages.get(client);
        if (random.nextBoolean() && known != null) {
            said.add(forged.of(known.term().number(), host.faulty()));
        }
        said.addAll(pastLives.answers(self, request));
        return said;
    }

    /** Liars let the next configuration go on while the end of the last one is kept from some. */
    boolean mayLiarsHelp() {
        return late.isLate(simulation.nowMillis());
    }

    /** Handles a message to a faulty replica in a configuration of which it is no longer a member. */
    void heardLate(int self, int from, long configuration, ReplicaMessage said) {
        pastLives.heard(self, from, configuration, said);
    }

    /** A configuration has ended at a correct replica with this state. */
    void ended(int replica, Handover handover, UnaryOperator<Bytes> query) {
        if (real.ended(replica, handover, query) && random.nextInt(LATE_ONE_IN) == 0) {
            late.begin(simulation.nowMillis(), real.of(handover.next().number() - 1), handover.next(), host::isFaulty);
        }
    }

    /** A correct replica goes on. */
    void onFollowed(int replica, HandoverProof proof) {
        real.onFollowed("replica " + replica, proof);
    }

    boolean isAway(int replica) {
        return leftBehind.absentReplica() == replica;
    }

    /** Ends all delays: nobody stays away any longer. */
    void healed() {
        late.end();
        leftBehind.rejoinAll();
    }
}
