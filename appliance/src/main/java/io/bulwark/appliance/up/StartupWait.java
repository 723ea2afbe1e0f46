package io.bulwark.appliance.up;

import io.bulwark.appliance.cluster.ProgressWatch;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** Waits for members until all are there, nothing moves any more, or somebody asks for the end. */
final class StartupWait {
    private static final long PAUSE_MILLIS = 25;
    private static final int NAMED_MAX = 3;

    private final StartupListener story;
    private final CountDownLatch ended;
    private volatile String now = "";

    /** @param ended is at zero once somebody has asked for the end */
    StartupWait(StartupListener story, CountDownLatch ended) {
        this.story = story;
        this.ended = ended;
    }

    /** Supplies the names of those that are waited for, each with a reason; empty at the end. */
    interface AwaitedMembers {
        SortedMap<String, String> awaited() throws Exception;
    }

    /** Returns the member that is awaited now and the reason, in one line; empty if there is none. */
    String now() {
        return now;
    }

    /**
     * Waits until nobody is waited for.
     *
     * @param activity changes while those that are waited for make progress
     * @throws IOException if nothing has moved for {@link ProgressWatch#PATIENCE}
     */
    void until(AwaitedMembers look, Supplier<String> activity) throws Exception {
        ProgressWatch progress = new ProgressWatch();
        while (true) {
            requireNotEnded();
            SortedMap<String, String> awaited = look.awaited();
            if (awaited.isEmpty()) {
                now = "";
                return;
            }
            now = text(awaited);
            if (progress.isStalled(awaited + " " + activity.get())) {
                throw new IOException(
                        "no progress for " + ProgressWatch.PATIENCE.toMinutes() + " minutes while " + now);
            }
            story.awaits(now);
            var _ = ended.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    void requireNotEnded() throws StartAbandonedException {
        if (ended.getCount() == 0) {
            throw new StartAbandonedException();
        }
    }

    static String text(Map<String, String> awaited) {
        List<String> named = new ArrayList<>();
        awaited.entrySet().stream()
                .limit(NAMED_MAX)
                .forEach(each -> named.add(each.getKey() + " (" + each.getValue() + ")"));
        int more = awaited.size() - named.size();
        return "waiting for " + String.join(", ", named) + (more == 0 ? "" : " and " + more + " more");
    }
}
