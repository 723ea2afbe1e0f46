package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;

/**
 * Rules of the threat level.
 *
 * @param feeds clients that may raise it; operators always may
 * @param calmSeconds time without an alarm after which it falls by one; 0 if only operators lower it
 */
public record ThreatPolicy(List<PrincipalId> feeds, int calmSeconds) {
    public static final int FEEDS_MAX = 16;
    public static final int CALM_SECONDS_MAX = 30 * 24 * 3_600;

    /** The policy until an operator sets one: operators alone move the level. */
    public static final ThreatPolicy DEFAULT = new ThreatPolicy(List.of(), 0);

    public ThreatPolicy {
        feeds = List.copyOf(feeds);
        if (feeds.size() > FEEDS_MAX || feeds.stream().distinct().count() < feeds.size()) {
            throw new IllegalArgumentException("at most " + FEEDS_MAX + " different feeds, not " + feeds);
        }
        if (calmSeconds < 0 || calmSeconds > CALM_SECONDS_MAX) {
            throw new IllegalArgumentException("0 to " + CALM_SECONDS_MAX + " seconds of calm, not " + calmSeconds);
        }
    }

    void write(WireWriter out) {
        Lists.write(feeds, out, PrincipalId::write);
        out.i32(calmSeconds);
    }

    static ThreatPolicy read(WireReader in) {
        try {
            return new ThreatPolicy(Lists.read(in, FEEDS_MAX, PrincipalId::read), in.i32(0, CALM_SECONDS_MAX));
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
