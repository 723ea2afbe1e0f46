package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong at the nodes of the FP register with bounds, and with a disk that fails: PROTOCOLS section 2, bounds. */
final class FpBoundsBugs {
    static final List<PlantedBug> ALL = List.of(
            in(
                    "fp/FpRegister",
                    "what a store that failed left is not read again",
                    protocol("fp.FpDiskTest", "afterAFailedStoreTheStateIsReadAgain"),
                    """
                    if (stored == Stored.FAILED) {
                    """,
                    "if (false) {"),
            in(
                    "fp/FpAccess",
                    "a denied grant is believed as long as a given one",
                    protocol("fp.FpBoundsTest", "aDeniedGrantIsBelievedShortlyAndAGivenOneForAWhile"),
                    "grant.mayRead() ? limits.factMillis() : ABSENCE_MILLIS;",
                    "limits.factMillis();"),
            in(
                    "fp/FpAccess",
                    "a given grant is believed for ever",
                    protocol("fp.FpBoundsTest", "aDeniedGrantIsBelievedShortlyAndAGivenOneForAWhile"),
                    "grant.mayRead() ? limits.factMillis() : ABSENCE_MILLIS;",
                    "grant.mayRead() ? Long.MAX_VALUE : ABSENCE_MILLIS;"));

    private FpBoundsBugs() {}
}
