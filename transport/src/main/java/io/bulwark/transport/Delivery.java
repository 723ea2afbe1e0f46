package io.bulwark.transport;

/** What has become of one message that was sent. All methods may be called from any thread. */
public interface Delivery {
    /** Of a message that was not taken, or of which nobody can tell. */
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

    /** Whether it may never arrive: it was dropped, or its connection is gone. */
    boolean lost();

    /** Whether it is still queued here, behind what leaves before it. */
    boolean waiting();

    /** When, by {@link System#nanoTime}, any bytes last went out or came in over its connection; as it began, if none did. */
    long movedNanos();
}
