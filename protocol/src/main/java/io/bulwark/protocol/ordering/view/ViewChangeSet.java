package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChangeAck;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The VIEW-CHANGEs of one view that a replica holds, and what vouches for each. */
final class ViewChangeSet {
    private record HeldViewChange(ViewChange message, Bytes digest) {
        static HeldViewChange of(ViewChange message) {
            return new HeldViewChange(message, ViewDigest.of(message));
        }
    }

    private final ViewGroup group;
    private final int self;

    /** By sender: authenticated by it. */
    private final @Nullable HeldViewChange[] direct;

    /** VIEW-CHANGEs that a NEW-VIEW names and others have forwarded, by sender. */
    private final @Nullable HeldViewChange[] forwarded;

    /** By sender of the VIEW-CHANGE, then by who acknowledges: its last one, of this view or of a later one. */
    private final @Nullable ViewChangeAck[][] acks;

    private @Nullable ViewChange own;

    ViewChangeSet(ViewGroup group, int self) {
        this.group = group;
        this.self = self;
        direct = new HeldViewChange[group.replicas()];
        forwarded = new HeldViewChange[group.replicas()];
        acks = new ViewChangeAck[group.replicas()][group.replicas()];
    }

    void begin(ViewChange message) {
        clear();
        own = message;
        direct[self] = HeldViewChange.of(message);
    }

    void amend(ViewChange message) {
        own = message;
        direct[self] = HeldViewChange.of(message);
    }

    /** Acknowledgements stay: they name their view. */
    void clear() {
        own = null;
        Arrays.fill(direct, null);
        Arrays.fill(forwarded, null);
    }

    Optional<ViewChange> own() {
        return Optional.ofNullable(own);
    }

    /** Returns false if there is one from this sender: a correct replica sends no other. */
    boolean add(int from, ViewChange message) {
        if (direct[from] != null) {
            return false;
        }
        direct[from] = HeldViewChange.of(message);
        return true;
    }

    void acknowledge(int from, ViewChangeAck ack) {
        if (ack.replica() < 0 || ack.replica() >= group.replicas() || ack.view() < 0) {
            return;
        }
        ViewChangeAck before = acks[ack.replica()][from];
        if (before == null || before.view() <= ack.view()) {
            acks[ack.replica()][from] = ack;
        }
    }

    void forget(int peer) {
        direct[peer] = null;
    }

    void forgetAcks(int peer) {
        for (@Nullable ViewChangeAck[] ofOne : acks) {
            ofOne[peer] = null;
        }
    }

    /** Accepts another's VIEW-CHANGE if the NEW-VIEW names it; the acknowledgements decide whether it counts. */
    void offer(NewView newView, int replica, ViewChange message) {
        if (forwarded[replica] != null || !ViewChecks.isPlausible(group, message)) {
            return;
        }
        HeldViewChange held = HeldViewChange.of(message);
        if (newView.support().contains(new Support(replica, held.digest))) {
            forwarded[replica] = held;
        }
    }

    long presentReplicas() {
        long bits = 0;
        for (int replica = 0; replica < direct.length; replica++) {
            bits |= direct[replica] == null ? 0 : 1L << replica;
        }
        return bits;
    }

    boolean has(int replica) {
        return direct[replica] != null;
    }

    /** The acknowledgement that this replica gives for what another has sent it. */
    Optional<ViewChangeAck> ackOf(int replica) {
        HeldViewChange held = direct[replica];
        return held == null || replica == self
                ? Optional.empty()
                : Optional.of(new ViewChangeAck(held.message.view(), replica, held.digest));
    }

    /** All that this replica acknowledges. */
    List<ViewChangeAck> acks() {
        return IntStream.range(0, direct.length)
                .mapToObj(this::ackOf)
                .flatMap(Optional::stream)
                .toList();
    }

    Optional<ViewChange> find(int replica, Bytes digest) {
        for (HeldViewChange held : Arrays.asList(direct[replica], forwarded[replica])) {
            if (held != null && held.digest.equals(digest)) {
                return Optional.of(held.message);
            }
        }
        return Optional.empty();
    }

    /**
     * Returns S, at the primary: the VIEW-CHANGEs that it received itself and 2f-1 others, neither the primary nor the
     * sender, acknowledge.
     */
    List<Support> support() {
        List<Support> support = new ArrayList<>(direct.length);
        for (int replica = 0; replica < direct.length; replica++) {
            HeldViewChange held = direct[replica];
            if (held != null && (replica == self || acknowledged(replica, held, self) >= 2 * group.faulty() - 1)) {
                support.add(new Support(replica, held.digest));
            }
        }
        return support;
    }

    /** Returns whether the primary's V names, for this replica or for the primary, another message than they sent. */
    boolean isContradictory(Support named, int primary) {
        HeldViewChange held = direct[named.replica()];
        return (named.replica() == self || named.replica() == primary)
                && held != null
                && !held.digest.equals(named.digest());
    }

    /**
     * A VIEW-CHANGE that V names and that a backup may believe in: its sender authenticated it to this replica, or f
     * replicas other than the primary, its sender and this one acknowledge it. Not all of these and the primary are
     * faulty.
     */
    Optional<ViewChange> proven(Support named, int primary) {
        HeldViewChange held = direct[named.replica()];
        if (held != null && held.digest.equals(named.digest())) {
            return Optional.of(held.message);
        }
        HeldViewChange other = forwarded[named.replica()];
        return other != null && acknowledged(named.replica(), other, primary) >= group.faulty()
                ? Optional.of(other.message)
                : Optional.empty();
    }

    private int acknowledged(int sender, HeldViewChange held, int primary) {
        ViewChangeAck ack = new ViewChangeAck(held.message.view(), sender, held.digest);
        int count = 0;
        for (int replica = 0; replica < direct.length; replica++) {
            boolean counts = replica != sender && replica != primary && replica != self;
            count += counts && ack.equals(acks[sender][replica]) ? 1 : 0;
        }
        return count;
    }
}
