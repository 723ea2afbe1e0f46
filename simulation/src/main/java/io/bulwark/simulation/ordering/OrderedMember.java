package io.bulwark.simulation.ordering;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.CallRefusal;
import io.bulwark.protocol.ordering.OrderingMessage.Refused;
import io.bulwark.protocol.ordering.OrderingMessage.ToReplica;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.key.KeyMessage;
import io.bulwark.protocol.ordering.membership.ConfigurationChain;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.membership.Membership;
import io.bulwark.protocol.ordering.membership.MembershipEffect;
import io.bulwark.protocol.ordering.membership.MembershipMessage;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.recovery.RecoveryReport;
import io.bulwark.protocol.state.PageStore;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.SimulatedRecords;
import io.bulwark.simulation.ordering.ReplicaDisk.Kind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A process of a replica: its knowledge of the configurations and, if it is a member of one, a life of the replica.
 * Records of another life on the disk are ignored.
 */
final class OrderedMember implements ProtocolServer, OrderedReplica.Host, ReplicaMessenger.Receiver {
    private static final long LIVES = 1 << 12;
    private static final RecoveryReport OVER = new RecoveryReport(
            RecoveryReport.Phase.NONE, false, new RecoveryReport.OwnRecovery(1, 1, 1, 1, 1, 0, 0, 0, 0), List.of());

    private final OrderingWorld world;
    private final int self;
    private final ReplicaConfig settings;
    private final SimulatedRecords records;
    private final PageStore store;
    private final Membership membership;
    private final ReplicaMessenger mail;
    private @Nullable OrderedReplica life;
    private long lives;
    private boolean hasRecovered;
    private List<Effect> out = new ArrayList<>();

    /** @param self its name */
    OrderedMember(
            OrderingWorld world,
            int self,
            ReplicaConfig settings,
            StartReason start,
            SimulatedRecords records,
            PageStore store) {
        this.world = world;
        this.self = self;
        this.settings = settings;
        this.records = records;
        this.store = store;
        this.mail = world.keys().of(self);
        SimulatedSigning signing = new SimulatedSigning(self);
        ConfigurationChain configurationChain =
                new ConfigurationChain(settings.term().configuration(), signing, new SimulatedMandates());
        for (Successor said : ReplicaDisk.successors(records)) {
            if (!configurationChain.acceptKnown(said)) {
                throw new IllegalStateException("a proof that is none was kept");
            }
        }
        membership = new Membership(PrincipalId.replica(self), configurationChain, signing);
        begin(start);
    }

    private void begin(StartReason start) {
        lives++;
        int place = membership.place();
        mail.begin(place < 0 ? null : membership.term().configuration());
        life = place < 0
                ? null
                : new OrderedReplica(world, this, self, settings.in(membership.term(), place), start, records, store);
    }

    /** Null if it is in no configuration. */
    @Nullable
    OrderedReplica life() {
        return life;
    }

    /** The number of the last configuration that it has heard of. */
    long configuration() {
        return membership.term().number();
    }

    /**
     * Returns whether it is in the configuration with this number, and has that configuration's initial state. A node
     * that is not a member needs no state.
     */
    boolean hasBegun(long number) {
        OrderedReplica living = life;
        return configuration() == number
                && (membership.place() < 0
                        || (living != null
                                && living.configuration() == number
                                && living.replica().executed()
                                        >= membership.term().checkpoint().sequence()));
    }

    /** Returns whether it has executed anything in the configuration with this number. */
    boolean hasGoneOn(long number) {
        OrderedReplica living = life;
        return living != null
                && living.configuration() == number
                && living.replica().executed() > membership.term().checkpoint().sequence();
    }

