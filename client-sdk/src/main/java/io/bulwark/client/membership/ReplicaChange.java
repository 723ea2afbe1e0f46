package io.bulwark.client.membership;

import io.bulwark.client.Replicas;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import java.util.ArrayList;
import java.util.List;

/**
 * Change of the replicas that an operator requests.
 *
 * @param leaving replicas to remove
 * @param coming replicas to add
 */
public record ReplicaChange(List<PrincipalId> leaving, List<Member> coming) {
    public ReplicaChange {
        leaving = List.copyOf(leaving);
        coming = List.copyOf(coming);
    }

    /** Returns whether these replicas are as this change requires, whichever change made them so. */
    public boolean isDone(Configuration now) {
        return leaving.stream().noneMatch(replica -> now.placeOf(replica) >= 0)
                && coming.stream().allMatch(member -> isIn(now, member));
    }

    /**
     * Returns whether this change led from one of these configurations to the next, and the last one still is as it
     * requires.
     */
    boolean wasDone(List<Configuration> history) {
        for (int i = 1; i < history.size(); i++) {
            if (made(history.get(i - 1), history.get(i))) {
                return isDone(history.getLast());
            }
        }
        return false;
    }

    private boolean made(Configuration before, Configuration after) {
        return leaving.stream().allMatch(replica -> before.placeOf(replica) >= 0)
                && coming.stream().allMatch(member -> before.placeOf(member.replica()) < 0)
                && isDone(after);
    }

    private static boolean isIn(Configuration now, Member member) {
        return now.members().stream()
                .anyMatch(each ->
                        each.replica().equals(member.replica()) && each.key().equals(member.key()));
    }

    /** Returns the proven configurations, followed by those that the replicas have agreed on since. */
    static List<Configuration> with(List<Configuration> known, Replicas.GroupMembership standing) {
        List<Configuration> all = new ArrayList<>(known);
        if (standing.now().number() > all.getLast().number()) {
            all.add(standing.now());
        }
        standing.next().filter(next -> next.number() > all.getLast().number()).ifPresent(all::add);
        return all;
    }
}
