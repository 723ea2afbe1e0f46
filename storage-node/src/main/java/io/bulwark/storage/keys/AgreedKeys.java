package io.bulwark.storage.keys;

import io.bulwark.protocol.agreement.AgreementMessage.AskNonce;
import io.bulwark.protocol.agreement.AgreementMessage.NewKey;
import io.bulwark.protocol.agreement.KeyAgreement;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.mac.KeyBook;
import io.bulwark.protocol.mac.TagKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.storage.node.HostedProtocol;
import io.bulwark.storage.node.NodeConfig;
import io.bulwark.transport.MemberSigning;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.identity.TrustedKeys;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.security.SecureRandom;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The keys that a node agrees on with the others from its start on. Of its shards one does so, and all use them. */
public final class AgreedKeys {
    private static final BlockId NO_BLOCK = BlockId.register(0, 0);

    private static final double MILLIS_PER_SECOND = 1_000;

    private final TlsCredentials credentials;
    private final KeyBook book;
    private final KeyAgreement agreement;

    /**
     * Starts a life of the node.
     *
     * @param own K_ii, which never changes
     * @param keyMillis T_k: no key is older
     */
    public AgreedKeys(TlsCredentials credentials, Bytes own, long keyMillis, MeterRegistry meters) {
        PrincipalId self = credentials.self();
        SecureRandom random = new SecureRandom();
        MemberSigning signing = new MemberSigning(credentials, PrincipalKind.NODE, random);
        this.credentials = credentials;
        book = new KeyBook(self, own);
        agreement = new KeyAgreement(
                book,
                others(credentials.trusted()),
                KeyAgreement.Settings.every(keyMillis),
                signing,
                signing,
                new Identities(credentials),
                random);
        register(meters);
    }

    private Set<PrincipalId> others(TrustedKeys trusted) {
        return trusted.owners().values().stream()
                .filter(other -> other.kind() == PrincipalKind.NODE && !other.equals(credentials.self()))
                .collect(Collectors.toSet());
    }

    private void register(MeterRegistry meters) {
        Gauge.builder(
                        "bulwark.node.key.oldest.seconds",
                        agreement,
                        each -> each.standing().oldestMillis() / MILLIS_PER_SECOND)
                .description("Age of the oldest key under which the node still accepts a MAC.")
                .register(meters);
        Gauge.builder(
                        "bulwark.node.key.missing",
                        agreement,
                        each -> each.standing().unspoken())
                .description("Nodes that have sent no key yet.")
                .register(meters);
        FunctionCounter.builder(
                        "bulwark.node.key.chosen",
                        agreement,
                        each -> each.standing().chosen())
                .description("MAC keys that the node has chosen.")
                .register(meters);
    }

    public TagKeys keys() {
        return book;
    }

    /** Returns the protocol for the node to host. */
    public HostedProtocol protocol(NodeConfig config) {
        int one = config.shardOf(NO_BLOCK);
        return new HostedProtocol(
                message -> message instanceof AskNonce || message instanceof NewKey,
                _ -> NO_BLOCK,
                false,
                _ -> 0,
                shard -> shard == one ? new KeyServer() : new IdleServer());
    }

    /** Currently trusted keys, by node; rebuilt when the trust has changed. */
    private static final class Identities implements Function<PrincipalId, List<PrincipalKey>> {
        private final TlsCredentials credentials;
        private final Map<PrincipalId, List<PrincipalKey>> known = new HashMap<>();
        private @Nullable TrustedKeys looked;

        Identities(TlsCredentials credentials) {
            this.credentials = credentials;
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // the registry replaces what is trusted as a whole
        public List<PrincipalKey> apply(PrincipalId node) {
            TrustedKeys trusted = credentials.trusted();
            if (trusted != looked) {
                looked = trusted;
                known.clear();
            }
            return known.computeIfAbsent(node, trusted::keysOf);
        }
    }

    /** The agreement's server; nodes come and leave as the trusted keys change. */
    private final class KeyServer implements ProtocolServer {
        private @Nullable TrustedKeys looked;

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
            return agreement.onMessage(nowMillis, from, requestId, message);
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // the registry replaces what is trusted as a whole
        public List<Effect> onTick(long nowMillis) {
            TrustedKeys trusted = credentials.trusted();
            if (trusted != looked) {
                looked = trusted;
                agreement.setMembers(others(trusted));
            }
            return agreement.onTick(nowMillis);
        }

        @Override
        public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
            return agreement.onCompleted(nowMillis, token, outcome);
        }
    }

    /** Server of the other shards, which does nothing. */
    private static final class IdleServer implements ProtocolServer {
        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
            return List.of();
        }
    }
}
