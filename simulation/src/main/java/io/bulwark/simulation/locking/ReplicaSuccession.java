package io.bulwark.simulation.locking;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Supplier;

/** Changes of replicas after which no more than f of them are faulty: one is replaced, three come or three leave. */
final class ReplicaSuccession {
    private static final int THREE = 3;

    private final Supplier<Configuration> now;
    private final Set<PrincipalId> faulty;
    private final Deque<Member> spares;

    /**
     * @param now the replicas that order
     * @param faulty replicas
     * @param spares correct ones that may come; none if the replicas stay
     */
    ReplicaSuccession(Supplier<Configuration> now, Set<PrincipalId> faulty, List<Member> spares) {
        this.now = now;
        this.faulty = faulty;
        this.spares = new ArrayDeque<>(spares);
    }

    /** Returns a change from the replicas of now on, if there is one. */
    Optional<Command> next(Random random) {
        Configuration before = now.get();
        List<PrincipalId> shuffled = new ArrayList<>(before.replicas());
        Collections.shuffle(shuffled, random);
        if (random.nextInt(THREE) == 0) {
            // The faulty ones first: they must become fewer.
            List<PrincipalId> leaving = new ArrayList<>(
                    shuffled.stream().filter(faulty::contains).limit(1).toList());
            shuffled.stream()
                    .filter(replica -> !leaving.contains(replica))
                    .limit(THREE - leaving.size())
                    .forEach(leaving::add);
            return before.faulty() > 1 ? Optional.of(change(before, leaving, 0)) : Optional.empty();
        }
        if (random.nextBoolean()) {
            return spares.size() >= THREE ? Optional.of(change(before, List.of(), THREE)) : Optional.empty();
        }
        return spares.isEmpty() ? Optional.empty() : Optional.of(change(before, List.of(shuffled.getFirst()), 1));
    }

    private Command change(Configuration before, List<PrincipalId> leaving, int coming) {
        List<Member> members = new ArrayList<>();
        for (int i = 0; i < coming; i++) {
            members.add(spares.remove());
        }
        return new Command.ChangeReplicas(before.number() + 1, leaving, members);
    }
}
