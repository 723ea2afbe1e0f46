package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.message.ReplicaMessage.DigestView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.PrePrepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Prepared;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Support;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.wire.Bytes;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Checks whether a view change message could come from a correct replica at all, whatever its claims. */
final class ViewChecks {
    private ViewChecks() {}

    /** Everything in order of its number, nothing twice, all between the sender's water marks and of earlier views. */
    static boolean isPlausible(ViewGroup group, ViewChange message) {
        long low = message.stable();
        if (message.view() < 1
                || low < 0
                || low > Long.MAX_VALUE - group.logSize()
                || low % group.checkpointInterval() != 0) {
            return false;
        }
        return hasPlausibleCheckpoints(group, message)
                && hasPlausiblePrepared(group, message)
                && hasPlausiblePrePrepared(group, message);
    }

    private static boolean hasPlausibleCheckpoints(ViewGroup group, ViewChange message) {
        if (message.checkpoints().size() > group.checkpointsMax()) {
            return false;
        }
        long before = -1;
        for (Numbered checkpoint : message.checkpoints()) {
            if (checkpoint.sequence() <= before
                    || checkpoint.sequence() > message.stable() + group.logSize()
                    || checkpoint.sequence() % group.checkpointInterval() != 0
                    || !isDigest(checkpoint.digest())) {
                return false;
            }
            before = checkpoint.sequence();
        }
        return true;
    }

    private static boolean hasPlausiblePrepared(ViewGroup group, ViewChange message) {
        long before = message.stable();
        for (Prepared entry : message.prepared()) {
            if (entry.sequence() <= before
                    || entry.sequence() > message.stable() + group.logSize()
                    || !isEarlier(entry.view(), message)
                    || !isDigest(entry.digest())) {
                return false;
            }
            before = entry.sequence();
        }
        return true;
    }

    private static boolean hasPlausiblePrePrepared(ViewGroup group, ViewChange message) {
        long before = message.stable();
        for (PrePrepared entry : message.prePrepared()) {
            if (entry.sequence() <= before
                    || entry.sequence() > message.stable() + group.logSize()
                    || entry.pairs().isEmpty()
                    || entry.pairs().size() > group.digestsMax()) {
                return false;
            }
            before = entry.sequence();
            Bytes last = Bytes.EMPTY;
            for (DigestView pair : entry.pairs()) {
                if (!isDigest(pair.digest())
                        || pair.digest().compareTo(last) <= 0
                        || !isEarlier(pair.view(), message)) {
                    return false;
                }
                last = pair.digest();
            }
        }
        return true;
    }

    /**
     * V of at least 2f+1 different replicas, and choices for numbers from the checkpoint on without gaps, up to L above
     * it at most.
     */
    static boolean isPlausible(ViewGroup group, NewView message) {
        Numbered checkpoint = message.checkpoint();
        if (message.view() < 1
                || message.support().size() < group.quorum()
                || message.support().size() > group.replicas()
                || message.chosen().size() > group.logSize()
                || checkpoint.sequence() < 0
                || checkpoint.sequence() > Long.MAX_VALUE - group.logSize()
                || !isDigest(checkpoint.digest())) {
            return false;
        }
        int before = -1;
        for (Support support : message.support()) {
            if (support.replica() <= before || support.replica() >= group.replicas() || !isDigest(support.digest())) {
                return false;
            }
            before = support.replica();
        }
        long number = checkpoint.sequence();
        for (Numbered choice : message.chosen()) {
            number++;
            if (choice.sequence() != number || !isDigest(choice.digest())) {
                return false;
            }
        }
        return true;
    }

    private static boolean isEarlier(long view, ViewChange message) {
        return view >= 0 && view < message.view();
    }

    private static boolean isDigest(Bytes digest) {
        return digest.length() == Hashes.LENGTH;
    }

    /**
     * Returns the lowest view of f+1 others that ask for later ones than this replica: a correct one is among them. Of
     * more than f+1 the f+1 latest count, so that replicas that are several views behind do not ask for each in turn.
     *
     * @param later the VIEW-CHANGE for a later view, by replica
     */
    static long joinable(ViewGroup group, @Nullable ViewChange[] later) {
        long[] views = Arrays.stream(later)
                .mapToLong(message -> message == null ? 0 : message.view())
                .sorted()
                .toArray();
        return views[views.length - group.weakQuorum()];
    }
}
