package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/** Canonical bytes of the commands and replies about the threat level. */
final class ThreatCodec {
    private ThreatCodec() {}

    static void write(Command.OfThreat command, WireWriter out) {
        switch (command) {
            case Command.ChangeThreat change ->
                out.u8(84).bool(change.raises()).u8(change.levels()).string(change.reason());
            case Command.SetThreatPolicy set -> set.policy().write(out.u8(85));
        }
    }

    static Command read(int type, WireReader in) {
        return switch (type) {
            case 84 -> readChange(in);
            case 85 -> new Command.SetThreatPolicy(ThreatPolicy.read(in));
            default -> throw new MalformedException("unknown command " + type);
        };
    }

    private static Command readChange(WireReader in) {
        try {
            return new Command.ChangeThreat(in.bool(), in.u8(), in.string(ThreatLevel.REASON_BYTES_MAX));
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    static void write(Reply.ThreatState state, WireWriter out) {
        state.policy().write(out.u8(81));
        state.level().write(out);
        Lists.write(
                state.volumes(),
                out,
                (volume, to) -> to.string(volume.volume())
                        .u8(volume.least())
                        .u8(volume.most())
                        .u8(volume.faults())
                        .u8(volume.announced())
                        .string(volume.waitsFor()));
    }

    static Reply readReply(WireReader in) {
        return new Reply.ThreatState(
                ThreatPolicy.read(in),
                ThreatLevel.read(in),
                Lists.read(
                        in,
                        ClusterMap.VOLUMES_MAX,
                        from -> new Reply.VolumeAlarm(
                                from.string(Volume.NAME_BYTES_MAX),
                                from.u8(),
                                from.u8(),
                                from.u8(),
                                from.u8(),
                                from.string(Reply.WAIT_BYTES_MAX))));
    }
}
