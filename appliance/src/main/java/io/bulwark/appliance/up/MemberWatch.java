package io.bulwark.appliance.up;

import io.bulwark.appliance.cluster.Member;
import io.bulwark.appliance.supervisor.RestartPauses;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts members again that have ended though nobody stopped them, with pauses between. Replicas that can recover have supervisors instead. */
final class MemberWatch implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(MemberWatch.class);
    private static final long TICK_MILLIS = 500;

    /** Interval for checking again whether a member that has ended was removed. */
    private static final long LOOK_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(60);

    private final List<WatchedMember> watched;
    private final Predicate<Member> removed;
    private final Thread thread;

    private MemberWatch(List<Member> members, Predicate<Member> removed) {
        this.watched = members.stream().map(WatchedMember::new).toList();
        this.removed = removed;
        this.thread = Thread.ofPlatform().daemon().name("member-watch").unstarted(this::run);
    }

    /**
     * Begins to watch over members, which have been started.
     *
     * @param removed whether one was removed from the cluster: it is not started again
     */
    static MemberWatch start(List<Member> members, Predicate<Member> removed) {
        MemberWatch watch = new MemberWatch(members, removed);
        watch.thread.start();
        return watch;
    }

    /** Leaves the members as they are. */
    @Override
    public void close() {
        thread.interrupt();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                for (WatchedMember each : watched) {
                    each.look();
                }
                Thread.sleep(TICK_MILLIS);
            }
        } catch (InterruptedException e) {
            LOG.debug("member supervision stopped");
        }
    }

    private final class WatchedMember {
        private final Member member;
        private final RestartPauses pauses = new RestartPauses();
        private long startedNanos = System.nanoTime();
        private long restartNanos;
        private boolean waits;

        private WatchedMember(Member member) {
            this.member = member;
        }

        private void look() throws InterruptedException {
            Optional<String> ended = member.ended();
            if (ended.isEmpty()) {
                waits = false;
                return;
            }
            long now = System.nanoTime();
            if (!waits) {
                waits = true;
                long pauseMillis = pauses.afterEnd(TimeUnit.NANOSECONDS.toMillis(now - startedNanos));
                restartNanos = now + TimeUnit.MILLISECONDS.toNanos(pauseMillis);
                LOG.error("{} terminated unexpectedly {}", member.name(), ended.get());
            }
            if (now - restartNanos < 0) {
                return;
            }
            restartNanos = now + LOOK_AGAIN_NANOS;
            try {
                if (!removed.test(member)) {
                    LOG.info("restarting {}", member.name());
                    waits = false;
                    startedNanos = now;
                    member.startAgain();
                }
            } catch (InterruptedException e) {
                throw e;
            } catch (Exception e) {
                LOG.error("{} cannot be restarted: {}", member.name(), e.getMessage(), e);
            }
        }
    }
}
