package io.bulwark.simulation.byzantine;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Common knowledge of the faulty parties: every message that one of them sent or received. */
public final class Collusion {
    private static final int KNOWN_MAX = 4_096;

    /** A message that one of the faulty sent or was sent. */
    public record SeenMessage(PrincipalId from, PrincipalId to, long requestId, Message message) {}

    private final Set<PrincipalId> faulty;
    private final Random random;
    private final List<SeenMessage> known = new ArrayList<>();
    private int next;

    /** @param faulty nodes and clients; may grow */
    public Collusion(Simulation simulation, Set<PrincipalId> faulty, Random random) {
        this.faulty = faulty;
        this.random = random;
        simulation.observe((from, to, requestId, message) -> {
            if (faulty.contains(from) || faulty.contains(to)) {
                learn(new SeenMessage(from, to, requestId, message));
            }
        });
    }

    /** Returns whether this party is faulty. */
    public boolean isFaulty(PrincipalId party) {
        return faulty.contains(party);
    }

    /** Remembers a message; once the list is full, it replaces an old one. */
    private void learn(SeenMessage message) {
        if (known.size() < KNOWN_MAX) {
            known.add(message);
        } else {
            known.set(next++ % KNOWN_MAX, message);
        }
    }

    /** One of a few that match, or null. */
    public <T> @Nullable T recall(Class<T> kind, Predicate<T> matches) {
        if (known.isEmpty()) {
            return null;
        }
        int start = random.nextInt(known.size());
        for (int i = 0; i < known.size(); i++) {
            Message message = known.get((start + i) % known.size()).message();
            if (kind.isInstance(message) && matches.test(kind.cast(message))) {
                return kind.cast(message);
            }
        }
        return null;
    }

    /** Anything ever seen, or null. */
    public @Nullable SeenMessage anySeen() {
        return known.isEmpty() ? null : known.get(random.nextInt(known.size()));
    }
}
