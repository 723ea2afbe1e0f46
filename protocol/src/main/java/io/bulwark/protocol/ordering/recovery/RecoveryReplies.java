package io.bulwark.protocol.ordering.recovery;

import io.bulwark.protocol.ordering.message.ReplicaMessage.RecoveryReply;
import io.bulwark.protocol.ordering.view.ViewGroup;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Replies to a recovery request (4.4). It takes 2f+1 equal ones, of which the replica's own execution is one, so that a
 * recovery ends with f others dead.
 */
public final class RecoveryReplies {
    /** Placeholder for the view in the replica's own reply, which is no evidence about the others' views. */
    public static final long NO_VIEW = -1;

    private final ViewGroup group;
    private final Map<Integer, RecoveryReply> said = new TreeMap<>();

    public RecoveryReplies(ViewGroup group) {
        this.group = group;
    }

    /** The last one of each replica counts. */
    public void onReply(int from, RecoveryReply reply) {
        said.put(from, reply);
    }

    public void forget(int replica) {
        said.remove(replica);
    }

    public void clear() {
        said.clear();
    }

    /** The number of the request, once 2f+1 replicas say that they executed it so and accepted it. */
    public Optional<Long> accepted() {
        return sequence(true, group.quorum());
    }

    /** f+1 replicas, a correct one among them, refused it when they executed it. */
    public boolean isRefused() {
        return sequence(false, group.weakQuorum()).isPresent();
    }

    private Optional<Long> sequence(boolean accepted, int needed) {
        for (RecoveryReply each : said.values()) {
            int equal = 0;
            for (RecoveryReply other : said.values()) {
                equal += other.accepted() == accepted && other.sequence() == each.sequence() ? 1 : 0;
            }
            if (equal >= needed) {
                return Optional.of(each.sequence());
            }
        }
        return Optional.empty();
    }

    /** Returns the view in which a replica continues: its own if f+1 others are as far, else the median of theirs. */
    public long validView(long own) {
        long[] views = views();
        int asFar = 0;
        for (long view : views) {
            asFar += view >= own ? 1 : 0;
        }
        // For an even number, use the lower median: f+1 are not below it.
        return asFar >= group.weakQuorum() || views.length == 0 ? own : views[(views.length - 1) / 2];
    }

    /**
     * Returns whether 2f+1 others are behind this view by more than one, so that no correct replica with a correct disk
     * has it: f of those others would have reached the view before it. Among f others that are not behind one is
     * correct, if this disk is not.
     */
    public boolean isForged(long own) {
        return Arrays.stream(views()).filter(view -> view < own - 1).count() >= group.quorum();
    }

    /**
     * Returns whether the missing replies can no longer change the result of {@link #isForged}. The replies suffice
     * eventually, since one of the two cases holds.
     */
    public boolean isJudged(long own) {
        return isForged(own)
                || Arrays.stream(views()).filter(view -> view >= own - 1).count() >= group.faulty();
    }

    private long[] views() {
        return said.values().stream()
                .mapToLong(RecoveryReply::view)
                .filter(view -> view != NO_VIEW)
                .sorted()
                .toArray();
    }
}
