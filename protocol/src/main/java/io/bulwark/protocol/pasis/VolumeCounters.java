package io.bulwark.protocol.pasis;

import io.bulwark.protocol.id.BlockId;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The counters of a server by volume. */
final class VolumeCounters {
    private final Map<Integer, PasisCounters> counters = new HashMap<>();
    private final Set<Integer> changed = new HashSet<>();

    private void add(BlockId block, PasisCounters more) {
        counters.merge(block.volume(), more, PasisCounters::plus);
        changed.add(block.volume());
    }

    void possible(BlockId block, int versions, long bytes) {
        add(block, new PasisCounters(versions, bytes, 0, 0, 0, 0, 0, 0, 0, 0));
    }

    void verification(BlockId block, boolean onDemand) {
        add(block, new PasisCounters(0, 0, 1, onDemand ? 1 : 0, 0, 0, 0, 0, 0, 0));
    }

    void countCooperative(BlockId block) {
        add(block, new PasisCounters(0, 0, 0, 0, 1, 0, 0, 0, 0, 0));
    }

    void countAvoided(BlockId block, int versions) {
        add(block, new PasisCounters(0, 0, 0, 0, 0, versions, 0, 0, 0, 0));
    }

    void poisonous(BlockId block) {
        add(block, new PasisCounters(0, 0, 0, 0, 0, 0, 1, 0, 0, 0));
    }

    void refused(BlockId block) {
        add(block, new PasisCounters(0, 0, 0, 0, 0, 0, 0, 1, 0, 0));
    }

    /** Counts an answer to a client's read. */
    void countAnswer(BlockId block, boolean withFragment) {
        add(block, PasisCounters.ofAnswer(withFragment));
    }

    /** Reports the changes since its last report. */
    void tell(VerificationWatch watch) {
        changed.forEach(volume -> watch.onCountersChanged(volume, counters.getOrDefault(volume, PasisCounters.ZERO)));
        changed.clear();
    }
}
