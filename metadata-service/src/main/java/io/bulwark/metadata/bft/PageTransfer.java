package io.bulwark.metadata.bft;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Fetch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Pages;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Transfer;
import io.bulwark.protocol.state.FetchEffect;
import io.bulwark.protocol.state.FetchSettings;
import io.bulwark.protocol.state.PageRepair;
import io.bulwark.protocol.state.PageServer;
import io.bulwark.protocol.state.PageStore;
import io.bulwark.protocol.state.StateFetch;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Both sides of state transfer (4.6.2): it serves pages, fetches those that this replica lacks, and checks its own
 * during a recovery (4.4). It also replaces single pages that turned out to be damaged when others asked for them. One
 * thread uses it.
 */
final class PageTransfer {
    /** Outcome of a transfer or check. */
    enum FinishedTransfer {
        NOTHING,
        /** The others have discarded the checkpoint whose state is fetched. */
        GONE,
        /** They have discarded the one that was to be checked, and a page of it is not right here. */
        CHECK_GONE,
        /** The state that was to be fetched is here. */
        FETCHED,
        /** The checkpoint that was to be checked is right. */
        CHECKED
    }

    private static final Logger LOG = LoggerFactory.getLogger(PageTransfer.class);

    /** Limit of the rate at which a peer may fetch from this replica. */
    private static final long SERVED_BYTES_PER_SECOND = 32 << 20;

    private static final long PROGRESS_MILLIS = 2_000;

    private final PrincipalId self;
    private final List<Integer> others;
    private final PageStore store;
    private final PageServer server;
    private final TreeApplication application;
    private final PeerMessenger mail;
    private final RandomGenerator random;
    private final PageRepair repair;
    private @Nullable StateFetch fetch;
    private boolean inPlace;
    private StateFetch.Progress last = new StateFetch.Progress(0, 0, 0, 0);
    private long startedMillis;
    private long progressMillis;
    private long readBefore;
    private long furthestRead;
    private boolean again;

    /** @param place that of this replica in its configuration */
    PageTransfer(
            Configuration configuration,
            int place,
            PageStore store,
            TreeApplication application,
            PeerMessenger mail,
            RandomGenerator random) {
        this.self = configuration.members().get(place).replica();
        this.others = IntStream.range(0, configuration.members().size())
                .filter(each -> each != place)
                .boxed()
                .toList();
        this.store = store;
        this.server = new PageServer(store, SERVED_BYTES_PER_SECOND);
        this.application = application;
        this.mail = mail;
        this.random = random;
        repair = new PageRepair(others, FetchSettings.DEFAULT, random.nextLong());
    }

    /**
     * Begins to fetch, or goes on with another checkpoint.
     *
     * @param distrusted no page that is here is trusted
     */
    FinishedTransfer start(long nowMillis, Numbered checkpoint, boolean distrusted) {
        boolean checking = distrusted || checkpoint.sequence() <= application.last();
        StateFetch running = inPlace ? null : fetch;
        if (running == null) {
            inPlace = false;
            LOG.info("{} fetches the state of checkpoint {}", self, checkpoint.sequence());
            startedMillis = nowMillis;
            progressMillis = nowMillis;
            application.abandon();
            running = new StateFetch(store, others, FetchSettings.DEFAULT, checking, random.nextLong());
            fetch = running;
            furthestRead = 0;
        }
        readBefore = running.progress().read();
        return carryOut(nowMillis, running, running.target(nowMillis, checkpoint.sequence(), checkpoint.digest()));
    }

    /** Begins to digest all pages of a checkpoint that is here. */
    FinishedTransfer check(long nowMillis, Numbered checkpoint) {
        LOG.info("{} checks its state at checkpoint {}", self, checkpoint.sequence());
        inPlace = true;
        startedMillis = nowMillis;
        progressMillis = nowMillis;
        StateFetch running = new StateFetch(store, others, FetchSettings.DEFAULT, true, random.nextLong());
        fetch = running;
        furthestRead = 0;
        readBefore = 0;
        return carryOut(nowMillis, running, running.target(nowMillis, checkpoint.sequence(), checkpoint.digest()));
    }

    /** Returns whether {@link #onTick} has more work immediately, so much that messages must be handled in between. */
    boolean hasMoreToDo() {
        return again;
    }

    /** Returns the result of the last fetch or check. */
    StateFetch.Progress last() {
        return last;
    }

