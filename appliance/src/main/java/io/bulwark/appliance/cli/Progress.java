package io.bulwark.appliance.cli;

import java.io.Console;
import java.util.concurrent.atomic.AtomicLong;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** A bar on standard error while bytes move, if a person is there to see it. Thread-safe. */
final class Progress implements AutoCloseable {
    private final @Nullable ProgressBar bar;
    private final AtomicLong done = new AtomicLong();

    private Progress(@Nullable ProgressBar bar) {
        this.bar = bar;
    }

    /** @param totalBytes -1 where it is not known */
    @SuppressWarnings("SystemConsoleNull") // The annotated JDK of NullAway still says that it may be null.
    static Progress of(String task, long totalBytes, boolean quiet) {
        Console console = System.console();
        if (quiet || console == null || !console.isTerminal()) {
            return new Progress(null);
        }
        return new Progress(new ProgressBarBuilder()
                .setTaskName(task)
                .setInitialMax(totalBytes)
                .setUnit(" MiB", 1 << 20)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(200)
                .showSpeed()
                .build());
    }

    void add(long bytes) {
        long total = done.addAndGet(bytes);
        if (bar != null) {
            bar.stepTo(total);
        }
    }

    void to(long bytes) {
        done.set(bytes);
        if (bar != null) {
            bar.stepTo(bytes);
        }
    }

    @Override
    public void close() {
        finish();
    }

    /** Leaves the bar as it is, so that something can be printed below it. */
    void finish() {
        if (bar != null) {
            bar.close();
        }
    }
}
