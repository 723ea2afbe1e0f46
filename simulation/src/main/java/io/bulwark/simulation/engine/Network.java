package io.bulwark.simulation.engine;

import io.bulwark.protocol.id.PrincipalId;
import java.util.HashSet;
import java.util.Random;
import java.util.Set;

/**
 * Network that decides which messages arrive, and when. Partitions are sets of links that are cut, each in one
 * direction.
 */
final class Network {
    private record Link(PrincipalId from, PrincipalId to) {}

    private final Random random;
    private final Set<Link> cut = new HashSet<>();
    private NetworkFaults faults;

    Network(Random random, NetworkFaults faults) {
        this.random = random;
        this.faults = faults;
    }

    void setFaults(NetworkFaults next) {
        faults = next;
    }

    void cut(PrincipalId from, PrincipalId to) {
        cut.add(new Link(from, to));
    }

    void heal() {
        cut.clear();
    }

    boolean isCut(PrincipalId from, PrincipalId to) {
        return !cut.isEmpty() && cut.contains(new Link(from, to));
    }

    /** Returns how many times a message that is sent now arrives. */
    int copies(PrincipalId from, PrincipalId to) {
        if (isCut(from, to) || random.nextInt(1000) < faults.lossPermille()) {
            return 0;
        }
        return random.nextInt(1000) < faults.repeatPermille() ? 2 : 1;
    }

    int delayMillis() {
        return faults.delayMillisMin() + random.nextInt(faults.delayMillisMax() - faults.delayMillisMin() + 1);
    }
}
