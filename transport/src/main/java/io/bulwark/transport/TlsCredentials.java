package io.bulwark.transport;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.wire.WireVersions;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.OwnKey;
import io.bulwark.transport.identity.PeerCertificate;
import io.bulwark.transport.identity.RefusedCertificateException;
import io.bulwark.transport.identity.TrustedKeys;
import io.netty.handler.ssl.ApplicationProtocolConfig;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.OpenSsl;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArraySet;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * TLS 1.3 with certificates on both sides: the own identity, and the public keys of all who may be at the other end. Both can be
 * exchanged while connections are open; one whose key is not trusted any more is closed. May be shared by several transports.
 * Runs on BoringSSL where that loads, on the JDK's engine otherwise. Thread-safe.
 */
public final class TlsCredentials implements Credentials {
    static final String PROTOCOL = "TLSv1.3";
    private static final int STRANGERS_MAX = 1_024;

    private final PrincipalId self;
    private final SslProvider provider;
    private final InstantSource clock;
    /** {@link TlsChannels} asks again when the handshake is over. */
    private final PinnedKeys trustManager = new PinnedKeys(this::check);

    private final Set<Runnable> listeners = new CopyOnWriteArraySet<>();
    private final Set<Runnable> strangers = new CopyOnWriteArraySet<>();
    /** Times at which unknown keys were last presented; the eldest are forgotten. Guarded by itself. */
    private final Map<PrincipalKey, Long> shown = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<PrincipalKey, Long> eldest) {
            return size() > STRANGERS_MAX;
        }
    };

    private final WireVersions versions;
    private volatile TrustedKeys trusted;
    private volatile @Nullable Long asOf;
    private volatile Contexts contexts;
    private volatile @Nullable OwnKey device;

    private record Contexts(
            OwnKey key, Instant until, SslProvider engine, SslContext accepting, SslContext connecting) {}

    public TlsCredentials(Identity identity, TrustedKeys trusted) {
        this(identity, trusted, OpenSsl.isAvailable() ? SslProvider.OPENSSL : SslProvider.JDK, InstantSource.system());
    }

    TlsCredentials(Identity identity, TrustedKeys trusted, SslProvider provider, InstantSource clock) {
        this(identity, trusted, provider, clock, WireVersions.HERE);
    }

    /** Creates credentials as a build with these versions has them. */
    TlsCredentials(
            Identity identity, TrustedKeys trusted, SslProvider provider, InstantSource clock, WireVersions versions) {
        this.self = identity.principal();
        this.trusted = trusted;
        this.provider = provider;
        this.clock = clock;
        this.versions = versions;
        this.contexts = contexts(identity);
    }

    @Override
    public PrincipalId self() {
        return self;
    }

    /** Shows another certificate of the same principal on the connections made from now on; those that are open stay. */
    public void renew(Identity identity) {
        if (!identity.principal().equals(self)) {
            throw new IllegalArgumentException("the identity of " + identity.principal() + " for " + self);
        }
        contexts = contexts(identity);
    }

    /** Trusts these keys from now on and no others; connections of others are closed. */
    public void trust(TrustedKeys keys) {
        trusted = keys;
        listeners.forEach(Runnable::run);
    }

    /** The keys that are believed now. */
    public TrustedKeys trusted() {
        return trusted;
    }

    /** The public key of the certificate that is shown now. */
    public PrincipalKey publicKey() {
        return contexts.key().publicKey();
    }

    /** Until the certificate that is shown now ends; negative once it has. */
    double secondsLeft() {
        return Duration.between(clock.instant(), contexts.until()).toSeconds();
    }

    /**
     * Returns the current key of this principal for signing and agreement beside TLS: that of its identity, or the one
     * given to {@link #signWith}.
     */
    public OwnKey ownKey() {
        OwnKey other = device;
        return other == null ? contexts.key() : other;
    }

    /** Has a device sign and agree from now on. Connections keep to the certificate of the identity. */
    public void signWith(OwnKey other) {
        device = other;
    }

    /** Returns the engine in use, for people: {@code OPENSSL} or {@code JDK}. */
    public String engine() {
        return contexts.engine().name();
    }

    /** Returns the versions spoken here. */
    WireVersions versions() {
        return versions;
    }

    SslContext accepting() {
        return contexts.accepting();
    }

    SslContext connecting() {
        return contexts.connecting();
    }

    /** The principal whose certificate this is, as things are now. */
    PrincipalId check(Certificate[] chain) throws RefusedCertificateException {
        // Read before the keys, which are set first: so the keys checked are no older than this time.
        Long asked = asOf;
        try {
            return PeerCertificate.check(chain, trusted, clock.instant(), key -> wasShownBefore(key, asked));
        } catch (RefusedCertificateException e) {
            switch (e.reason()) {
                case UNKNOWN_KEY, UNKNOWN_STILL -> strangers.forEach(Runnable::run);
                case FORM, EXPIRED, REVOKED, WRONG_NAME -> {}
            }
            throw e;
        }
    }

    /**
     * Reports that the current trusted keys are no older than this.
     *
     * @param nanos by {@link System#nanoTime()}, before the question was sent
     */
    public void asOf(long nanos) {
        asOf = nanos;
    }

    /**
     * Records that this unknown key is presented now. Returns whether its previous presentation was before the trusted
     * keys were asked for.
     */
    private boolean wasShownBefore(PrincipalKey key, @Nullable Long asked) {
        Long before;
        synchronized (shown) {
            before = shown.put(key, System.nanoTime());
        }
        return before != null && asked != null && asked - before > 0;
    }

    /**
     * Registers a listener for unknown keys, which may have been added just now. Any peer can trigger it, as often as
     * it likes.
     */
    public void onStranger(Runnable listener) {
        strangers.add(listener);
    }

    /** Removes the listener. */
    public void forgetStranger(Runnable listener) {
        strangers.remove(listener);
    }

    /** Adds a listener that runs after {@link #trust}. */
    void onTrust(Runnable listener) {
        listeners.add(listener);
    }

    void forget(Runnable listener) {
        listeners.remove(listener);
    }

    private Contexts contexts(Identity identity) {
        // Only the JDK's engine can use a key that a device keeps.
        SslProvider engine = identity.isOnDevice() ? SslProvider.JDK : provider;
        // Given the key itself, Netty would encrypt it by a password and decrypt it again, 20,000 rounds for each
        // context.
        KeyManager own = new OwnCertificate(identity);
        try {
            return new Contexts(
                    identity.ownKey(),
                    identity.until(),
                    engine,
                    common(SslContextBuilder.forServer(own), engine)
                            .clientAuth(ClientAuth.REQUIRE)
                            .build(),
                    // Whom a certificate belongs to its key tells, not the name of a host.
                    common(SslContextBuilder.forClient().keyManager(own), engine)
                            .endpointIdentificationAlgorithm(null)
                            .build());
        } catch (SSLException e) {
            throw new IllegalStateException("no TLS with the identity of " + self + ": " + e.getMessage(), e);
        }
    }

    private SslContextBuilder common(SslContextBuilder builder, SslProvider engine) {
        // Without a common version TLS agrees on none, and each side then refuses the other with its reason.
        return builder.sslProvider(engine)
                .protocols(PROTOCOL)
                .trustManager(trustManager)
                .applicationProtocolConfig(new ApplicationProtocolConfig(
                        ApplicationProtocolConfig.Protocol.ALPN,
                        ApplicationProtocolConfig.SelectorFailureBehavior.NO_ADVERTISE,
                        ApplicationProtocolConfig.SelectedListenerFailureBehavior.ACCEPT,
                        versions.names()));
    }
}
