package io.bulwark.metadata.bftsmart;

import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.ObjectInputFilter;
import java.io.OutputStream;
import java.io.PrintStream;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/**
 * Contains the library's habits: its console output is discarded, and its deserialization is restricted to the classes
 * of its messages. Both recognize it by the thread group in which it runs.
 */
final class LibrarySandbox {
    private static final String LIBRARY = "bftsmart.";

    /** Classes between the library and the console in a call. */
    private static final List<String> OWN = List.of("java.", "sun.", "jdk.", LibrarySandbox.class.getName());

    private static final Logger LIBRARY_LOGGER = Logger.getLogger("bftsmart");
    static final ThreadGroup THREADS = new ThreadGroup("bft-smart");

    /** The classes of its messages, and nothing else. */
    static final ObjectInputFilter FILTER = ObjectInputFilter.Config.createFilter(
            "maxdepth=30;maxbytes=268435456;bftsmart.communication.SystemMessage;bftsmart.consensus.**;"
                    + "bftsmart.tom.**;java.lang.Enum;java.lang.Integer;java.lang.Number;java.security.SignedObject;"
                    + "java.util.HashMap;java.util.HashSet;java.util.Map$Entry;!*");

    private static final boolean RESTRICTED = restrict();

    static {
        LIBRARY_LOGGER.setLevel(Level.OFF);
        System.setOut(filterLibrary(System.out));
        System.setErr(filterLibrary(System.err));
    }

    private LibrarySandbox() {}

    /**
     * Restricts deserialization; the library opens its own streams for nested content of messages. Returns whether they
     * are restricted now.
     */
    private static boolean restrict() {
        try {
            ObjectInputFilter.Config.setSerialFilterFactory((current, next) -> {
                ObjectInputFilter other = next != null ? next : current;
                return isLibraryThread() ? ObjectInputFilter.merge(FILTER, other) : other;
            });
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    /**
     * Must be asked before anything of a peer is read.
     *
     * @throws IllegalStateException if the objects that peers nest in messages are not restricted
     */
    static void checkRestricted() {
        if (!RESTRICTED) {
            throw new IllegalStateException(
                    "the ordering engine bft-smart does not start: this process has deserialized before, or has its "
                            + "own filter, so the objects of peers cannot be restricted");
        }
    }

    /** Starts a thread whose output is dropped where the library writes it; its children inherit that. */
    static Thread thread(String name, Runnable work) {
        Thread thread = new Thread(THREADS, work, name);
        thread.setDaemon(true);
        return thread;
    }

    private static boolean isLibraryThread() {
        return THREADS.equals(Thread.currentThread().getThreadGroup());
    }

    static PrintStream filterLibrary(PrintStream console) {
        return new PrintStream(new Filter(console), true, console.charset());
    }

    private static final class Filter extends FilterOutputStream {
        private Filter(OutputStream console) {
            super(console);
        }

        @Override
        public void write(int b) throws IOException {
            if (!written()) {
                out.write(b);
            }
        }

        @Override
        public void write(byte[] bytes, int offset, int length) throws IOException {
            if (!written()) {
                out.write(bytes, offset, length);
            }
        }

        /** Returns whether the library writes this. Our own log lines may come from the same threads. */
        private static boolean written() {
            return isLibraryThread() && StackWalker.getInstance().walk(Filter::isCalledByLibrary);
        }

        private static boolean isCalledByLibrary(Stream<StackWalker.StackFrame> frames) {
            return frames.map(StackWalker.StackFrame::getClassName)
                    .filter(name -> OWN.stream().noneMatch(name::startsWith))
                    .findFirst()
                    .filter(name -> name.startsWith(LIBRARY))
                    .isPresent();
        }
    }
}
