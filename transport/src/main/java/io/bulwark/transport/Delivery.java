package io.bulwark.transport;

/** State of one message that was sent. All methods may be called from any thread. */
public interface Delivery {
    /** Delivery of a message that was not accepted, or whose state is unknown. */
    Delivery UNSURE = new Delivery() {
        @Override
        public boolean lost() {
            return true;
        }

        @Override
        public boolean waiting() {
            return false;
        }

        @Override
        public long movedNanos() {
            return System.nanoTime();
        }
    };

    /** Returns whether it may never arrive: it was dropped, or its connection is gone. */
    boolean lost();

    /** Returns whether it is still queued here, behind earlier messages. */
    boolean waiting();

    /** Returns the time, by {@link System#nanoTime}, at which any bytes last went out or came in over its connection; as it began, if none did. */
    long movedNanos();
}
