package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalId;
import java.util.ArrayList;
import java.util.List;

/**
 * Threat level, as alarms from outside set it, and the faults of volumes that follow it within their bounds (Agile Store,
 * 3.3.1, the feedback of intrusion detection; docs/decisions, 39). Each change is announced as an operator would announce it, with the
 * same bounds, and stands in the audit log.
 */
final class Threats {
    /** Pause between two looks, in agreed time. */
    private static final long STEP_MILLIS = 1_000;

    private static final int KEY = 0;

    private final Tables tables;
    private final Volumes volumes;
    private final PlacementChanges holders;
    private final SessionTable sessions;
    private final LockTable locks;
    private final AuditLog audit;

    Threats(
            Tables tables,
            Volumes volumes,
            PlacementChanges holders,
            SessionTable sessions,
            LockTable locks,
            AuditLog audit) {
        this.tables = tables;
        this.volumes = volumes;
        this.holders = holders;
        this.sessions = sessions;
        this.locks = locks;
        this.audit = audit;
    }

    private ThreatPolicy policy() {
        return tables.threatPolicy.get(KEY).orElse(ThreatPolicy.DEFAULT);
    }

    private ThreatLevel level() {
        return tables.threatLevel.get(KEY).orElse(ThreatLevel.NONE);
    }

    void run(Command.OfThreat command, PrincipalId by) {
        switch (command) {
            case Command.ChangeThreat change -> change(change, by);
            case Command.SetThreatPolicy set -> {
                tables.threatPolicy.put(KEY, set.policy());
                look();
            }
        }
    }

    /** An alarm, or its end; it counts as the last alarm even where the level is at its bound. */
    private void change(Command.ChangeThreat change, PrincipalId by) {
        int moved = level().level() + (change.raises() ? change.levels() : -change.levels());
        long now = tables.totals().agreedMillis;
        tables.threatLevel.put(KEY, new ThreatLevel(Math.clamp(moved, 0, ThreatLevel.MAX), now, by, change.reason()));
        look();
    }

    private void look() {
        tables.totals().threatDueMillis = tables.totals().agreedMillis;
    }

    /** Lets volumes follow the level, if it is time. */
    void settleDue() {
        Totals totals = tables.totals();
        if (totals.agreedMillis < totals.threatDueMillis) {
            return;
        }
        long due = calm();
        for (Volume volume : volumes.following()) {
            if (!follows(volume)) {
                due = Math.min(due, totals.agreedMillis + STEP_MILLIS);
            }
        }
        totals.threatDueMillis = due;
    }

    /** Lowers the level after the time without an alarm; returns the time of the next look. */
    private long calm() {
        ThreatLevel before = level();
        long millis = policy().calmSeconds() * 1_000L;
        long now = tables.totals().agreedMillis;
        if (before.level() == 0 || millis == 0) {
            return Totals.NEVER;
        }
        if (now - before.changedMillis() < millis) {
            return before.changedMillis() + millis;
        }
        Command.ChangeThreat change =
                new Command.ChangeThreat(false, 1, "no alarm for " + policy().calmSeconds() + " s");
        change(change, PrincipalId.NOBODY);
        audit.appendOwn(change);
        return now + millis;
    }

    /** Returns whether the volume tolerates the number of the level; else announces it, if it can. */
    private boolean follows(Volume volume) {
        int wanted = wanted(volume);
        int announced = volumes.nextFaults(volume);
        if (announced == 0 && wanted == volume.policy().f()) {
            return true;
        }
        if (announced == wanted) {
            return false;
        }
        // Another number that is announced is given up first.
        int faults = announced == 0 ? wanted : volume.policy().f();
        try {
            if (announced == 0) {
                requireReachable(volume, wanted);
            }
            locks.requireFree(List.of(new Touch.OfVolume(volume.name())));
            holders.moveFaults(volume, faults);
            audit.appendOwn(new Command.ChangePolicy(volume.name(), faults));
        } catch (CommandRefusal refusal) {
            // The next look may find it over; `threat show` has the reason.
        }
        return false;
    }

    private int wanted(Volume volume) {
        return volumes.bounds(volume).at(level().level());
    }

    /** Refuses a change that would stop the volume until absent holders are back. An open session is a node's sign of life. */
    private void requireReachable(Volume volume, int faults) {
        int most = Math.min(volume.policy().f(), faults);
        for (int index = volume.firstGroup(volume.generation());
                index < volume.groups().size();
                index++) {
            PlacementGroup group = volume.groups().get(index);
            List<Integer> absent = group.holders().stream()
                    .filter(node -> !sessions.hasOpen(PrincipalId.node(node)))
                    .toList();
            CommandRefusal.refuseUnless(
                    absent.size() <= most,
                    MetadataError.TOO_MANY_UNCONFIRMED,
                    "the nodes " + absent + " of group " + index + " are away, " + most
                            + " may: start or replace them");
        }
    }

    Reply.ThreatState state() {
        List<Reply.VolumeAlarm> alarms = new ArrayList<>();
        for (Volume volume : volumes.following()) {
            FaultBounds bounds = volumes.bounds(volume);
            alarms.add(new Reply.VolumeAlarm(
                    volume.name(),
                    bounds.least(),
                    bounds.most(),
                    volume.policy().f(),
                    volumes.nextFaults(volume),
                    waitsFor(volume)));
        }
        return new Reply.ThreatState(policy(), level(), alarms);
    }

    private String waitsFor(Volume volume) {
        int wanted = wanted(volume);
        if (volumes.nextFaults(volume) != 0) {
            return "its holders seal and confirm the next epoch";
        }
        if (wanted == volume.policy().f()) {
            return "";
        }
        try {
            requireReachable(volume, wanted);
            holders.requireMovable(volume, wanted);
            return "the next look at it";
        } catch (CommandRefusal refusal) {
            String reason = refusal.reply().detail();
            return reason.length() <= Reply.WAIT_BYTES_MAX ? reason : reason.substring(0, Reply.WAIT_BYTES_MAX);
        }
    }
}
