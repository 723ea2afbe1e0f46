package io.bulwark.storage.status;

import io.bulwark.protocol.control.NodeControlMessage.BackgroundReport;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusReply;
import io.bulwark.protocol.control.NodeControlMessage.NodeStatusRequest;
import io.bulwark.protocol.control.NodeControlMessage.PeerVerdict;
import io.bulwark.protocol.control.NodeControlMessage.PoolReport;
import io.bulwark.protocol.control.NodeControlMessage.RebuildReport;
import io.bulwark.protocol.control.NodeControlMessage.VersionsReport;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.node.BackgroundWork;
import io.bulwark.storage.node.HostedProtocol;
import io.bulwark.storage.node.NodeAccess;
import io.bulwark.storage.store.StoreUsage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Answers {@link NodeStatusRequest} from the node's store, its evidence and its background work. */
public final class NodeStatusAnswers implements BackgroundWork {
    private static final BlockId NO_BLOCK = BlockId.register(0, 0);

    private final Supplier<List<VolumeWork>> work;
    private final Supplier<BackgroundReport> background;
    private final Supplier<RebuildReport> rebuilding;
    private final Supplier<PoolReport> pool;
    private final Supplier<List<VersionsReport>> versions;
    private final BooleanSupplier setBack;
    private volatile @Nullable NodeAccess node;

    /**
     * Creates the answers; all suppliers are called from a shard's thread.
     *
     * @param work work left to do, by rising volume id
     * @param background background work done
     * @param rebuilding rate of repair
     * @param pool the node's history pool
     * @param versions counts for volumes under PASIS, by rising volume id
     * @param setBack whether peers know more of this node than its store does
     */
    public NodeStatusAnswers(
            Supplier<List<VolumeWork>> work,
            Supplier<BackgroundReport> background,
            Supplier<RebuildReport> rebuilding,
            Supplier<PoolReport> pool,
            Supplier<List<VersionsReport>> versions,
            BooleanSupplier setBack) {
        this.work = work;
        this.background = background;
        this.rebuilding = rebuilding;
        this.pool = pool;
        this.versions = versions;
        this.setBack = setBack;
    }

    /** Returns the protocol for the node to host. */
    public HostedProtocol protocol() {
        return new HostedProtocol(
                message -> message instanceof NodeStatusRequest,
                message -> NO_BLOCK,
                false,
                message -> 0,
                shard -> new Server());
    }

    @Override
    public void start(NodeAccess started) {
        node = started;
    }

    @Override
    public void stop() {
        node = null;
    }

    private final class Server implements ProtocolServer {
        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
            NodeAccess known = node;
            return known == null ? List.of() : List.of(new Effect.Send(from, requestId, reply(known)));
        }
    }

    private NodeStatusReply reply(NodeAccess known) {
        StoreUsage usage = known.store().usage();
        Map<Integer, Map<Verdict, Long>> byNode = new TreeMap<>();
        known.evidence().counts().forEach((about, verdicts) -> {
            if (about.kind() == PrincipalKind.NODE) {
                byNode.put(about.number(), verdicts);
            }
        });
        List<PeerVerdict> seen = new ArrayList<>();
        byNode.forEach((peer, verdicts) ->
                verdicts.forEach((verdict, count) -> seen.add(new PeerVerdict(peer, verdict, count))));
        return new NodeStatusReply(
                !usage.failed() && !usage.refuses(),
                usage.storedBytes(),
                usage.roomBytes(),
                work.get(),
                background.get(),
                rebuilding.get(),
                pool.get(),
                versions.get(),
                seen,
                setBack.getAsBoolean());
    }
}