    /**
     * Returns the progress of the current fetch or check: pages from others, and those that were examined here for one
     * checkpoint. Examining the same pages for the next checkpoint is no progress. 0 if there is no fetch or check.
     */
    long pages() {
        StateFetch running = fetch;
        if (running == null) {
            return 0;
        }
        StateFetch.Progress progress = running.progress();
        furthestRead = Math.max(furthestRead, progress.read() - readBefore);
        return progress.fetched() + furthestRead;
    }

    FinishedTransfer onMessage(long nowMillis, int from, Transfer message) {
        return switch (message) {
            case Fetch asked -> {
                mail.send(from, new Pages(asked.token(), server.onFetch(nowMillis, from, asked.digests())));
                yield FinishedTransfer.NOTHING;
            }
            case Pages pages -> {
                mend(nowMillis, repair.onPages(nowMillis, from, pages.token(), pages.pages()));
                StateFetch running = fetch;
                yield running == null
                        ? FinishedTransfer.NOTHING
                        : carryOut(nowMillis, running, running.onPages(nowMillis, from, pages.token(), pages.pages()));
            }
        };
    }

    FinishedTransfer onTick(long nowMillis) {
        again = false;
        for (Bytes digest : server.takeDamaged()) {
            LOG.warn("page {} is damaged and is fetched from the others", digest);
            mend(nowMillis, repair.want(nowMillis, digest));
        }
        mend(nowMillis, repair.onTick(nowMillis));
        StateFetch running = fetch;
        if (running == null) {
            return FinishedTransfer.NOTHING;
        }
        if (nowMillis - progressMillis >= PROGRESS_MILLIS) {
            progressMillis = nowMillis;
            LOG.info("{} {} state: {}", self, inPlace ? "checks its" : "fetches the", told(running.progress()));
        }
        return carryOut(nowMillis, running, running.onTick(nowMillis));
    }

    private static String told(StateFetch.Progress progress) {
        return progress.read() + " pages checked, " + progress.damaged() + " damaged, " + progress.fetched()
                + " fetched (" + progress.fetchedBytes() + " bytes)";
    }

    /** Single pages. */
    private void mend(long nowMillis, List<FetchEffect> effects) {
        for (FetchEffect effect : effects) {
            switch (effect) {
                case FetchEffect.Send send -> mail.send(send.replica(), new Fetch(send.token(), send.digests()));
                case FetchEffect.Write write -> application.write(write.batch());
                case FetchEffect.WrongPage wrong ->
                    mail.reportFault(nowMillis, wrong.replica(), "sent a page that is not " + wrong.digest());
                case FetchEffect.Unavailable page -> LOG.info("no replica has page {} any longer", page.digest());
                case FetchEffect.ImmediateTick _,
                        FetchEffect.Damaged _,
                        FetchEffect.Complete _ -> {} // not of single pages
            }
        }
    }

    private FinishedTransfer carryOut(long nowMillis, StateFetch running, List<FetchEffect> effects) {
        boolean gone = false;
        for (FetchEffect effect : effects) {
            switch (effect) {
                case FetchEffect.Send send -> mail.send(send.replica(), new Fetch(send.token(), send.digests()));
                case FetchEffect.Write write -> application.write(write.batch());
                // A check in place is in no hurry.
                case FetchEffect.ImmediateTick _ -> again = !inPlace;
                case FetchEffect.WrongPage wrong ->
                    mail.reportFault(nowMillis, wrong.replica(), "sent a page that is not " + wrong.digest());
                case FetchEffect.Damaged page ->
                    LOG.warn("page {} is {}", page.digest(), page.missing() ? "missing" : "damaged");
                case FetchEffect.Unavailable page -> {
                    LOG.debug("no replica has page {} any longer; waiting for a newer checkpoint", page.digest());
                    gone = true;
                }
                case FetchEffect.Complete complete -> {
                    fetch = null;
                    last = running.progress();
                    if (!inPlace) {
                        application.write(complete.batch());
                    }
                    LOG.info(
                            "{} has the state of checkpoint {} after {} ms: {}",
                            self,
                            complete.number(),
                            nowMillis - startedMillis,
                            told(running.progress()));
                    if (inPlace) {
                        inPlace = false;
                        return FinishedTransfer.CHECKED;
                    }
                    application.reopen();
                    return FinishedTransfer.FETCHED;
                }
            }
        }
        if (gone && inPlace) {
            fetch = null;
            inPlace = false;
            return FinishedTransfer.CHECK_GONE;
        }
        return gone ? FinishedTransfer.GONE : FinishedTransfer.NOTHING;
    }
}
