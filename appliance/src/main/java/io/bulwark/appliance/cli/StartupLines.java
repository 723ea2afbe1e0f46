package io.bulwark.appliance.cli;

import io.bulwark.appliance.up.StartupListener;
import java.io.Console;
import java.io.PrintStream;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

/** Tells on standard error how a start or an end goes. Waiting is one line in place on a terminal, and a line now and then in a log. */
final class StartupLines implements StartupListener {
    static final String SAYS = "bulwark: ";

    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_PAUSE_NANOS = 2 * SECOND_NANOS;
    private static final long PAUSE_NANOS_MAX = 16 * SECOND_NANOS;

    /** Characters that fit on a line of most terminals. */
    private static final int SHOWN_MAX = 79;

    private static final String ERASE = "\r\u001b[K";

    private final PrintStream out;
    private final boolean terminal;
    private final LongSupplier nanos;
    private long pauseNanos;
    private long nextNanos;
    private boolean shown;

    StartupLines(PrintStream out, boolean terminal, LongSupplier nanos) {
        this.out = out;
        this.terminal = terminal;
        this.nanos = nanos;
        rest();
    }

    /** Prints to standard error. */
    @SuppressWarnings("SystemConsoleNull") // The annotated JDK of NullAway still says that it may be null.
    static StartupLines standard() {
        Console console = System.console();
        return new StartupLines(System.err, console != null && console.isTerminal(), System::nanoTime);
    }

    @Override
    public synchronized void tell(String line) {
        erase();
        rest();
        out.println(SAYS + line);
    }

    @Override
    public synchronized void awaits(String line) {
        long now = nanos.getAsLong();
        if (now - nextNanos < 0) {
            return;
        }
        if (terminal) {
            nextNanos = now + SECOND_NANOS;
            String text = SAYS + Text.printable(line);
            out.print(ERASE + text.substring(0, Math.min(SHOWN_MAX, text.length())));
            out.flush();
            shown = true;
        } else {
            nextNanos = now + pauseNanos;
            pauseNanos = Math.min(2 * pauseNanos, PAUSE_NANOS_MAX);
            out.println(SAYS + Text.printable(line));
        }
    }

    /** Nothing more is awaited. */
    synchronized void erase() {
        if (shown) {
            out.print(ERASE);
            out.flush();
            shown = false;
        }
    }

    private void rest() {
        pauseNanos = FIRST_PAUSE_NANOS;
        nextNanos = nanos.getAsLong() + (terminal ? SECOND_NANOS : FIRST_PAUSE_NANOS);
    }
}
