package io.bulwark.metadata.bft;

import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.ordering.membership.ConfigurationChain;
import io.bulwark.protocol.ordering.membership.Handover;
import io.bulwark.protocol.ordering.membership.Membership;
import io.bulwark.protocol.ordering.membership.MembershipEffect;
import io.bulwark.protocol.ordering.membership.MembershipMessage;
import io.bulwark.protocol.ordering.membership.MembershipMessage.AskSuccessor;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.Peer;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Messages of a replica's life about the configurations of replicas (docs/decisions/0020), of any configuration. The
 * life is over once there is a proof that another configuration follows; the proof is on disk by then. Used by the
 * life's thread.
 */
final class MembershipExchange {
    /** Request number of messages that belong to no request of a client. */
    static final long NO_REQUEST = 0;

    /** Links to other replicas. */
    interface Network {
        /** Returns false if there is no link to this one. */
        boolean send(PrincipalId to, MembershipMessage message);
    }

    private final PrincipalId self;
    private final KnownReplicas group;
    private final Network network;
    private final Membership membership;
    private boolean over;

    /**
     * Creates the messages of a life that begins.
     *
     * @param configurationChain the process's knowledge at that time
     * @param least the first configuration that may be trusted as the replica's
     */
    MembershipExchange(
            PrincipalId self, KnownReplicas group, ConfigurationChain configurationChain, long least, Network network) {
        this.self = self;
        this.group = group;
        this.network = network;
        membership = new Membership(self, configurationChain, group.keys(), least);
    }

    /** Returns whether another configuration follows the one of this life. */
    boolean isOver() {
        return over;
    }

    void onMessage(long nowMillis, Peer peer, long requestId, MembershipMessage message) throws IOException {
        PrincipalId from = peer.principal();
        if (message instanceof AskSuccessor ask && (from.kind() != PrincipalKind.REPLICA || requestId != NO_REQUEST)) {
            membership.successorOf(nowMillis, from, ask.configuration()).ifPresent(told -> {
                var _ = peer.send(requestId, told);
            });
        } else if (from.kind() == PrincipalKind.REPLICA) {
            membership.onMessage(nowMillis, from, message);
            carryOut(peer);
        }
    }

    /** Another part of this process has learned of it. */
    void onLearned(long nowMillis, Successor said) throws IOException {
        membership.onMessage(nowMillis, self, said);
        carryOut(null);
    }

    /** Handles the end of this life's configuration; the mandate is the one in the state. */
    void onEnded(long nowMillis, Handover handover, Bytes authorization) throws IOException {
        membership.onEnded(nowMillis, handover, authorization);
        carryOut(null);
    }

    /** Another replica speaks in this configuration. */
    void onOther(long nowMillis, PrincipalId from, long configuration) throws IOException {
        membership.onOther(nowMillis, from, configuration);
        carryOut(null);
    }

    void onTick(long nowMillis) throws IOException {
        membership.onTick(nowMillis);
        carryOut(null);
    }

    /**
     * Sends messages before the proof takes effect: a removed replica learns of it while its link is still accepted.
     */
    private void carryOut(@Nullable Peer asking) throws IOException {
        List<MembershipEffect> effects = membership.drain();
        for (MembershipEffect effect : effects) {
            if (effect instanceof MembershipEffect.Send send) {
                send(send.to(), send.message(), asking);
            }
        }
        for (MembershipEffect effect : effects) {
            if (effect instanceof MembershipEffect.Advance advance) {
                group.acceptDurably(advance.said());
                over = true;
            }
        }
    }

    private void send(PrincipalId to, MembershipMessage message, @Nullable Peer asking) {
        if (!network.send(to, message) && asking != null && asking.principal().equals(to)) {
            var _ = asking.send(NO_REQUEST, message);
        }
    }
}
