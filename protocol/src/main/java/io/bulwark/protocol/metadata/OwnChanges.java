package io.bulwark.protocol.metadata;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Changes that the replicas may make by themselves, as the signed entries of an audit log allow them: slots move while a
 * policy removes faulty nodes, faults move within the bounds of their volume, and the threat level falls where it falls with time.
 */
final class OwnChanges {
    /** Bounds of the volumes that follow the threat level, by name. */
    private final Map<String, FaultBounds> bounds = new HashMap<>();

    private boolean removes = FaultPolicy.DEFAULT.removes();
    private boolean calms;

    void learn(Command.Administrative command) {
        switch (command) {
            case Command.SetFaultPolicy set -> removes |= set.policy().removes();
            case Command.SetThreatPolicy set -> calms |= set.policy().calmSeconds() > 0;
            case Command.DeleteVolume delete -> bounds.remove(delete.name());
            case Command.ChangePolicy change
            when change.faults() < change.faultsMax() ->
                bounds.merge(
                        change.volume(),
                        new FaultBounds(change.faults(), change.faultsMax()),
                        (before, now) -> new FaultBounds(
                                Math.min(before.least(), now.least()), Math.max(before.most(), now.most())));
            default -> {}
        }
    }

    /** Returns the reason that the replicas may not make this change. */
    Optional<String> problemOf(Command.Administrative command) {
        boolean may = switch (command) {
            case Command.ChangeHolder ignored -> removes;
            case Command.ChangePolicy change -> {
                FaultBounds of = bounds.getOrDefault(change.volume(), FaultBounds.NONE);
                yield change.faults() >= of.least() && change.faults() <= of.most();
            }
            case Command.ChangeThreat change -> calms && !change.raises();
            default -> false;
        };
        return may ? Optional.empty() : Optional.of("no signed entry before lets the replicas do that by themselves");
    }
}
