package io.bulwark.client;

import java.util.List;

/**
 * Result of rewriting what stood under older policies of a volume.
 *
 * @param refilled objects and parts that have moved
 * @param failures reasons for each that could not be read or written
 * @param extentsLeft extents under older policies; those that were replaced are freed a minute later, uploads in progress
 *     end with their session
 */
public record RefillResult(long refilled, List<String> failures, long extentsLeft) {
    public RefillResult {
        failures = List.copyOf(failures);
    }
}
