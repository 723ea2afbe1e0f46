package io.bulwark.storage.status;

import io.bulwark.protocol.control.NodeControlMessage;
import io.bulwark.protocol.control.NodeControlMessage.LatestReply;
import io.bulwark.protocol.control.NodeControlMessage.LatestRequest;
import io.bulwark.protocol.control.NodeControlMessage.LatestVersion;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.node.BackgroundWork;
import io.bulwark.storage.node.HostedProtocol;
import io.bulwark.storage.node.NodeAccess;
import io.bulwark.storage.store.LatestRecords;
import io.bulwark.storage.store.StoreException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers {@link LatestRequest} of other nodes from the index of the store: one of each node at a time, and what is more is dropped. Knows
 * how this node stands to its own store, volume by volume.
 */
public final class LatestAnswers implements BackgroundWork {
    private static final Logger LOG = LoggerFactory.getLogger(LatestAnswers.class);
    private static final BlockId NO_BLOCK = BlockId.register(0, 0);

    /** Knowledge of a node about its own store. */
    public enum StoreState {
        /** Too few peers have told yet which starts of this node they remember. */
        UNKNOWN,
        /** The store knows of all starts that peers remember. */
        CURRENT,
        /** It does not: it was set back in time, replaced or wiped, and has not made up yet what it forgot. */
        SET_BACK
    }

    private final Set<PrincipalId> answering = ConcurrentHashMap.newKeySet();
    private volatile @Nullable NodeAccess node;
    private final Map<Integer, StoreState> standings = new ConcurrentHashMap<>();
    private volatile StoreState ofOthers = StoreState.UNKNOWN;

    /** Returns the state of the store for a volume. Each volume has its own nodes and number of faults. */
    public StoreState standing(int volume) {
        return standings.getOrDefault(volume, ofOthers);
    }

    /** Returns whether the store was set back, as far as some volume's nodes know. */
    public boolean isSetBack() {
        return standings.containsValue(StoreState.SET_BACK);
    }

    /** It was found out. */
    public void stand(int volume, StoreState found) {
        standings.put(volume, found);
    }

    /** These are all that were there when the node started, or have come since: of any other it can have forgotten nothing. */
    public void knowsAll(Collection<Integer> volumes) {
        standings.keySet().retainAll(volumes);
        ofOthers = StoreState.CURRENT;
    }

    /** Returns the protocol for the node to host. */
    public HostedProtocol protocol() {
        return new HostedProtocol(
                LatestRequest.class::isInstance, message -> NO_BLOCK, false, message -> 0, shard -> new Server());
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
            if (known != null && from.kind() == PrincipalKind.NODE && answering.add(from)) {
                answer(known, from, requestId, (LatestRequest) message);
            }
            return List.of();
        }
    }

    private void answer(NodeAccess known, PrincipalId from, long requestId, LatestRequest request) {
        BlockId first = BlockId.register(request.volume(), request.from());
        BlockId last = BlockId.register(request.volume(), Long.MAX_VALUE);
        var _ = known.store()
                .latest(RecordKind.ofVersions(request.protocol().isVersioned()), first, last, NodeControlMessage.LATEST_MAX)
                .whenComplete((found, error) -> {
                    answering.remove(from);
                    try {
                        if (found != null) {
                            // A peer that gets no answer asks again.
                            known.store()
                                    .lives()
                                    .hear(nowMillis(), from.number(), request.life())
                                    .ifPresent(later -> known.answer(from, requestId, reply(request, found, later)));
                            return;
                        }
                    } catch (StoreException e) {
                        LOG.warn("the start number of {} cannot be recorded", from, e);
                    }
                    LOG.warn("{} asked for the latest versions from {} on; the query failed", from, first, error);
                });
    }

    private static long nowMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    private LatestReply reply(LatestRequest request, LatestRecords found, long laterLife) {
        List<LatestVersion> blocks = found.blocks().stream()
                .map(each -> new LatestVersion(each.block().counter(), each.suffix()))
                .toList();
        long next = found.next().map(BlockId::counter).orElse(NodeControlMessage.NO_MORE);
        return new LatestReply(
                request.volume(),
                request.from(),
                blocks,
                next,
                laterLife,
                standing(request.volume()) == StoreState.CURRENT);
    }
}
