package io.bulwark.console.dashboard;

import io.bulwark.console.dashboard.Redundancy.Activity;
import io.bulwark.console.dashboard.Redundancy.Level;
import io.bulwark.console.dashboard.Redundancy.Margin;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Summary of the cluster.
 *
 * @param level the worst of all levels; {@code UNKNOWN} while the cluster does not answer, whatever was known before
 * @param headline the state in one sentence
 * @param at when the cluster reported what is shown; null if it never did
 * @param outage why the cluster does not answer; null if it does
 * @param margins of the replicas and each volume, the worst first; their levels are those of {@code at}
 * @param activities faults, and the work that follows from them
 * @param capacity null if nothing is known
 * @param events the last events, the newest first
 */
record DashboardView(
        Level level,
        String headline,
        @Nullable Instant at,
        @Nullable Outage outage,
        List<Margin> margins,
        List<Activity> activities,
        @Nullable Capacity capacity,
        Load load,
        List<Event> events) {

    /** The cluster does not answer. */
    record Outage(String problem, Instant since) {}

    /**
     * Sums over the nodes that answer.
     *
     * @param fullInMillis when it is full at the growth of the last hour; null if it does not grow, or too little is known
     * @param silentNodes nodes whose capacity is not included
     */
    record Capacity(
            long usedBytes,
            long freeBytes,
            long objects,
            long objectBytes,
            @Nullable Double growthBytesPerHour,
            @Nullable Long fullInMillis,
            int silentNodes) {
        /** Returns the used share in percent. */
        public int percent() {
            long all = usedBytes + freeBytes;
            return all <= 0 ? 0 : (int) Math.min(100, Math.round(100.0 * usedBytes / all));
        }
    }

    /**
     * Load in the last sample.
     *
     * @param commandsPerSecond metadata commands that f+1 replicas have executed; null if unknown
     * @param metadataMillis time of the last agreed read of the metadata; null if unknown
     * @param rebuildBytesPerSecond as the nodes say
     * @param pendingBlocks as the nodes say
     */
    record Load(
            @Nullable Double commandsPerSecond,
            @Nullable Double metadataMillis,
            long rebuildBytesPerSecond,
            long pendingBlocks) {}

    /**
     * Event of the cluster.
     *
     * @param kind {@code fault}, {@code recovery} or {@code change}
     */
    record Event(Instant at, String kind, Level level, String text) {}
}
