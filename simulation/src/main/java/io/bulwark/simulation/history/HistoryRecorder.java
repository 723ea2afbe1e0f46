package io.bulwark.simulation.history;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records a history as it happens. Times never repeat: what happens within one millisecond keeps the order in which it was
 * recorded. Not for several threads at once; live clients share it under a lock, taken before the invocation is sent and after the
 * answer is there.
 */
public final class HistoryRecorder {
    private final List<Pending> pending = new ArrayList<>();
    private long lastMicros = -1;

    /** One operation under way. What is never completed has an unknown outcome. */
    public final class Pending {
        private final String client;
        private final boolean correct;
        private final Action action;
        private final String key;
        private final @Nullable String value;
        private final long ifVersion;
        private final long invokedMicros;
        private long completedMicros = Operation.NEVER;
        private Outcome outcome = Outcome.UNKNOWN;
        private @Nullable String returned;
        private long version;

        private Pending(
                String client,
                boolean correct,
                Action action,
                String key,
                @Nullable String value,
                long ifVersion,
                long invokedMicros) {
            this.client = client;
            this.correct = correct;
            this.action = action;
            this.key = key;
            this.value = value;
            this.ifVersion = ifVersion;
            this.invokedMicros = invokedMicros;
        }

        /**
         * Records that the operation took effect.
         *
         * @param returned the value that a read returned; null for nothing, and for operations that are no reads
         * @param version the version made, returned or removed; 0 if it is not known
         */
        public void ok(long nowMillis, @Nullable String returned, long version) {
            complete(nowMillis, Outcome.OK);
            this.returned = returned;
            this.version = version;
        }

        public void ok(long nowMillis) {
            ok(nowMillis, null, 0);
        }

        /** Refused, failed or unknown. */
        public void ended(long nowMillis, Outcome how) {
            if (how == Outcome.OK) {
                throw new IllegalArgumentException("what was returned?");
            }
            complete(nowMillis, how);
        }

        public boolean completed() {
            return completedMicros != Operation.NEVER;
        }

        private void complete(long nowMillis, Outcome how) {
            if (completed()) {
                throw new IllegalStateException("completed twice: " + operation());
            }
            completedMicros = stamp(nowMillis);
            outcome = how;
        }

        private Operation operation() {
            return new Operation(
                    client,
                    correct,
                    action,
                    key,
                    action.hasOwnValue() ? value : returned,
                    ifVersion,
                    version,
                    invokedMicros,
                    completedMicros,
                    outcome);
        }
    }

    /** A correct client begins an operation without a condition on a version. */
    public Pending invoke(String client, Action action, String key, @Nullable String value, long nowMillis) {
        return add(client, true, action, key, value, 0, nowMillis);
    }

    public Pending invokeIfVersion(String client, String key, String value, long ifVersion, long nowMillis) {
        return add(client, true, Action.PUT_IF_VERSION, key, value, ifVersion, nowMillis);
    }

    /**
     * A correct node lets in, for the first time, a change that a faulty client asks for. To be called once for each change.
     *
     * @return its number in the history
     */
    public int faulty(
            String client, Action action, String key, @Nullable String value, long ifVersion, long nowMillis) {
        add(client, false, action, key, value, ifVersion, nowMillis);
        return pending.size() - 1;
    }

    /** Returns the history recorded so far, in the order of the invocations. */
    public History history() {
        return new History(pending.stream().map(Pending::operation).toList());
    }

    private Pending add(
            String client,
            boolean correct,
            Action action,
            String key,
            @Nullable String value,
            long ifVersion,
            long nowMillis) {
        Pending added = new Pending(client, correct, action, key, value, ifVersion, stamp(nowMillis));
        pending.add(added);
        return added;
    }

    private long stamp(long nowMillis) {
        lastMicros = Math.max(lastMicros + 1, nowMillis * 1_000);
        return lastMicros;
    }
}
