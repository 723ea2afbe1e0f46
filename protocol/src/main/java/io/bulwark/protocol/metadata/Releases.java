package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;

/**
 * Releases of the software from which supervisors may start replicas, as set by operators (4.4: the code of a
 * recovering replica is checked). Without any release nothing is checked. Versions only grow, so that nobody takes an
 * old list for a new one.
 */
final class Releases {
    /** The key of their version in {@link Tables#registryVersion}. */
    private static final int VERSION = 1;

    private final Tables tables;

    Releases(Tables tables) {
        this.tables = tables;
    }

    /** Allows a release, or withdraws it; a repeated command changes nothing. */
    void set(Command.SetRelease set) {
        boolean there = tables.releases.contains(set.hash());
        if (there == set.allowed()) {
            return;
        }
        if (set.allowed()) {
            CommandRefusal.refuseUnless(
                    hashes().size() < Command.RELEASES_MAX,
                    MetadataError.LIMIT_REACHED,
                    Command.RELEASES_MAX + " releases are allowed; forget unused ones");
            tables.releases.put(set.hash(), true);
        } else {
            tables.releases.remove(set.hash());
        }
        tables.registryVersion.put(VERSION, version() + 1);
    }

    Reply.ReleaseList list() {
        return new Reply.ReleaseList(version(), hashes());
    }

    private List<Bytes> hashes() {
        List<Bytes> all = new ArrayList<>();
        tables.releases.all().forEach(entry -> all.add(entry.key()));
        return all;
    }

    private long version() {
        return tables.registryVersion.get(VERSION).orElse(0L);
    }
}
