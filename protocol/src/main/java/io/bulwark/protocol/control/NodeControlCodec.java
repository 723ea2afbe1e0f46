package io.bulwark.protocol.control;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.control.NodeControlMessage.BackgroundReport;
import io.bulwark.protocol.control.NodeControlMessage.LatestReply;
import io.bulwark.protocol.control.NodeControlMessage.LatestRequest;
import io.bulwark.protocol.control.NodeControlMessage.LatestVersion;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusReply;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusRequest;
import io.bulwark.protocol.control.NodeControlMessage.PeerVerdict;
import io.bulwark.protocol.control.NodeControlMessage.PoolReport;
import io.bulwark.protocol.control.NodeControlMessage.RebuildReport;
import io.bulwark.protocol.control.NodeControlMessage.RevocationReply;
import io.bulwark.protocol.control.NodeControlMessage.RevocationRequest;
import io.bulwark.protocol.control.NodeControlMessage.StoreStart;
import io.bulwark.protocol.control.NodeControlMessage.VersionsReport;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.MessageCodec;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;

/** Family 5: requests and replies of storage nodes, type numbers 0x0501 to 0x0506. */
public final class NodeControlCodec implements MessageCodec {
    private static final int FAMILY = 5;
    private static final int STATUS_REQUEST = 0x0501;
    private static final int STATUS_REPLY = 0x0502;
    private static final int REVOCATION_REQUEST = 0x0503;
    private static final int REVOCATION_REPLY = 0x0504;
    private static final int LATEST_REQUEST = 0x0505;
    private static final int LATEST_REPLY = 0x0506;
    private static final Protocol[] PROTOCOLS = Protocol.values();
    private static final Verdict[] VERDICTS = Verdict.values();

    @Override
    public int family() {
        return FAMILY;
    }

    @Override
    public boolean handles(Message message) {
        return message instanceof NodeControlMessage;
    }

    @Override
    public int typeOf(Message message) {
        return switch ((NodeControlMessage) message) {
            case NodeStatusRequest ignored -> STATUS_REQUEST;
            case NodeStatusReply ignored -> STATUS_REPLY;
            case RevocationRequest ignored -> REVOCATION_REQUEST;
            case RevocationReply ignored -> REVOCATION_REPLY;
            case LatestRequest ignored -> LATEST_REQUEST;
            case LatestReply ignored -> LATEST_REPLY;
        };
    }

    @Override
    public void write(Message message, WireWriter out) {
        switch ((NodeControlMessage) message) {
            case NodeStatusRequest ignored -> {}
            case NodeStatusReply reply -> write(reply, out);
            case RevocationRequest request -> request.revoked().write(out);
            case RevocationReply reply -> {
                reply.revoked().write(out);
                out.bool(reply.refused()).i64(reply.undecided());
            }
            case LatestRequest request ->
                out.i32(request.volume())
                        .u8(request.protocol().ordinal())
                        .i64(request.from())
                        .i64(request.life().number())
                        .i64(request.life().nonce());
            case LatestReply reply -> write(reply, out);
        }
    }

    @Override
    public Message readBody(int type, WireReader in) {
        return switch (type) {
            case STATUS_REQUEST -> new NodeStatusRequest();
            case STATUS_REPLY -> readReply(in);
            case REVOCATION_REQUEST -> new RevocationRequest(PrincipalId.read(in));
            case LATEST_REQUEST ->
                new LatestRequest(
                        in.i32(0, Integer.MAX_VALUE),
                        protocol(in.u8()),
                        in.nonNegative64(),
                        new StoreStart(in.nonNegative64(), in.i64()));
            case LATEST_REPLY -> readLatest(in);
            case REVOCATION_REPLY -> new RevocationReply(PrincipalId.read(in), in.bool(), in.nonNegative64());
            default -> throw new MalformedException("unknown type " + type);
        };
    }

