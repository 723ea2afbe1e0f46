package io.bulwark.protocol.ordering.membership;

import io.bulwark.protocol.effect.DistantPast;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.HandoverProof.Signed;
import io.bulwark.protocol.ordering.membership.MembershipMessage.AskSuccessor;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Ended;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Configuration that a replica is in, across its lives in each. When its configuration has ended here, the replica
 * signs this and tells the others. It moves on once 2f+1 have signed the same, or once somebody shows the proof. Until
 * then it stays, since the others may need its signature. A sender that asks, or still uses an ended configuration,
 * receives the successor. Single-threaded, without I/O and clock.
 */
public final class Membership {
    /** Between two repetitions of what may have been lost. */
    private static final long REPEAT_MILLIS = 200;

    /**
     * Number of proofs that one sender gets at once; then {@link SenderRateLimit} limits it, as a proof is long. A
     * replica far behind asks for one at a time.
     */
    private static final int ANSWERS_AT_ONCE = 64;

    private final PrincipalId self;
    private final ConfigurationChain configurationChain;
    private final Signatures keys;
    private final long least;
    /** A check is dear. These two begin anew with each configuration. */
    private final SenderRateLimit checks = new SenderRateLimit(1);

    private final SenderRateLimit questions = new SenderRateLimit(1);
    private final SenderRateLimit answers = new SenderRateLimit(ANSWERS_AT_ONCE);
    /** Signed claims of others, not checked yet, by place. */
    private final SortedMap<Integer, Ended> claims = new TreeMap<>();

    private final SortedMap<Integer, Bytes> signatures = new TreeMap<>();
    private List<MembershipEffect> effects = new ArrayList<>();
    private @Nullable Handover handover;
    private Bytes ownMandate = Bytes.EMPTY;
    private long saidMillis = DistantPast.MILLIS;

    /** @param configurationChain with all proofs that were kept */
    public Membership(PrincipalId self, ConfigurationChain configurationChain, Signatures keys) {
        this(self, configurationChain, keys, 0);
    }

    /**
     * As above, of one that may have lost proofs.
     *
     * @param least in the configuration with this number it has promised something: it is in none before that
     */
    public Membership(PrincipalId self, ConfigurationChain configurationChain, Signatures keys, long least) {
        this.self = self;
        this.configurationChain = configurationChain;
        this.keys = keys;
        this.least = least;
    }

    /** The configuration that this replica is in, or knows of. */
    public ConfigurationStart term() {
        return configurationChain.term();
    }

    /** This replica's place in it; -1 if it is not in it, any more or yet. */
    public int place() {
        return term().number() < least ? -1 : configurationChain.configuration().placeOf(self);
    }

    /**
     * Records that the configuration has ended here with a stable checkpoint.
     *
     * @param authorization of the operator who has named the next one, as the state has it
     */
    public void onEnded(long nowMillis, Handover ended, Bytes authorization) {
        if (handover != null
                || place() < 0
                || !ended.previous().equals(configurationChain.configuration().digest())) {
            return;
        }
        handover = ended;
        ownMandate = authorization;
        signatures.put(place(), keys.sign(ended.content()));
        claims.forEach((place, claim) -> check(ended, place, claim));
        claims.clear();
        say(nowMillis);
        conclude();
    }

    public void onMessage(long nowMillis, PrincipalId from, MembershipMessage message) {
        switch (message) {
            case AskSuccessor ask -> tell(nowMillis, from, ask.configuration());
            case Successor said -> {
                boolean isShown = isOwn(said.proof()) || !said.authorization().isEmpty();
                if (said.proof().number() == term().number() && isShown && checks.allows(nowMillis, from)) {
                    advance(said);
                }
            }
            case Ended claim -> {
                int place = configurationChain.configuration().placeOf(from);
                if (claim.configuration() < term().number()) {
                    tell(nowMillis, from, claim.configuration());
                } else if (claim.configuration() > term().number()) {
                    ask(nowMillis, from);
                } else if (place >= 0 && place != place()) {
                    onClaim(nowMillis, from, place, claim);
                }
            }
        }
    }

