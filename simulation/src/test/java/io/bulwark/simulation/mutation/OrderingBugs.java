package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with a replica of the ordering engine: PROTOCOLS section 7. Found by running whole groups. */
final class OrderingBugs {
    private static final Detector GROUP = simulation("ordering.OrderingSimulationTest", "noInvariantIsViolated")
            .runs(48);

    static final List<PlantedBug> ALL = List.of(
            in(
                    "ordering/replica/Agreement",
                    "2f PREPAREs are enough",
                    GROUP.runs(192),
                    "Slot.count(slot.prepares, digest) < config.quorum()",
                    "Slot.count(slot.prepares, digest) < config.quorum() - 1"),
            in(
                    "ordering/replica/Agreement",
                    "2f COMMITs are enough",
                    GROUP.runs(192),
                    "Slot.count(slot.commits, digest) >= config.quorum()",
                    "Slot.count(slot.commits, digest) >= config.quorum() - 1"),
            in(
                    "ordering/replica/Learning",
                    "what f claim to have executed is learned",
                    GROUP,
                    "Slot.count(slot.claims, digest) >= config.oneCorrect()",
                    "Slot.count(slot.claims, digest) >= config.oneCorrect() - 1"),
            in(
                    "ordering/replica/Memory",
                    "P is not restored from disk",
                    GROUP,
                    "history.prepared(commit.sequence(), commit.digest(), commit.view());",
                    "{}"),
            in(
                    "ordering/replica/Memory",
                    "a restart forgets the view that was asked for",
                    GROUP,
                    "viewChange = change.message();",
                    "viewChange = null;"),
            in(
                    "ordering/replica/Memory",
                    "a PREPARE is said again without its bodies",
                    protocol(
                            "ordering.replica.DurabilityTest",
                            "aPrepareWhoseBodyIsLostBindsAndIsNotSaidAgainBeforeTheBodyIsBack"),
                    "if (batches.isComplete(prepare.digest())) {",
                    "if (batches != null) {"),
            in(
                    "ordering/replica/Replica",
                    "a restarted replica answers queries before it has executed what it promised",
                    GROUP,
                    "Math.max(promised, low.sequence())",
                    "low.sequence()"),
            in(
                    "ordering/replica/Suspicion",
                    "a replica that stood still blames the primary",
                    protocol("ordering.replica.FaultsTest", "aBackupThatStoodStillBlamesNobodyForIt"),
                    "enteredMillis < 0 || stoodStill",
                    "enteredMillis < 0"),
            in(
                    "ordering/replica/Pending",
                    "what f others vouch for is taken",
                    GROUP,
                    "return Long.bitCount(vouchers & ~self());",
                    "return Long.bitCount(vouchers & ~self()) + 1;"),
            in("ordering/replica/Slot", "PREPAREs of earlier views count", GROUP, "prepares.clear();", ""));

    private OrderingBugs() {}
}
