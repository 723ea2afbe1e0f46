package io.bulwark.metadata.bft;

import io.bulwark.metadata.ReplicaLinks;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Fetch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Pages;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Transfer;
import io.bulwark.protocol.state.FetchEffect;
import io.bulwark.protocol.state.FetchSettings;
import io.bulwark.protocol.state.PageServer;
import io.bulwark.protocol.state.PageStore;
import io.bulwark.protocol.state.StateFetch;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Both sides of the transfer of state (4.6.2): serves pages, and fetches what this replica lacks. One thread uses it. */
final class PageTransfer {
    private static final Logger LOG = LoggerFactory.getLogger(PageTransfer.class);

    /** What a peer may fetch from this replica, in bytes. */
    private static final long SERVED_BYTES_PER_SECOND = 32 << 20;

    private static final long PROGRESS_MILLIS = 2_000;

    private final int self;
    private final List<Integer> others;
    private final PageStore store;
    private final PageServer server;
    private final TreeApplication application;
    private final ReplicaLinks links;
    private final RandomGenerator random;
    private @Nullable StateFetch fetch;
    private long startedMillis;
    private long progressMillis;

    PageTransfer(
            int self,
            int replicas,
            PageStore store,
            TreeApplication application,
            ReplicaLinks links,
            RandomGenerator random) {
        this.self = self;
        this.others = IntStream.range(0, replicas)
                .filter(each -> each != self)
                .boxed()
                .toList();
        this.store = store;
        this.server = new PageServer(store, SERVED_BYTES_PER_SECOND);
        this.application = application;
        this.links = links;
        this.random = random;
    }

    /** Begins to fetch, or goes on with another checkpoint; returns whether it is here. */
    boolean start(long nowMillis, Numbered checkpoint) {
        boolean checking = checkpoint.sequence() <= application.last();
        StateFetch running = fetch;
        if (running == null) {
            LOG.info("replica-{} fetches the state of checkpoint {}", self, checkpoint.sequence());
            startedMillis = nowMillis;
            progressMillis = nowMillis;
            running = new StateFetch(store, others, FetchSettings.DEFAULT, checking, random.nextLong());
            fetch = running;
        }
        return carryOut(nowMillis, running, running.target(nowMillis, checkpoint.sequence(), checkpoint.digest()));
    }

    /** Returns whether the state that was to be fetched is here. */
    boolean onMessage(long nowMillis, int from, Transfer message) {
        return switch (message) {
            case Fetch asked -> {
                links.send(from, new Pages(asked.token(), server.onFetch(nowMillis, from, asked.digests())));
                yield false;
            }
            case Pages pages -> {
                StateFetch running = fetch;
                yield running != null
                        && carryOut(nowMillis, running, running.onPages(nowMillis, from, pages.token(), pages.pages()));
            }
        };
    }

    /** Returns whether the state that was to be fetched is here. */
    boolean onTick(long nowMillis) {
        StateFetch running = fetch;
        if (running == null) {
            return false;
        }
        if (nowMillis - progressMillis >= PROGRESS_MILLIS) {
            progressMillis = nowMillis;
            LOG.info("replica-{} fetches state: {}", self, running.progress());
        }
        return carryOut(nowMillis, running, running.onTick(nowMillis));
    }

    private boolean carryOut(long nowMillis, StateFetch running, List<FetchEffect> first) {
        Deque<FetchEffect> effects = new ArrayDeque<>(first);
        while (!effects.isEmpty()) {
            switch (effects.remove()) {
                case FetchEffect.Send send -> links.send(send.replica(), new Fetch(send.token(), send.digests()));
                case FetchEffect.Write write -> application.write(write.batch());
                case FetchEffect.Again _ -> effects.addAll(running.onTick(nowMillis));
                case FetchEffect.WrongPage wrong ->
                    LOG.warn("replica-{} sent a page that is not {}", wrong.replica(), wrong.digest());
                case FetchEffect.Damaged page ->
                    LOG.warn("page {} is {} here", page.digest(), page.missing() ? "missing" : "damaged");
                case FetchEffect.Unavailable page ->
                    LOG.info("no replica has page {} any more: a newer checkpoint is awaited", page.digest());
                case FetchEffect.Complete complete -> {
                    application.write(complete.batch());
                    fetch = null;
                    LOG.info(
                            "replica-{} has the state of checkpoint {} after {} ms: {}",
                            self,
                            complete.number(),
                            nowMillis - startedMillis,
                            running.progress());
                    application.reopen();
                    return true;
                }
            }
        }
        return false;
    }
}
