package io.bulwark.client;

import io.bulwark.protocol.metadata.Reply.VolumeAlarm;
import io.bulwark.protocol.metadata.ThreatLevel;
import io.bulwark.protocol.metadata.ThreatPolicy;
import java.util.List;

/**
 * Alarms from outside, such as those of intrusion detection. They raise the threat level of the cluster, and volumes with
 * bounds ({@link Bulwark#changeFaults(String, int, int)}) follow it. Feeds of the policy may raise the level; all else needs
 * the right to administer.
 */
public interface Alarms {
    /**
     * Threat level.
     *
     * @param volumes those that follow the level
     */
    record State(ThreatPolicy policy, ThreatLevel level, List<VolumeAlarm> volumes) {
        public State {
            volumes = List.copyOf(volumes);
        }
    }

    State state();

    /** Raises the level, up to {@link ThreatLevel#MAX}. */
    void raise(int levels, String reason);

    /** Lowers the level, down to 0. */
    void lower(int levels, String reason);

    /** Sets who else may raise the level, and whether it falls with time. */
    void set(ThreatPolicy policy);
}
