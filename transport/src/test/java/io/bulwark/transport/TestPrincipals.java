package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.FrameHeader;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.TrustedKeys;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.NullMarked;

/** Principals of these tests, with the keys they share. */
@NullMarked
final class TestPrincipals {
    static final PrincipalId NODE = PrincipalId.node(1);
    static final PrincipalId OTHER_NODE = PrincipalId.node(2);
    static final PrincipalId CLIENT = PrincipalId.client(7);

    private TestPrincipals() {}

    /** The keys of {@code self} with all the others; {@code world} tells apart sets that do not fit together. */
    static PairwiseKeys keys(PrincipalId self, int world) {
        Map<PrincipalId, Bytes> keys = new HashMap<>();
        for (PrincipalId peer : new PrincipalId[] {NODE, OTHER_NODE, CLIENT}) {
            byte[] key = new byte[PairwiseKeys.KEY_BYTES];
            Arrays.fill(key, (byte) (31 * world + self.number() + peer.number()));
            keys.put(peer, Bytes.of(key));
        }
        return new PairwiseKeys(self, keys);
    }

    static PairwiseKeys keys(PrincipalId self) {
        return keys(self, 0);
    }

    /** The keys of these belong. */
    static TrustedKeys trusted(Identity... identities) {
        Map<PrincipalKey, PrincipalId> owners = new HashMap<>();
        for (Identity identity : identities) {
            owners.put(identity.publicKey(), identity.principal());
        }
        return new TrustedKeys(owners);
    }

    static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    /** Bounds small enough to be reached quickly. */
    static TransportSettings settings() {
        long max = FrameHeader.BODY_BYTES_MAX + (1L << 20);
        return new TransportSettings(2, 5_000, 16, 4, 1 << 20, max, 4 * max, 1 << 20, 30_000, 2 * max, 5, 200, 2_000);
    }

    static TransportSettings settingsWithHandshakeTimeout(long millis) {
        return settingsWithHandshakeTimeout(millis, 4);
    }

    static TransportSettings settingsWithHandshakeTimeout(long millis, int connections) {
        TransportSettings s = settings();
        return new TransportSettings(
                2,
                millis,
                16,
                connections,
                s.outboundHighBytes(),
                s.outboundMaxBytes(),
                s.outboundTotalBytes(),
                s.inboundMaxBytes(),
                s.frameTimeoutMillis(),
                s.unfinishedTotalBytes(),
                5,
                200,
                2_000);
    }

    static TransportSettings settingsWithPauses(long millis) {
        TransportSettings s = settings();
        return new TransportSettings(
                2,
                s.handshakeTimeoutMillis(),
                16,
                4,
                s.outboundHighBytes(),
                s.outboundMaxBytes(),
                s.outboundTotalBytes(),
                s.inboundMaxBytes(),
                s.frameTimeoutMillis(),
                s.unfinishedTotalBytes(),
                millis,
                millis,
                2_000);
    }

    static TransportSettings settingsWithFrames(int connections, long frameTimeoutMillis, long unfinishedTotalBytes) {
        TransportSettings s = settings();
        return new TransportSettings(
                2,
                5_000,
                16,
                connections,
                s.outboundHighBytes(),
                s.outboundMaxBytes(),
                s.outboundMaxBytes(),
                s.inboundMaxBytes(),
                frameTimeoutMillis,
                unfinishedTotalBytes,
                5,
                200,
                100);
    }

    /** Returns how often a connection was closed for this reason, for any peer. */
    static double faults(MeterRegistry registry, Fault fault) {
        return registry.find("bulwark.transport.faults").tag("reason", fault.label()).counters().stream()
                .mapToDouble(Counter::count)
                .sum();
    }
}
