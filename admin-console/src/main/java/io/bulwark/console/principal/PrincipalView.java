package io.bulwark.console.principal;

import io.bulwark.client.Principals;
import io.bulwark.protocol.id.PrincipalKey;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A principal, as 2f + 1 replicas agree on it.
 *
 * @param kind {@code client}, {@code node} or {@code replica}
 * @param state {@code active}, {@code invited}, {@code suspended}, {@code reported} (for poisonous versions, but it administers
 *     the volume and may still write), {@code revoked}
 * @param keys in Base64, the newest first; none if it is revoked
 * @param invitedUntil end of its invitation; null unless it is invited
 * @param suspension reports that suspend it; null if there are none, or the person may not see them
 */
record PrincipalView(
        String id,
        String kind,
        String state,
        List<String> keys,
        @Nullable Instant invitedUntil,
        @Nullable SuspensionView suspension) {
    private static final int TAIL = 16;

    /**
     * A client that b + 1 nodes of a placement group have reported for poisonous versions.
     *
     * @param enforced whether it may not write; false for a volume administrator
     * @param fault number of the recorded fault
     */
    record SuspensionView(String client, Instant since, boolean enforced, long fault, List<ReportView> reports) {
        static SuspensionView of(Principals.Suspension suspension) {
            return new SuspensionView(
                    suspension.client().toString(),
                    suspension.since(),
                    suspension.enforced(),
                    suspension.fault(),
                    suspension.reports().stream()
                            .map(report -> new ReportView(
                                    report.reporter().toString(),
                                    report.block().toString(),
                                    report.session(),
                                    report.detail()))
                            .toList());
        }
    }

    /** A node's report of a poisonous version of a block, which came in this session of the client. */
    record ReportView(String node, String block, long session, String found) {}

    static PrincipalView of(Principals.Entry entry, Optional<Principals.Suspension> suspension) {
        return new PrincipalView(
                entry.principal().toString(),
                entry.principal().kind().name().toLowerCase(Locale.ROOT),
                state(entry, suspension),
                entry.keys().stream().map(PrincipalKey::text).toList(),
                entry.invitedUntil().orElse(null),
                suspension.map(SuspensionView::of).orElse(null));
    }

    private static String state(Principals.Entry entry, Optional<Principals.Suspension> suspension) {
        if (entry.revoked()) {
            return "revoked";
        }
        if (entry.invitedUntil().isPresent()) {
            return "invited";
        }
        return suspension
                .map(each -> each.enforced() ? "suspended" : "reported")
                .orElse("active");
    }

    /** Returns the ends of the keys, by which people tell them apart. */
    public List<String> keyTails() {
        return keys.stream()
                .map(key -> "…" + key.substring(Math.max(0, key.length() - TAIL)))
                .toList();
    }
}
