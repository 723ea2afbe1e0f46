package io.bulwark.storage.store;

import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Latest records of blocks in a store.
 *
 * @param blocks in their order
 * @param next the first block that was not examined, as there were too many; empty if there is none
 */
public record LatestRecords(List<Latest> blocks, Optional<BlockId> next) {
    /**
     * One block.
     *
     * @param suffix the greatest of its records'
     * @param whole whether none of its records is known to have lost its fragment
     */
    public record Latest(BlockId block, Bytes suffix, boolean whole) {}

    public LatestRecords {
        blocks = List.copyOf(blocks);
    }

    /** Takes records in their order. */
    static final class Collector {
        private final int max;
        private final List<Latest> blocks = new ArrayList<>();
        private int records;
        private @Nullable Latest last;
        private @Nullable BlockId next;

        Collector(int max) {
            this.max = max;
        }

        /** Adds a record, and returns whether it accepts more. */
        boolean add(RecordKey key, boolean whole) {
            Latest before = last;
            if (before != null && before.block().equals(key.block())) {
                last = new Latest(key.block(), key.suffix(), before.whole() && whole);
            } else if (records >= max) {
                next = key.block();
                return false;
            } else {
                end();
                last = new Latest(key.block(), key.suffix(), whole);
            }
            records++;
            return true;
        }

        LatestRecords end() {
            if (last != null) {
                blocks.add(last);
                last = null;
            }
            return new LatestRecords(blocks, Optional.ofNullable(next));
        }
    }
}