    private static void write(NodeStatusReply reply, WireWriter out) {
        out.bool(reply.acceptsWrites()).i64(reply.usedBytes()).i64(reply.freeBytes());
        out.u16(reply.volumes().size());
        for (VolumeWork work : reply.volumes()) {
            out.i32(work.volume()).i64(work.unfinished()).i64(work.lacking()).bool(work.compared());
        }
        BackgroundReport background = reply.background();
        out.i64(background.looked()).i64(background.foundBad());
        out.i64(background.repaired()).i64(background.idleMillis());
        RebuildReport rebuild = reply.rebuild();
        out.i64(rebuild.madeBytes()).i64(rebuild.latelyBytesPerSecond()).i64(rebuild.limitBytesPerSecond());
        out.i64(reply.pool().bytes()).i64(reply.pool().neededBytes());
        out.u16(reply.versions().size());
        for (VersionsReport versions : reply.versions()) {
            out.i32(versions.volume()).i64(versions.unverified()).i64(versions.poolBytes());
            out.i64(versions.verifications()).i64(versions.onDemand()).i64(versions.cooperative());
            out.i64(versions.avoided()).i64(versions.poisonous()).i64(versions.refused());
        }
        out.u16(reply.seen().size());
        for (PeerVerdict seen : reply.seen()) {
            out.i32(seen.node()).u8(seen.verdict().ordinal()).i64(seen.count());
        }
        out.bool(reply.setBack());
    }

    private static NodeStatusReply readReply(WireReader in) {
        boolean acceptsWrites = in.bool();
        long usedBytes = in.nonNegative64();
        long freeBytes = in.nonNegative64();
        int volumeCount = in.count16(ClusterMap.VOLUMES_MAX);
        List<VolumeWork> volumes = new ArrayList<>();
        for (int i = 0; i < volumeCount; i++) {
            volumes.add(new VolumeWork(in.i32(), in.nonNegative64(), in.nonNegative64(), in.bool()));
        }
        BackgroundReport background =
                new BackgroundReport(in.nonNegative64(), in.nonNegative64(), in.nonNegative64(), in.nonNegative64());
        RebuildReport rebuild = new RebuildReport(in.nonNegative64(), in.nonNegative64(), in.nonNegative64());
        PoolReport pool = new PoolReport(in.nonNegative64(), in.nonNegative64());
        int versionsCount = in.count16(ClusterMap.VOLUMES_MAX);
        List<VersionsReport> versions = new ArrayList<>();
        for (int i = 0; i < versionsCount; i++) {
            versions.add(new VersionsReport(
                    in.i32(0, Integer.MAX_VALUE),
                    in.nonNegative64(),
                    in.nonNegative64(),
                    in.nonNegative64(),
                    in.nonNegative64(),
                    in.nonNegative64(),
                    in.nonNegative64(),
                    in.nonNegative64(),
                    in.nonNegative64()));
        }
        int seenCount = in.count16(NodeControlMessage.PEER_VERDICTS_MAX);
        List<PeerVerdict> seen = new ArrayList<>();
        for (int i = 0; i < seenCount; i++) {
            seen.add(new PeerVerdict(in.i32(), verdict(in.u8()), in.nonNegative64()));
        }
        return new NodeStatusReply(
                acceptsWrites, usedBytes, freeBytes, volumes, background, rebuild, pool, versions, seen, in.bool());
    }

    private static void write(LatestReply reply, WireWriter out) {
        out.i32(reply.volume()).i64(reply.from()).i64(reply.next());
        out.i64(reply.laterLife()).bool(reply.counts()).u16(reply.blocks().size());
        for (LatestVersion each : reply.blocks()) {
            out.i64(each.block()).u8(each.version().length()).raw(each.version());
        }
    }

    private static LatestReply readLatest(WireReader in) {
        int volume = in.i32(0, Integer.MAX_VALUE);
        long from = in.nonNegative64();
        long next = in.nonNegative64();
        long laterLife = in.nonNegative64();
        boolean counts = in.bool();
        int count = in.count16(NodeControlMessage.LATEST_MAX);
        List<LatestVersion> blocks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            long block = in.nonNegative64();
            int length = in.u8();
            if (length > RecordKey.SUFFIX_BYTES_MAX) {
                throw new MalformedException("a version of " + length + " bytes");
            }
            blocks.add(new LatestVersion(block, in.raw(length)));
        }
        return new LatestReply(volume, from, blocks, next, laterLife, counts);
    }

    private static Protocol protocol(int code) {
        if (code >= PROTOCOLS.length) {
            throw new MalformedException("unknown protocol " + code);
        }
        return PROTOCOLS[code];
    }

    private static Verdict verdict(int code) {
        if (code >= VERDICTS.length) {
            throw new MalformedException("unknown verdict " + code);
        }
        return VERDICTS[code];
    }
}