    @Override
    public void ended(long nowMillis, Handover handover) {
        membership.onEnded(nowMillis, handover, SimulatedMandates.of(handover.next()));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        OrderedReplica living = life;
        switch (message) {
            case MembershipMessage said
            when from.kind() == PrincipalKind.REPLICA -> membership.onMessage(nowMillis, from, said);
            case MembershipMessage.AskSuccessor ask ->
                world.replacements()
                        .answer(self, from, ask, membership.successorOf(nowMillis, from, ask.configuration()))
                        .ifPresent(told -> out.add(new Effect.Send(from, requestId, told)));
            case KeyMessage said
            when from.kind() == PrincipalKind.REPLICA ->
                mail.onMessage(nowMillis, from.number(), requestId, said, this);
            case ToReplica request -> {
                if (world.isFaulty(self) && world.genesis() != null) {
                    for (Message lie : world.replacements().answersBeside(self, from, request)) {
                        out.add(new Effect.Send(from, requestId, lie));
                    }
                }
                if (living == null) {
                    out.add(new Effect.Send(from, requestId, new Refused(request.call(), CallRefusal.NOT_READY)));
                } else {
                    add(living.onRequest(nowMillis, from, requestId, request));
                }
            }
            default -> throw new IllegalStateException("nobody sends this: " + message);
        }
        return drain();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        membership.onTick(nowMillis);
        mail.onTick(nowMillis, this);
        OrderedReplica living = life;
        if (living != null) {
            add(living.onTick(nowMillis));
        }
        return drain();
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        long own = token / LIVES;
        OrderedReplica living = life;
        if (Kind.of(own) == Kind.PROOF) {
            if (stored == Stored.DURABLE
                    && Kind.number(own) + 1 == membership.term().number()) {
                advance(nowMillis);
            }
        } else if (living != null && token % LIVES == lives % LIVES) {
            add(living.onStored(nowMillis, own, stored));
        }
        return drain();
    }

    /**
     * Ends the life in the previous configuration. A replica that was recovering, or had forgotten, stays in that
     * state.
     */
    private void advance(long nowMillis) {
        OrderedReplica before = life;
        StartReason start = world.processes().startOf(self);
        if (before != null) {
            RecoveryReport report = before.replica().recoveries(nowMillis);
            hasRecovered |= report.own().recoveredMillis() > 0;
            boolean open = report.phase() != RecoveryReport.Phase.NONE;
            start = !open ? StartReason.NORMAL : report.forgotten() ? StartReason.FORGOTTEN : StartReason.RECOVERING;
        }
        world.processes().advances(self, start);
        begin(start);
    }

    /** Returns the state of its recovery; it is over for a replica in no configuration. */
    RecoveryReport report(long nowMillis) {
        OrderedReplica living = life;
        RecoveryReport report = living == null ? null : living.replica().recoveries(nowMillis);
        if (report == null || (hasRecovered && report.phase() == RecoveryReport.Phase.NONE)) {
            return OVER;
        }
        return report;
    }

    @Override
    public void onKeyChange(int place) {
        OrderedReplica living = life;
        if (living != null) {
            living.onKeyChange(place);
        }
    }

    @Override
    public void onReplica(long nowMillis, int from, ReplicaMessage said) {
        OrderedReplica living = life;
        if (living != null) {
            add(living.onReplica(nowMillis, from, said));
        }
    }

    @Override
    public void onElsewhere(long nowMillis, PrincipalId other, long configuration) {
        if (configuration != configuration() && world.genesis() != null) {
            membership.onOther(nowMillis, other, configuration);
        }
    }

    @Override
    public void onLate(int from, long configuration, ReplicaMessage said) {
        world.replacements().heardLate(self, from, configuration, said);
    }

    @Override
    public void dropKeys(long nowMillis, int place) {
        mail.drop(nowMillis, place, this);
    }

    void handOver(long nowMillis) {
        OrderedReplica living = life;
        if (living != null) {
            living.handOver(nowMillis);
        }
    }

    private void add(List<Effect> effects) {
        for (Effect effect : effects) {
            out.add(
                    effect instanceof Effect.Store written
                            ? new Effect.Store(written.token() * LIVES + lives % LIVES, written.mutations())
                            : effect);
        }
    }

    private List<Effect> drain() {
        for (MembershipEffect effect : membership.drain()) {
            switch (effect) {
                case MembershipEffect.Send send ->
                    world.replacements().send(self, send.to().number(), send.message());
                case MembershipEffect.Advance advance -> {
                    if (!world.isFaulty(self)) {
                        world.replacements().onFollowed(self, advance.said().proof());
                    }
                    Effect.Store kept = ReplicaDisk.keep(records, advance.said());
                    out.add(new Effect.Store(kept.token() * LIVES, kept.mutations()));
                }
            }
        }
        List<Effect> effects = out;
        out = new ArrayList<>();
        return effects;
    }

    @Override
    public String toString() {
        OrderedReplica living = life;
        return living == null
                ? "in none, knows " + membership.term().configuration()
                : "in " + living.configuration() + ", " + living.replica();
    }
}
