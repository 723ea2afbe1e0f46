package io.bulwark.simulation.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.membership.HandoverProof;
import io.bulwark.protocol.ordering.membership.HandoverProof.Signed;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.LongFunction;

/**
 * False proofs of the end of a configuration, signed with all keys of the faulty. These are the liars in it, and
 * removed replicas that an intruder has taken since. Such a proof lacks signatures of replicas if an operator has named
 * the list once (a refused command, or a stolen key). It lacks the operator's if an intruder has controlled the 2f+1
 * signing replicas one after the other.
 */
final class ForgedProofs {
    /** Name and key that nobody has before the liars invent them. */
    private static final int INVENTED = 100;

    private final TrueConfigurations real;
    private final Random random;
    private final LongFunction<Bytes> falseDigest;

    ForgedProofs(TrueConfigurations real, Random random, LongFunction<Bytes> falseDigest) {
        this.real = real;
        this.random = random;
        this.falseDigest = falseDigest;
    }

    /**
     * Returns a false proof that the configuration with this number has ended, or any other one if it does not exist
     * yet.
     */
    Successor of(long number, Set<Integer> faulty) {
        Configuration ended = real.of(number <= real.last() ? number : random.nextInt(real.last() + 1));
        List<Integer> own = new ArrayList<>();
        for (int place = 0; place < ended.members().size(); place++) {
            if (faulty.contains(nameIn(ended, place))) {
                own.add(place);
            }
        }
        boolean chosen = random.nextInt(3) == 0;
        if (chosen || own.size() >= ended.quorum()) {
            return collected(ended, own);
        }
        HandoverProof proof = proof(ended, own);
        return new Successor(proof, SimulatedMandates.of(proof.handover().next()));
    }

    /** Signed by 2f+1 over the life of the configuration; what no operator gave he takes from another command, or leaves out. */
    private Successor collected(Configuration ended, List<Integer> own) {
        List<Integer> places = new ArrayList<>();
        for (int place = 0; place < ended.members().size(); place++) {
            places.add(place);
        }
        Collections.shuffle(places, random);
        List<Integer> signers = new ArrayList<>(places.subList(0, ended.quorum()));
        signers.sort(Comparator.naturalOrder());
        Bytes authorization = switch (random.nextInt(3)) {
            case 0 -> Bytes.EMPTY;
            case 1 -> SimulatedMandates.of(real.of(random.nextInt(real.last() + 1)));
            default -> falseDigest.apply(ended.number());
        };
        return new Successor(signed(otherwise(ended, own), ended, signers), authorization);
    }

    private HandoverProof proof(Configuration ended, List<Integer> own) {
        return switch (random.nextInt(5)) {
            case 0, 1 -> signed(otherwise(ended, own), ended, own);
            case 2 -> signed(otherwise(ended, own), ended, repeated(own, ended.quorum()));
            case 3 -> signedForAll(otherwise(ended, own), ended, own);
            default -> withOwnKeys(ended);
        };
    }

    private static int nameIn(Configuration configuration, int place) {
        return configuration.members().get(place).replica().number();
    }

    /** Returns a handover that keeps the signers, and replaces another member, if there is one, by an invented one. */
    private Handover otherwise(Configuration ended, List<Integer> own) {
        List<Integer> others = new ArrayList<>();
        for (int place = 0; place < ended.members().size(); place++) {
            if (!own.contains(place)) {
                others.add(place);
            }
        }
        List<Integer> replaceable = others.isEmpty() ? own : others;
        int place = replaceable.get(random.nextInt(replaceable.size()));
        int name = INVENTED + random.nextInt(INVENTED);
        return handover(ended, ended.replacing(place, new Member(PrincipalId.replica(name), Bytes.EMPTY, "")));
    }

    private Handover handover(Configuration ended, Configuration next) {
        long sequence = 4L * random.nextInt(100);
        return new Handover(ended.digest(), new Numbered(sequence, falseDigest.apply(sequence)), next);
    }

    /** Each for itself. */
    private static HandoverProof signed(Handover handover, Configuration ended, List<Integer> places) {
        List<Signed> signatures = new ArrayList<>();
        for (int place : places) {
            signatures.add(new Signed(place, sign(nameIn(ended, place), handover)));
        }
        return new HandoverProof(handover, signatures);
    }

    private static Bytes sign(int key, Handover handover) {
        return new SimulatedSigning(key).sign(handover.content());
    }

    private static List<Integer> repeated(List<Integer> own, int count) {
        List<Integer> places = new ArrayList<>();
        for (int i = 0; i < count && !own.isEmpty(); i++) {
            places.add(own.get(i % own.size()));
        }
        places.sort(Comparator.naturalOrder());
        return places;
    }

    /** One of them signs for all who do not. */
    private HandoverProof signedForAll(Handover handover, Configuration ended, List<Integer> own) {
        int liar = own.isEmpty() ? INVENTED : nameIn(ended, own.get(random.nextInt(own.size())));
        List<Signed> signatures = new ArrayList<>();
        for (int place = 0; place < ended.members().size(); place++) {
            signatures.add(new Signed(place, sign(own.contains(place) ? nameIn(ended, place) : liar, handover)));
        }
        return new HandoverProof(handover, signatures);
    }

    /** The next one names the same replicas with keys that were made up, and they sign with these. */
    private HandoverProof withOwnKeys(Configuration ended) {
        List<Member> members = new ArrayList<>();
        for (Member member : ended.members()) {
            int key = INVENTED + member.replica().number();
            members.add(new Member(member.replica(), SimulatedSigning.keyOf(key), ""));
        }
        Handover handover = handover(ended, new Configuration(ended.number() + 1, members));
        List<Signed> signatures = new ArrayList<>();
        for (int place = 0; place < ended.quorum(); place++) {
            signatures.add(new Signed(place, sign(INVENTED + nameIn(ended, place), handover)));
        }
        return new HandoverProof(handover, signatures);
    }
}
