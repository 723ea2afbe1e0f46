package io.bulwark.protocol.pasis;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The versions of one block as they are durable at this node. */
final class Versions {
    private static final int POISONOUS_KEPT = 64;

    private final TreeMap<ValidatingTimestamp, VersionRecord> versions = new TreeMap<>();
    private final Set<ValidatingTimestamp> damaged = new HashSet<>();
    private final Set<VersionName> poisonous = new HashSet<>();
    private ValidatingTimestamp collected = ValidatingTimestamp.NONE;
    private long time;

    void clear() {
        versions.clear();
        damaged.clear();
        collected = ValidatingTimestamp.NONE;
        time = 0;
    }

    /** All before this may have been collected: this or a later version is complete. */
    ValidatingTimestamp collected() {
        return collected;
    }

    /** The greatest logical time of what is or was here. */
    long time() {
        return time;
    }

    void floor(VersionRecord.Floor floor) {
        collect(floor.collected());
        time = LogicalTime.later(time, floor.time());
    }

    void collect(ValidatingTimestamp to) {
        collected = to.isAfter(collected) ? to : collected;
        time = LogicalTime.later(time, to.time());
    }

    void put(VersionRecord record) {
        versions.put(record.timestamp(), record);
        damaged.remove(record.timestamp());
        time = LogicalTime.later(time, record.timestamp().time());
        if (record.verified()) {
            collect(record.timestamp());
        }
    }

    /** Does the same as {@link #put} for metadata alone: a damaged fragment stays damaged. */
    void update(VersionRecord record) {
        boolean bad = damaged.contains(record.timestamp());
        put(record);
        if (bad) {
            damaged.add(record.timestamp());
        }
    }

    void remove(ValidatingTimestamp version) {
        versions.remove(version);
        damaged.remove(version);
    }

    @Nullable
    VersionRecord get(ValidatingTimestamp version) {
        return versions.get(version);
    }

    @Nullable
    VersionRecord get(VersionName name) {
        for (VersionRecord record : versions.values()) {
            if (record.timestamp().time() == name.time()
                    && record.timestamp().name().equals(name)) {
                return record;
            }
        }
        return null;
    }

    /** Returns whether its fragment is here, as far as is known. */
    boolean holds(ValidatingTimestamp version) {
        return versions.containsKey(version) && !damaged.contains(version);
    }

    /** Returns whether it holds this version, or has collected it for a later one. */
    boolean covers(ValidatingTimestamp version) {
        return holds(version) || collected.isAfter(version);
    }

    boolean isDamaged(ValidatingTimestamp version) {
        return damaged.contains(version);
    }

    void damage(ValidatingTimestamp version) {
        damaged.add(version);
    }

    List<VersionRecord> before(ValidatingTimestamp version) {
        return new ArrayList<>(versions.headMap(version, false).values());
    }

    /** Returns the versions in descending order, from the greatest or from before a version. */
    List<VersionRecord> history(ValidatingTimestamp before) {
        return new ArrayList<>((before.isNone() ? versions : versions.headMap(before, false))
                .descendingMap()
                .values());
    }

    List<PasisMessage.Entry> entries() {
        return history(ValidatingTimestamp.NONE).stream()
                .map(record -> new PasisMessage.Entry(record.timestamp(), record.verified()))
                .toList();
    }

    ValidatingTimestamp greatest() {
        return versions.isEmpty() ? ValidatingTimestamp.NONE : versions.lastKey();
    }

    boolean isPoisonous(VersionName name) {
        return poisonous.contains(name);
    }

    /** Remembered for a while: what was found out once is not accepted again. */
    void poisonous(VersionName name) {
        if (poisonous.size() < POISONOUS_KEPT) {
            poisonous.add(name);
        }
    }
}
