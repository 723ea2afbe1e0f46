package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.TransferListener;
import java.io.Console;
import java.util.concurrent.atomic.AtomicLong;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** A bar on standard error while bytes move, with totals and the time that is left, if a person is there to see it. Thread-safe. */
final class Progress implements TransferListener, AutoCloseable {
    private final @Nullable ProgressBar bar;
    private final int files;
    private final AtomicLong done = new AtomicLong();
    private final AtomicLong filesDone = new AtomicLong();

    private Progress(@Nullable ProgressBar bar, int files) {
        this.bar = bar;
        this.files = files;
        showFiles(0);
    }

    /** @param totalBytes -1 where it is not known */
    static Progress of(String task, long totalBytes, boolean quiet) {
        return of(task, totalBytes, 0, quiet);
    }

    /** @param files how many there are, or 0 for one that is not counted */
    @SuppressWarnings("SystemConsoleNull") // The annotated JDK of NullAway still says that it may be null.
    static Progress of(String task, long totalBytes, int files, boolean quiet) {
        Console console = System.console();
        if (quiet || console == null || !console.isTerminal()) {
            return new Progress(null, files);
        }
        ProgressBar bar = new ProgressBarBuilder()
                .setTaskName(task)
                .setInitialMax(totalBytes)
                .setUnit(" MiB", 1 << 20)
                .setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(200)
                .showSpeed()
                .build();
        return new Progress(bar, files);
    }

    void add(long bytes) {
        long total = done.addAndGet(bytes);
        if (bar != null) {
            bar.stepTo(total);
        }
    }

    /** @param totalBytes which may be known only now */
    void to(long bytes, long totalBytes) {
        done.set(bytes);
        if (bar != null) {
            bar.maxHint(totalBytes);
            bar.stepTo(bytes);
        }
    }

    @Override
    public void onBytes(long count) {
        add(count);
    }

    @Override
    public void onFile() {
        showFiles(filesDone.incrementAndGet());
    }

    private void showFiles(long count) {
        if (bar != null && files > 0) {
            bar.setExtraMessage(" " + count + "/" + files + " files");
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
