package io.bulwark.appliance.transfer;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.transport.file.FileFailure;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;

/** Counts of a running transfer. Thread-safe. */
final class TransferLog {
    private final AtomicLong files = new AtomicLong();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong deleted = new AtomicLong();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();
    private final Queue<String> notes = new ConcurrentLinkedQueue<>();

    /** A step of a transfer, about one file. */
    interface Step {
        void run() throws IOException;
    }

    void moved(long count) {
        files.incrementAndGet();
        bytes.addAndGet(count);
    }

    void deleted() {
        deleted.incrementAndGet();
    }

    void note(String line) {
        notes.add(line);
    }

    void failed(String line) {
        failures.add(line);
    }

    boolean hasFailures() {
        return !failures.isEmpty();
    }

    List<String> failures() {
        return new ArrayList<>(failures);
    }

    /** Runs the step; what it could not do, or a file that went away or cannot be read, ends only this step. */
    void attempt(String name, Step step) {
        try {
            step.run();
        } catch (IOException e) {
            failures.add(name + ": " + FileFailure.cause(e));
        } catch (BulwarkException | UncheckedIOException e) {
            failures.add(name + ": " + e.getMessage());
        }
    }

    Transfer.Result result() {
        return new Transfer.Result(
                files.get(), bytes.get(), deleted.get(), new ArrayList<>(failures), new ArrayList<>(notes));
    }
}
