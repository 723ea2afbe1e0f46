package io.bulwark.protocol.control;

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
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;

/** One message of each kind, by name. */
@NullMarked
final class ControlSamples {
    private ControlSamples() {}

    static Map<String, NodeControlMessage> all() {
        Map<String, NodeControlMessage> all = new LinkedHashMap<>();
        all.put("NodeStatusRequest", new NodeStatusRequest());
        all.put(
                "NodeStatusReply",
                new NodeStatusReply(
                        true,
                        1 << 20,
                        5L << 40,
                        List.of(new VolumeWork(1, 0, true), new VolumeWork(7, 12, false)),
                        new BackgroundReport(1_000, 3, 2, 60_000),
                        new RebuildReport(5L << 40, 3 << 20, 32 << 20),
                        new PoolReport(1 << 30, 96 << 20),
                        List.of(new VersionsReport(7, 9, 1 << 16, 30, 5, 10, 400, 1, 2)),
                        List.of(new PeerVerdict(3, Verdict.CORRUPT, 2)),
                        true));
        all.put("RevocationRequest", new RevocationRequest(PrincipalId.client(7)));
        all.put("RevocationReply", new RevocationReply(PrincipalId.client(7), true, 3));
        all.put("LatestRequest", new LatestRequest(7, Protocol.PASIS, 1L << 33, new StoreStart(12, -2)));
        all.put(
                "LatestReply",
                new LatestReply(
                        7,
                        1L << 33,
                        List.of(
                                new LatestVersion(1L << 33, Bytes.of((byte) 1, (byte) 2)),
                                new LatestVersion((1L << 33) + 5, Bytes.of((byte) 3))),
                        NodeControlMessage.NO_MORE,
                        13,
                        true));
        return all;
    }
}
