package io.bulwark.console.live;

import java.time.Duration;
import java.util.Optional;

/** Events for one stream, in order. Each stream has a source of its own, which its thread alone asks. */
public interface EventSource {
    /**
     * One event.
     *
     * @param id grows with each event
     * @param data a record, sent as JSON
     */
    record Event(String name, long id, Object data) {}

    /** Waits for the next event; empty if there was none in this time. */
    Optional<Event> next(Duration wait) throws InterruptedException;

    /** Returns whether no event will follow. */
    boolean isOver();
}
