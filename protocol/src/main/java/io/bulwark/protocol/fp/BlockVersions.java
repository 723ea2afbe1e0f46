package io.bulwark.protocol.fp;

import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** The store table of one block (thesis 4.2.3): its versions as they are durable, and the latest commit. */
final class BlockVersions {
    /** An overwritten version that slow readers may still want. */
    record KeptVersion(PrincipalId chargedTo, long untilMillis) {}

    private final TreeMap<Timestamp, VersionRecord> versions = new TreeMap<>();
    private final Map<Timestamp, KeptVersion> kept = new HashMap<>();
    private final Set<Timestamp> damaged = new HashSet<>();
    private Timestamp latest = Timestamp.NONE;

    /** The greatest that this node's own READ has proven since it started. */
    private Timestamp proven = Timestamp.NONE;

    Timestamp latest() {
        return latest;
    }

    Timestamp proven() {
        return proven;
    }

    void prove(Timestamp version) {
        if (version.isAfter(proven)) {
            proven = version;
        }
    }

    @Nullable
    VersionRecord get(Timestamp version) {
        return versions.get(version);
    }

    @Nullable
    VersionRecord byName(Version name) {
        for (VersionRecord record : versions.values()) {
            if (record.version().ts() == name.ts() && record.version().version().equals(name)) {
                return record;
            }
        }
        return null;
    }

    void put(VersionRecord record) {
        versions.put(record.version(), record);
        if (record.committed() && record.version().isAfter(latest)) {
            latest = record.version();
        }
    }

    void remove(Timestamp version) {
        versions.remove(version);
        kept.remove(version);
        damaged.remove(version);
    }

    void clear() {
        versions.clear();
        kept.clear();
        damaged.clear();
        latest = Timestamp.NONE;
    }

    void damage(Timestamp version) {
        damaged.add(version);
    }

    void heal(Timestamp version) {
        damaged.remove(version);
    }

    boolean isDamaged(Timestamp version) {
        return damaged.contains(version);
    }

    /** Returns whether there is a fragment of the version that is not known to be bad. */
    boolean holds(Timestamp version) {
        VersionRecord record = versions.get(version);
        return record != null && record.hasFragment() && !damaged.contains(version);
    }

    List<VersionRecord> versionsBelow(Timestamp version) {
        return new ArrayList<>(versions.headMap(version, false).values());
    }

    /** Staged and not overwritten, the greatest first. */
    List<VersionRecord> stagedAboveLatest() {
        return new ArrayList<>(versions.tailMap(latest, false).descendingMap().values());
    }

    long stagedBy(PrincipalId writer) {
        return versions.values().stream()
                .filter(record -> !record.committed() && record.writer().equals(writer))
                .count();
    }

    /** The sessions of a client that have something staged here, one for each version. */
    List<Long> sessionsOf(PrincipalId writer) {
        return versions.values().stream()
                .filter(record -> record.isChargedTo(writer))
                .map(VersionRecord::session)
                .toList();
    }

    void keep(Timestamp version, KeptVersion how) {
        kept.put(version, how);
    }

    Map<Timestamp, KeptVersion> kept() {
        return Map.copyOf(kept);
    }

    boolean hasKeptVersions() {
        return !kept.isEmpty();
    }
}
