package io.bulwark.appliance.supervisor;

import static org.awaitility.Awaitility.await;

import io.bulwark.appliance.cluster.ReplicaMember;
import java.io.IOException;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.NullMarked;

/** A replica that only remembers what was done to it. */
@NullMarked
final class FakeReplica implements ReplicaMember {
    final Queue<String> done = new ConcurrentLinkedQueue<>();
    volatile boolean running = true;
    volatile boolean endsOnce;
    volatile String stoppedAfter = "";
    volatile String ended = "";
    private volatile int looks;
    private final SupervisorTest.FakeGroup group;

    FakeReplica(SupervisorTest.FakeGroup group) {
        this.group = group;
    }

    @Override
    public String name() {
        return "replica-" + SupervisorTest.OWN;
    }

    @Override
    public String address() {
        return "nowhere";
    }

    @Override
    public void start() {
        done.add("start");
        running = true;
    }

    @Override
    public void recover() {
        done.add("recover");
        stoppedAfter = group.last;
        running = !endsOnce;
    }

    @Override
    public void awaitListening() throws IOException {
        if (endsOnce) {
            endsOnce = false;
            throw new IOException("it ended");
        }
        done.add("listening");
    }

    @Override
    public void stop() {
        done.add("stop");
        running = false;
    }

    @Override
    public synchronized boolean isRunning() {
        looks = looks + 1;
        return running;
    }

    @Override
    public Optional<String> ended() {
        return Optional.of(ended).filter(how -> !how.isEmpty());
    }

    /** Waits for so many checks that the replica would have been started again. */
    void awaitLookedAt() {
        int before = looks;
        await().atMost(SupervisorTest.LONG).until(() -> looks > before + 4);
    }

    @Override
    public OptionalLong pid() {
        return OptionalLong.empty();
    }
}
