package io.bulwark.console.fault;

import io.bulwark.client.Alarms;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Reply.VolumeAlarm;
import java.time.Instant;
import java.util.List;

/**
 * Threat level, and the volumes that follow it.
 *
 * @param by the client who changed it last; "nobody" if time did
 * @param feeds clients that may raise it, beside operators
 * @param calmSeconds time without alarm after which it falls by one; 0 for never
 */
record ThreatView(
        int level,
        Instant changed,
        String by,
        String reason,
        List<String> feeds,
        int calmSeconds,
        List<Follower> volumes) {
    /**
     * Volume that follows the level.
     *
     * @param announced faults that it is going to tolerate; 0 if no other number is announced
     * @param waitsFor the reason that its number does not follow yet; empty if it does
     */
    record Follower(String volume, int least, int most, int faults, int announced, String waitsFor) {
        static Follower of(VolumeAlarm alarm) {
            return new Follower(
                    alarm.volume(), alarm.least(), alarm.most(), alarm.faults(), alarm.announced(), alarm.waitsFor());
        }
    }

    static ThreatView of(Alarms.State state) {
        return new ThreatView(
                state.level().level(),
                Instant.ofEpochMilli(state.level().changedMillis()),
                state.level().by().toString(),
                state.level().reason(),
                state.policy().feeds().stream().map(PrincipalId::toString).toList(),
                state.policy().calmSeconds(),
                state.volumes().stream().map(Follower::of).toList());
    }
}
