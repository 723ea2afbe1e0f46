package io.bulwark.console.work;

import io.bulwark.console.StatusView;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Background work, as each node and replica reports its own. Sizes in bytes, rates per second over the last minute at most; null
 * while they are unknown.
 *
 * @param at when the cluster reported it
 * @param alarms what an operator should look at, the worst first
 */
public record WorkView(
        Instant at,
        List<Alarm> alarms,
        List<NodeWork> nodes,
        List<VolumeWork> volumes,
        StatusView.Recoveries recoveries) {
    /**
     * Something that does not go as it should.
     *
     * @param level {@code bad} or {@code warn}
     * @param subject node, replica or volume
     */
    public record Alarm(String level, String subject, String text) {}

    /**
     * Scrubbing, repair and rebuilding of a node since it started.
     *
     * @param pending blocks that it must still complete or repair
     * @param lacking extents of the archive class that wait for dissemination to it
     * @param checked fragments re-read and checked, and blocks about which it asked its peers
     * @param idleShare part of the time in which it did such work while no client waited, from 0 to 1
     * @param poolBytes what unverified versions take of its history pool
     * @param poolNeededBytes the least that the pool should have; 0 if it is enough
     * @param uncompared names of volumes that it has not compared with its peers since it started
     * @param rebuild null if it rebuilds nothing
     */
    public record NodeWork(
            int number,
            boolean reachable,
            long pending,
            long lacking,
            long checked,
            @Nullable Double checkedPerSecond,
            long foundBad,
            long repaired,
            long idleMillis,
            @Nullable Double idleShare,
            long poolBytes,
            long poolMaxBytes,
            long poolNeededBytes,
            List<String> uncompared,
            StatusView.@Nullable Rebuild rebuild) {}

    /**
     * Verification of a volume's versions.
     *
     * @param verification when its protocol verifies a version, in words
     * @param unverified versions that nodes hold unverified, counted at each node: the backlog
     * @param verifiedPerSecond verifications of all nodes
     * @param nodes empty unless versions are verified in the background
     */
    public record VolumeWork(
            String name,
            String protocol,
            String verification,
            long unverified,
            @Nullable Double verifiedPerSecond,
            List<NodeVersions> nodes) {}

    /**
     * Versions of a volume that a node holds, and its verifications since it started.
     *
     * @param verifications by reading at the others
     * @param onDemand those of them for which a bound, a read or a write waited
     * @param cooperative versions verified by the word of b + 1 others
     * @param avoided versions collected without verification, as a later one was verified
     * @param poisonous versions discarded
     * @param refused writes refused at a bound
     */
    public record NodeVersions(
            int node,
            long unverified,
            long poolBytes,
            long verifications,
            long onDemand,
            long cooperative,
            long avoided,
            long poisonous,
            long refused) {}
}
