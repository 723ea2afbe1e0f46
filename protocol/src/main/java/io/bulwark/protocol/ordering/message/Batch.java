package io.bulwark.protocol.ordering.message;

import java.util.List;

/**
 * What one sequence number orders. Its digest covers the time and the list, never what authenticated the requests. The
 * null batch has neither requests nor time: it leaves state and agreed time as they are.
 *
 * @param millis the time that the primary proposes; applied is max(previous, proposed)
 */
public record Batch(long millis, List<RequestId> requests) {
    public static final int REQUESTS_MAX = 4_096;

    /** Orders nothing. */
    public static final Batch NULL = new Batch(0, List.of());

    public Batch {
        requests = List.copyOf(requests);
        if (requests.size() > REQUESTS_MAX) {
            throw new IllegalArgumentException(requests.size() + " requests");
        }
    }
}
