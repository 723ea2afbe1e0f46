package io.bulwark.console.node;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Consequences of a move of slots, before it is made.
 *
 * @param version of the cluster map that the plan is for; {@code If-Match} of the action
 * @param bytes approximately how much is rebuilt at the new holders
 * @param estimatedMillis time of the rebuild at the limit of the rebuild rate; null if that is unknown
 * @param risks how many faults each group can take meanwhile
 * @param keptVolumes register volumes without verification, which keep their holders
 * @param sentences the plan for people
 */
public record PlanView(
        String title,
        int node,
        long version,
        List<MoveView> moves,
        long bytes,
        @Nullable Long estimatedMillis,
        List<Risk> risks,
        List<String> keptVolumes,
        List<String> sentences) {
    /** A slot that gets another holder. */
    public record MoveView(String volume, int group, int from, int to, long bytes) {}

    /**
     * Faults that a group can take while its slot moves.
     *
     * @param faultsLeft zero or less: the next fault of another holder may make data unavailable
     * @param millis for about how long; null if unknown
     */
    public record Risk(
            String volume,
            int group,
            int faultsLeft,
            @Nullable Long millis) {}
}
