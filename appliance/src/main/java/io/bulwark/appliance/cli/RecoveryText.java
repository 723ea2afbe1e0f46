package io.bulwark.appliance.cli;

import io.bulwark.console.StatusView;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Formats the recovery state of the replicas for people. */
final class RecoveryText {
    private RecoveryText() {}

    /** The parts of a report; none if replicas do not recover. */
    static List<String> of(StatusView.Recoveries recoveries, long nowMillis) {
        if (recoveries.periodMillis() == 0) {
            return List.of();
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("RECOVERY", "NOW", "LAST", "ESTIMATED", "ANSWERED", "CHECKED", "RECOVERED", "PAGES", "ALARM"));
        for (StatusView.Recovery each : recoveries.replicas()) {
            rows.add(row(each, nowMillis));
        }
        return List.of(Text.table(rows), window(recoveries));
    }

    private static List<String> row(StatusView.Recovery recovery, long nowMillis) {
        StatusView.Steps steps = recovery.steps();
        return List.of(
                "replica-" + recovery.number(),
                now(recovery),
                last(recovery, nowMillis),
                step(steps == null ? null : steps.estimatedMillis()),
                step(steps == null ? null : steps.answeredMillis()),
                step(steps == null ? null : steps.checkedMillis()),
                step(steps == null ? null : steps.recoveredMillis()),
                steps == null || steps.checkedMillis() == null
                        ? "-"
                        : steps.checkedPages() + " checked, " + steps.damagedPages() + " replaced",
                alarms(recovery));
    }

    /** A replica that replaced another could do no harm before it joined. Since then it may be faulty. */
    private static String last(StatusView.Recovery recovery, long nowMillis) {
        Long last = recovery.lastMillis();
        Long joined = recovery.joinedMillis();
        return last != null
                ? ago(last, nowMillis)
                : joined != null ? "never; joined " + ago(joined, nowMillis) : "never";
    }

    private static String ago(long millis, long nowMillis) {
        return Text.duration(Math.max(0, nowMillis - millis)) + " ago";
    }

    private static String now(StatusView.Recovery recovery) {
        StatusView.Steps steps = recovery.steps();
        if (!recovery.phase().equals("none") && steps != null) {
            return recovery.phase() + " for " + Text.duration(steps.agoMillis());
        }
        return recovery.phase().equals("none") && recovery.open() ? "awaited by the others" : recovery.phase();
    }

    private static String step(@Nullable Long millis) {
        return millis == null ? "-" : Text.duration(millis);
    }

    private static String alarms(StatusView.Recovery recovery) {
        List<String> alarms = new ArrayList<>();
        if (recovery.slow()) {
            alarms.add("SLOW");
        }
        if (recovery.overdue()) {
            alarms.add("OVERDUE");
        }
        if (recovery.forgotten()) {
            alarms.add("promises lost");
        }
        return String.join(", ", alarms);
    }

    private static String window(StatusView.Recoveries recoveries) {
        Long window = recoveries.windowMillis();
        if (window == null) {
            return "Window of vulnerability: " + recoveries.unbounded() + " (T_w is "
                    + Text.duration(recoveries.periodMillis()) + ").";
        }
        long rest = window - 2 * recoveries.oldestKeyMillis() - recoveries.periodMillis();
        return "Window of vulnerability: " + Text.duration(window) + " at most = 2 x oldest key in force ("
                + Text.duration(recoveries.oldestKeyMillis()) + ") + T_w (" + Text.duration(recoveries.periodMillis())
                + ") + longest recovery and overdue time (" + Text.duration(Math.max(0, rest)) + ").";
    }
}
