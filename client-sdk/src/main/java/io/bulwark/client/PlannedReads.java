package io.bulwark.client;

import io.bulwark.client.object.NodeHealth;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.ReadPlan;
import io.bulwark.protocol.pasis.ReadPlanner;
import io.bulwark.protocol.pasis.ReadReport;
import io.bulwark.protocol.pasis.ReadTuning;
import java.util.SplittableRandom;

/** Plans of the reads of one versioned register volume, by what this client sees of the nodes. Thread-safe. */
final class PlannedReads {
    private final NodeHealth health;
    private final ReadPlanner planner;

    PlannedReads(NodeHealth health, ReadTuning tuning) {
        this.health = health;
        this.planner = new ReadPlanner(tuning, new SplittableRandom());
    }

    synchronized ReadPlan plan(PasisGroup group) {
        return planner.plan(group, health.doubtfulSlots(group.placement()));
    }

    synchronized void finished(PasisGroup group, ReadReport report, long nanos) {
        planner.finished(group, report, nanos);
    }

    synchronized ReadPlanner.Statistics statistics() {
        return planner.statistics();
    }
}
