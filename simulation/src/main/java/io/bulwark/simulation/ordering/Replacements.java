package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.GroupCall;
import io.bulwark.protocol.ordering.ReplicatedCall;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.membership.HandoverProof;
import io.bulwark.protocol.ordering.membership.HandoverProof.Signed;
import io.bulwark.protocol.ordering.membership.Lineage;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.MembershipMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.engine.RunningOperation;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * An operator who puts other replicas in the places of some, clients that follow, and what liars say about it. Who was removed is
 * right until the last correct one knows that it is out, and may be an intruder's from then on.
 */
final class Replacements implements OrderingClients.Directory {
    private static final int REPLACE_ONE_IN = 15;
    private static final int CORRUPT_ONE_IN = 10;

    /** What of the world it sees and does. */
    interface Host {
        /** The last configuration that a correct replica has heard of, be it down. */
        long configurationOf(int name);

        void corrupt(int name);

        boolean isFaulty(int name);

        Bytes falseDigest(long number);
    }

    private final Host host;
    private final Simulation simulation;
    private final Random random;
    private final Configuration genesis;
    private final Deque<Integer> spares = new ArrayDeque<>();
    /** Takes a liar's place, and lies; -1 if all of the spares are right. */
    private final int falseSpare;

    private final Map<PrincipalId, Lineage> lineages = new TreeMap<>();
    private final int names;
    private @Nullable RunningOperation<?> change;

    /** @param liar one of the genesis's that lies; -1 if nobody does */
    Replacements(Host host, Simulation simulation, Random random, int faulty, int spares, int liar) {
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
            var _ = lineage(PrincipalId.client(client));
        }
        falseSpare = liar >= 0 && random.nextInt(4) == 0 ? first : -1;
    }

    Configuration genesis() {
        return genesis;
    }

    int falseSpare() {
        return falseSpare;
    }

    private Lineage lineage(PrincipalId client) {
        return lineages.computeIfAbsent(client, _ -> new Lineage(genesis, new SimulatedSigning(-1)));
    }

    @Override
    public List<PrincipalId> replicas(PrincipalId client) {
        return lineage(client).configuration().replicas();
    }

    @Override
    public ClientOperation<ReplicatedCall.Outcome> following(PrincipalId client, ReplicatedCall call) {
        return new GroupCall(lineage(client), call);
    }

    void step() {
        if (idle() && random.nextInt(REPLACE_ONE_IN) == 0) {
            replace();
        }
        if (random.nextInt(CORRUPT_ONE_IN) == 0) {
            removed().stream().filter(this::isForgotten).forEach(host::corrupt);
        }
    }

    /** Whether the last change that was asked for has been answered. */
    boolean idle() {
        RunningOperation<?> asked = change;
        return asked == null || asked.finished();
    }

    private void replace() {
        Lineage known = lineage(RegisterState.OPERATOR);
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

    private static boolean wasMember(Lineage known, int name) {
        return known.proofs().stream()
                .anyMatch(proof -> proof.handover().next().placeOf(PrincipalId.replica(name)) >= 0);
    }

    /** Those that the operator knows to be out. */
    private List<Integer> removed() {
        Lineage known = lineage(RegisterState.OPERATOR);
        List<Integer> removed = new ArrayList<>();
        for (int name = 0; name < genesis.members().size(); name++) {
            if (known.configuration().placeOf(PrincipalId.replica(name)) < 0 && !host.isFaulty(name)) {
                removed.add(name);
            }
        }
        return removed;
    }

    /** All correct ones know a configuration without it. */
    private boolean isForgotten(int name) {
        Lineage known = lineage(RegisterState.OPERATOR);
        long out = known.term().number();
        for (HandoverProof proof : known.proofs().reversed()) {
            if (proof.handover().next().placeOf(PrincipalId.replica(name)) >= 0) {
                break;
            }
            out = proof.number() + 1;
        }
        for (int other = 0; other < names; other++) {
            if (!host.isFaulty(other) && host.configurationOf(other) < out) {
                return false;
            }
        }
        long without = out;
        return lineages.values().stream().allMatch(each -> each.term().number() >= without);
    }

    /** What a liar says instead; null for nothing. */
    @Nullable
    MembershipMessage alter(MembershipMessage message, Set<Integer> liars) {
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
            default -> new MembershipMessage.Successor(forged(liars));
        };
    }

    /** All liars sign, each for itself and for others, that a configuration which they know has ended otherwise. */
    HandoverProof forged(Set<Integer> liars) {
        Lineage known = lineage(RegisterState.OPERATOR);
        int last = known.proofs().size();
        int at = random.nextInt(last + 1);
        Configuration ended =
                at == 0 ? genesis : known.proofs().get(at - 1).handover().next();
        int liar = liars.isEmpty() ? 99 : List.copyOf(liars).get(random.nextInt(liars.size()));
        int place = ended.placeOf(PrincipalId.replica(liar));
        Configuration next =
                ended.replacing(place < 0 ? random.nextInt(ended.members().size()) : place, member(liar));
        long sequence = 4L * random.nextInt(100);
        Handover handover = new Handover(ended.digest(), new Numbered(sequence, host.falseDigest(sequence)), next);
        Bytes own = new SimulatedSigning(liar).sign(handover.content());
        boolean alone = random.nextBoolean();
        List<Signed> signatures = new ArrayList<>();
        for (int each = 0; each < ended.members().size(); each++) {
            int name = ended.members().get(each).replica().number();
            if (liars.contains(name)) {
                signatures.add(new Signed(each, new SimulatedSigning(name).sign(handover.content())));
            } else if (!alone) {
                signatures.add(new Signed(each, own));
            }
        }
        return new HandoverProof(handover, signatures);
    }
}
