package io.bulwark.storage.store;

import io.bulwark.protocol.effect.RecordKind;
import java.util.EnumSet;
import java.util.Set;

/**
 * Records that are held in memory for a while before they are written, so that deleted or replaced ones never reach the
 * disk. Under {@link Durability#SYNC} nothing is held; under {@link Durability#INTERVAL} no longer than the flush
 * interval.
 *
 * @param millis longest time in memory
 * @param bytesMax limit of the held bytes; beyond it, the oldest are written at once
 * @param kinds the records concerned
 */
public record WriteBack(long millis, long bytesMax, Set<RecordKind> kinds) {
    /** Everything is written at once. */
    public static final WriteBack NONE = new WriteBack(0, 0, Set.of());

    public WriteBack {
        kinds = kinds.isEmpty() ? Set.of() : Set.copyOf(EnumSet.copyOf(kinds));
        if (millis < 0 || bytesMax < 0 || millis > 3_600_000) {
            throw new IllegalArgumentException("write-back after " + millis + " ms of up to " + bytesMax + " bytes");
        }
    }

    /** Versions of registers under PASIS: 32 MiB at most. */
    public static WriteBack versions(long millis) {
        return versions(millis, StoreConfig.RESERVE_BYTES / 2);
    }

    /** Versions of registers under PASIS. */
    public static WriteBack versions(long millis, long bytesMax) {
        return new WriteBack(millis, bytesMax, Set.of(RecordKind.PASIS_VERSION, RecordKind.PASIS_POSSIBLE));
    }

    /** Returns how long records are held under a durability. */
    long heldMillis(Durability durability, int flushIntervalMillis) {
        return switch (durability) {
            case SYNC -> 0;
            case INTERVAL -> Math.min(millis, flushIntervalMillis);
            case NONE -> millis;
        };
    }
}
