package io.bulwark.appliance.protocols;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mac.TagKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.node.HostedProtocol;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** Sums the time that all nodes of a process spend on MACs, and wait for their stores. */
final class NodeWork {
    private final LongAdder macNanos = new LongAdder();
    private final LongAdder storeNanos = new LongAdder();

    long macNanos() {
        return macNanos.sum();
    }

    long storeNanos() {
        return storeNanos.sum();
    }

    TagKeys measured(TagKeys keys) {
        return new MeasuredKeys(keys);
    }

    HostedProtocol measured(HostedProtocol protocol) {
        return new HostedProtocol(
                protocol.handles(),
                protocol.blockOf(),
                protocol.foreground(),
                protocol.heldBytes(),
                shard -> new MeasuredServer(protocol.server().apply(shard)),
                protocol.open());
    }

    private final class MeasuredKeys implements TagKeys {
        private final TagKeys keys;

        MeasuredKeys(TagKeys keys) {
            this.keys = keys;
        }

        private <T> T timed(Supplier<T> work) {
            long begun = System.nanoTime();
            T result = work.get();
            macNanos.add(System.nanoTime() - begun);
            return result;
        }

        @Override
        public PrincipalId self() {
            return keys.self();
        }

        @Override
        public boolean knows(PrincipalId peer) {
            return keys.knows(peer);
        }

        @Override
        public Bytes mac(PrincipalId peer, Bytes input) {
            return timed(() -> keys.mac(peer, input));
        }

        @Override
        public boolean verify(PrincipalId peer, Bytes input, Bytes mac) {
            return timed(() -> keys.verify(peer, input, mac));
        }

        @Override
        public Bytes own(Bytes input) {
            return timed(() -> keys.own(input));
        }
    }

    /** One shard's server: single-threaded, as that is. */
    private final class MeasuredServer implements ProtocolServer {
        private final ProtocolServer server;
        /** Times at which the store was asked, by token. */
        private final Map<Long, Long> asked = new HashMap<>();

        MeasuredServer(ProtocolServer server) {
            this.server = server;
        }

        private List<Effect> begun(List<Effect> effects) {
            for (Effect effect : effects) {
                switch (effect) {
                    case Effect.Store store -> asked.put(store.token(), System.nanoTime());
                    case Effect.Load load -> asked.put(load.token(), System.nanoTime());
                    case Effect.LoadMetas load -> asked.put(load.token(), System.nanoTime());
                    default -> {}
                }
            }
            return effects;
        }

        private void ended(long token) {
            Long begun = asked.remove(token);
            if (begun != null) {
                storeNanos.add(System.nanoTime() - begun);
            }
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
            return begun(server.onMessage(nowMillis, from, requestId, message));
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            return begun(server.onTick(nowMillis));
        }

        @Override
        public List<Effect> onStored(long nowMillis, long token, Stored stored) {
            ended(token);
            return begun(server.onStored(nowMillis, token, stored));
        }

        @Override
        public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
            ended(token);
            return begun(server.onLoaded(nowMillis, token, loaded));
        }

        @Override
        public List<Effect> onFact(long nowMillis, Fact fact) {
            return begun(server.onFact(nowMillis, fact));
        }

        @Override
        public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
            return begun(server.onCompleted(nowMillis, token, outcome));
        }
    }
}