    /**
     * Handles a message of a sender in this configuration, which may differ from this replica's; the one behind learns
     * the next configuration.
     */
    public void onOther(long nowMillis, PrincipalId from, long configuration) {
        if (configuration > term().number()) {
            ask(nowMillis, from);
        } else {
            tell(nowMillis, from, configuration);
        }
    }

    /** For who asks: what follows the configuration with this number, if it is over and he has not asked too often. */
    public Optional<Successor> successorOf(long nowMillis, PrincipalId asker, long configuration) {
        return configurationChain.hasProofOf(configuration) && answers.allows(nowMillis, asker)
                ? Optional.of(configurationChain.successorOf(configuration))
                : Optional.empty();
    }

    /**
     * Returns whether the local state says the same: a replica that executed the command itself needs no other
     * evidence.
     */
    private boolean isOwn(HandoverProof proof) {
        return proof.handover().equals(handover);
    }

    private void ask(long nowMillis, PrincipalId from) {
        if (questions.allows(nowMillis, from)) {
            effects.add(new MembershipEffect.Send(from, new AskSuccessor(term().number())));
        }
    }

    private void tell(long nowMillis, PrincipalId to, long configuration) {
        successorOf(nowMillis, to, configuration).ifPresent(said -> effects.add(new MembershipEffect.Send(to, said)));
    }

    private void onClaim(long nowMillis, PrincipalId from, int place, Ended claim) {
        Handover own = handover;
        if (own == null) {
            claims.put(place, claim);
        } else if (!signatures.containsKey(place) && checks.allows(nowMillis, from)) {
            check(own, place, claim);
            conclude();
        }
    }

    private void check(Handover own, int place, Ended claim) {
        Member member = configurationChain.configuration().members().get(place);
        if (claim.checkpoint().equals(own.checkpoint()) && keys.verify(member, own.content(), claim.signature())) {
            signatures.put(place, claim.signature());
        }
    }

    private void conclude() {
        Handover own = handover;
        if (own == null
                || !HandoverProof.isEnough(
                        configurationChain.configuration(), own.next(), List.copyOf(signatures.keySet()))) {
            return;
        }
        List<Signed> signed = new ArrayList<>();
        signatures.forEach((place, signature) -> signed.add(new Signed(place, signature)));
        advance(new Successor(new HandoverProof(own, signed), ownMandate));
    }

    private void advance(Successor told) {
        List<PrincipalId> others = configurationChain.configuration().replicas();
        boolean isOwn = isOwn(told.proof());
        // If the proof matches the own state, nobody has checked the received mandate, and this replica must not
        // forward it.
        Successor said = isOwn ? new Successor(told.proof(), ownMandate) : told;
        if (!(isOwn ? configurationChain.acceptKnown(said) : configurationChain.accept(said))) {
            return;
        }
        handover = null;
        ownMandate = Bytes.EMPTY;
        claims.clear();
        signatures.clear();
        checks.clear();
        questions.clear();
        effects.add(new MembershipEffect.Advance(said));
        // Some members may be behind, and a member of the next configuration need not hear from them.
        for (PrincipalId other : others) {
            if (!other.equals(self)) {
                effects.add(new MembershipEffect.Send(other, said));
            }
        }
    }

    /** Time passes. */
    public void onTick(long nowMillis) {
        if (nowMillis - saidMillis >= REPEAT_MILLIS) {
            say(nowMillis);
        }
    }

    /**
     * Asks for the next configuration if this replica is in none that it knows of. Repeats the signature if its
     * configuration has ended.
     */
    private void say(long nowMillis) {
        Handover own = handover;
        MembershipMessage said = null;
        if (own != null) {
            Bytes signature = signatures.get(place());
            said = signature == null ? null : new Ended(term().number(), own.checkpoint(), signature);
        } else if (place() < 0) {
            said = new AskSuccessor(term().number());
        }
        if (said == null) {
            return;
        }
        saidMillis = nowMillis;
        for (PrincipalId other : configurationChain.configuration().replicas()) {
            if (!other.equals(self)) {
                effects.add(new MembershipEffect.Send(other, said));
            }
        }
    }

    /** All effects since the last time. */
    public List<MembershipEffect> drain() {
        List<MembershipEffect> drained = effects;
        effects = new ArrayList<>();
        return drained;
    }
}
