package io.bulwark.metadata.bft;

import io.bulwark.metadata.ReplicaConfig;
import io.bulwark.metadata.ReplicaDirectory;
import io.bulwark.metadata.log.WriteAheadLog;
import io.bulwark.metadata.ordering.StateMachine;
import io.bulwark.metadata.pages.RocksPageStore;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.protocol.ordering.membership.ConfigurationStart;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Files of a replica's life: the pages of its state, and the log of its promises in its configuration. One thread
 * writes the pages, another one the log.
 */
final class IncarnationStore implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(IncarnationStore.class);
    private static final long REST_MILLIS_MAX = 10_000;

    /** Pages of state that a replica holds in memory, in bytes. */
    private static final long CACHE_BYTES_MAX = 64 << 20;

    /** Listener for completed writes, called by the disk's threads. */
    interface Listener {
        void onDurable(long upTo);

        void onCheckpointDurable(long sequence);

        void onFailure(Exception failed);
    }

    private final int self;
    private final ConfigurationStart term;
    private final ReplicaDirectory directory;
    private final Listener listener;
    private final ExecutorService pageWriter;
    private final RocksPageStore store;
    private final TreeApplication application;
    private final WriteAheadLog log;
    private final boolean damaged;

    /** Owned by the log's thread. */
    private boolean begun;

    private IncarnationStore(
            ReplicaConfig config,
            ConfigurationStart term,
            StateMachine.Factory machines,
            Listener listener,
            ExecutorService pageWriter)
            throws IOException {
        this.self = config.replica();
        this.term = term;
        this.listener = listener;
        this.pageWriter = pageWriter;
        directory = new ReplicaDirectory(config.directory());
        Files.createDirectories(directory.path());
        int interval = config.checkpointInterval();
        LoadedState found = LoadedState.open(
                self,
                directory.pages(),
                opened -> new TreeApplication(
                        machines, opened, CACHE_BYTES_MAX, interval, this::write, listener::onCheckpointDurable));
        store = found.store();
        application = found.application();
        damaged = found.damaged();
        begun = term.number() == 0 || directory.hasBegun(term.number());
        try {
            log = WriteAheadLog.open(
                    directory.promises(term.number()), hasPromised(), this::onDurable, listener::onFailure);
        } catch (IOException | RuntimeException e) {
            store.close();
            throw e;
        }
    }

    /**
     * Opens it.
     *
     * @param term of the life: in each configuration its log is its own
     */
    static IncarnationStore open(
            ReplicaConfig config, ConfigurationStart term, StateMachine.Factory machines, Listener listener)
            throws IOException {
        ExecutorService pageWriter = Executors.newSingleThreadExecutor(Thread.ofPlatform()
                .daemon()
                .name("bulwark-pages-" + config.replica())
                .factory());
        try {
            return new IncarnationStore(config, term, machines, listener, pageWriter);
        } catch (IOException | RuntimeException e) {
            pageWriter.shutdown();
            throw e;
        }
    }

    /**
     * In the genesis's configuration a state, also one that was damaged, shows that something was promised; in a later one, which begins
     * with a state, it is written down, and a state beyond that one shows it.
     */
    private boolean hasPromised() {
        return term.number() == 0
                ? damaged || application.last() > 0
                : directory.hasBegun(term.number())
                        || application.last() > term.checkpoint().sequence();
    }

    /**
     * Returns the start of the life.
     *
     * @param wanted the start if the log does not report that all is forgotten
     * @param signs without identities nothing can be signed, so that nothing recovers; and a replica that forgot its
     *     promises must recover
     */
    StartReason start(StartReason wanted, boolean signs) throws IOException {
        StartReason start = log.start() == StartReason.FORGOTTEN ? StartReason.FORGOTTEN : wanted;
        if (signs || start == StartReason.NORMAL) {
            return start;
        }
        if (start == StartReason.FORGOTTEN) {
            throw new IOException("replica-" + self + " has forgotten its promises and cannot recover, since its "
                    + "group has no identities; remove its directory");
        }
        LOG.warn("replica-{} does not recover: its group has no identities to sign with", self);
        return StartReason.NORMAL;
    }

    private void onDurable(long upTo) {
        if (!begun) {
            try {
                directory.begin(term.number());
                begun = true;
            } catch (IOException e) {
                listener.onFailure(e);
                return;
            }
        }
        listener.onDurable(upTo);
    }

    /** Returns whether something shows that this replica has worked before. */
    boolean showsWork() {
        return application.last() > 0 || directory.hasBegun(term.number());
    }

    /** Pages, on their own thread. */
    private void write(Runnable write) {
        pageWriter.execute(() -> {
            try {
                write.run();
            } catch (RuntimeException e) {
                listener.onFailure(e);
                throw e;
            }
        });
    }

    /** Returns once it is durable that no other life is to begin here. */
    void stop(String why) {
        try {
            directory.stop(why);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    RocksPageStore store() {
        return store;
    }

    TreeApplication application() {
        return application;
    }

    WriteAheadLog log() {
        return log;
    }

    /** Returns whether some of the state was damaged when this was opened. */
    boolean isDamaged() {
        return damaged;
    }

    /** Waits for what is being written, and closes all files. */
    @Override
    public void close() {
        pageWriter.shutdown();
        try {
            if (!pageWriter.awaitTermination(REST_MILLIS_MAX, TimeUnit.MILLISECONDS)) {
                LOG.warn("the pages of replica-{} did not stop", self);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        try {
            log.close();
        } catch (IOException e) {
            LOG.warn("replica-{}: closing its log failed", self, e);
        }
        store.close();
    }
}
