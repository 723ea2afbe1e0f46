package io.bulwark.client.registry;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ConfigurationChainFile;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.config.KnownPrincipals;
import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Polls the replicas for the registered keys, trusts the keys of 2f+1 equal answers, and keeps the last ones in a file.
 * It also reloads the file with the own identity when that changes, and shows the new certificate. Thread-safe.
 */
public final class TrustWatch implements AutoCloseable {
    /** Maximum time for which a server trusts outdated keys after a change, if the replicas answer. */
    public static final long PAUSE_MILLIS_STANDARD = 5_000;

    /** Minimum pause between two questions that unknown keys cause. */
    private static final long PAUSE_MILLIS_LEAST = 500;

    private static final Logger LOG = LoggerFactory.getLogger(TrustWatch.class);
    private static final long ANSWER_MILLIS_MAX = 60_000;

    private static final long REST_MILLIS_MAX = 5_000;

    private final ChannelConfig.Tls files;
    private final TlsCredentials credentials;
    private final KnownReplicas replicas;
    private final Function<Bytes, CompletableFuture<Bytes>> queries;
    private final Path kept;
    private final Thread thread;
    private final Semaphore stranger = new Semaphore(0);
    private final Runnable strangers = this::hurry;
    private final Object identity = new Object();
    private volatile boolean closed;
    private volatile KnownPrincipals known;
    private @Nullable FileTime identityChanged;
    private boolean keeps = true;

    private TrustWatch(
            ChannelConfig.Tls files,
            TlsCredentials credentials,
            KnownReplicas replicas,
            Path kept,
            Function<Bytes, CompletableFuture<Bytes>> queries,
            long pauseMillis) {
        this.replicas = replicas;
        this.files = files;
        this.credentials = credentials;
        this.queries = queries;
        this.kept = kept;
        this.known = KnownPrincipals.load(GenesisFile.load(files.genesis()), kept);
        this.identityChanged = changeOfIdentity();
        this.thread = Thread.ofVirtual().name("trust-" + credentials.self()).unstarted(() -> watch(pauseMillis));
    }

    /**
     * Starts the watch if these are the credentials of TLS; without TLS there is nothing to watch.
     *
     * @param channels the configuration that the credentials were made from
     * @param replicas the replicas that this process knows; present with TLS
     * @param kept the file that keeps what was learnt
     * @param queries asks the replicas
     */
    public static Optional<TrustWatch> start(
            ChannelConfig channels,
            Credentials credentials,
            Optional<KnownReplicas> replicas,
            Path kept,
            Function<Bytes, CompletableFuture<Bytes>> queries) {
        if (!(channels instanceof ChannelConfig.Tls files) || !(credentials instanceof TlsCredentials tls)) {
            return Optional.empty();
        }
        return Optional.of(start(files, tls, replicas.orElseThrow(), kept, queries, PAUSE_MILLIS_STANDARD));
    }

    static TrustWatch start(
            ChannelConfig.Tls files,
            TlsCredentials credentials,
            KnownReplicas replicas,
            Path kept,
            Function<Bytes, CompletableFuture<Bytes>> queries,
            long pauseMillis) {
        TrustWatch watch = new TrustWatch(files, credentials, replicas, kept, queries, pauseMillis);
        credentials.onStranger(watch.strangers);
        watch.thread.start();
        return watch;
    }

    /** Returns the currently known principals. */
    public KnownPrincipals known() {
        return known;
    }

    /** Returns once nothing is written to the file any more, so that its directory may be deleted. */
    @Override
    public void close() {
        closed = true;
        credentials.forgetStranger(strangers);
        thread.interrupt();
        try {
            if (!thread.join(Duration.ofMillis(REST_MILLIS_MAX))) {
                LOG.warn("{} still waits for the registry", credentials.self());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void watch(long pauseMillis) {
        while (!closed) {
            try {
                long leastMillis = Math.min(pauseMillis, PAUSE_MILLIS_LEAST);
                Thread.sleep(leastMillis);
                var unusedPermit = stranger.tryAcquire(pauseMillis - leastMillis, TimeUnit.MILLISECONDS);
                stranger.drainPermits();
                var unused = renewIdentity();
                refresh();
            } catch (InterruptedException e) {
                return;
            } catch (Exception e) {
                // Replicas that do not answer now, or a file that is half written: asked again in a moment.
                LOG.debug("{} could not read the registry", credentials.self(), e);
            }
        }
    }

    /** Triggers an early query: a principal whose key is unknown may have just been added. */
    private void hurry() {
        if (stranger.availablePermits() == 0) {
            stranger.release();
        }
    }

    /** Asks now; returns when the replicas' answer is trusted. */
    public synchronized void refresh() throws Exception {
        long askedNanos = System.nanoTime();
        Optional<RegistryChange> told = RegistryChange.ask(this::page);
        if (told.isEmpty()) {
            return; // Next time.
        }
        KnownPrincipals now = told.get().over(known.genesis());
        if (now.version() <= known.version()) {
            credentials.asOf(askedNanos);
            return; // Nothing new: versions only grow.
        }
        known = now;
        replicas.learned(now);
        credentials.asOf(askedNanos);
        LOG.debug("{} trusts the keys of version {} of the registry", credentials.self(), now.version());
        keep(now);
    }

    private Reply.PrincipalList page(PrincipalId after) throws Exception {
        Query query = new Query.ListPrincipals(known.version(), after, Query.PAGE_MAX);
        Reply reply = Reply.decode(queries.apply(query.encoded()).get(ANSWER_MILLIS_MAX, TimeUnit.MILLISECONDS));
        if (reply instanceof Reply.PrincipalList page) {
            return page;
        }
        throw new IOException("the replicas answer " + reply);
    }

    private void keep(KnownPrincipals now) {
        try {
            now.store(kept);
        } catch (IOException e) {
            if (keeps && !closed) {
                LOG.warn(
                        "{} cannot be written, so the registry is read again after each start: {}. This fails after "
                                + "more than f replicas have rotated their keys: then copy the operator's "
                                + "*.pem.registry and *.pem.registry.replicas to {} and {} before a start "
                                + "(docs/how-to/replace.md, If a member was away during changes)",
                        kept,
                        e.toString(),
                        kept,
                        ConfigurationChainFile.beside(kept).file());
            }
            keeps = false;
        }
    }

    /**
     * Loads the own identity if its file has changed, and shows it from now on; returns whether it has changed.
     *
     * @throws IOException if it cannot be read, for example while it is being written
     */
    public boolean renewIdentity() throws IOException {
        synchronized (identity) {
            FileTime changed = changeOfIdentity();
            if (changed == null || changed.equals(identityChanged)) {
                return false;
            }
            credentials.renew(Identity.load(files.identity()));
            identityChanged = changed;
        }
        LOG.info("{} uses a new certificate from now on", credentials.self());
        return true;
    }

    private @Nullable FileTime changeOfIdentity() {
        try {
            return Files.getLastModifiedTime(files.identity());
        } catch (IOException e) {
            return null; // It is being replaced.
        }
    }
}
