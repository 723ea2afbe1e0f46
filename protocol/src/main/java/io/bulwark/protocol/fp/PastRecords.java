package io.bulwark.protocol.fp;

import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.effect.Stored;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * What stands on the device of a block from before this node took its slot: it counts for nothing, and is cleared away. What could not be
 * cleared is loaded and cleared again after a while.
 */
final class PastRecords {
    private final FpRegister register;
    private final FpNode node;
    private boolean left;
    private long againMillis;

    PastRecords(FpRegister register, FpNode node) {
        this.register = register;
        this.node = node;
    }

    /** Whether some of it is still there, as far as is known. */
    boolean any() {
        return left;
    }

    /** Whether it is time to load the block again, as something is left to be cleared. */
    boolean due(long nowMillis) {
        return left && nowMillis >= againMillis;
    }

    /**
     * All that there is of it, as it was loaded.
     *
     * @param then when that is over, whatever came of it
     * @return false if there is nothing to clear: nothing will be called
     */
    boolean clear(List<VersionRecord> past, LongConsumer then) {
        left = !past.isEmpty();
        if (!left) {
            return false;
        }
        List<Mutation> mutations = new ArrayList<>();
        for (VersionRecord record : past) {
            mutations.add(new Mutation.Delete(record.key(register.block())));
            register.uncharge(record, mutations);
        }
        node.out().store(mutations, (now, stored) -> {
            if (stored == Stored.DURABLE) {
                left = false;
                past.forEach(register::uncharged);
            } else {
                againMillis = now + node.limits().repairMillis();
            }
            then.accept(now);
        });
        return true;
    }
}
