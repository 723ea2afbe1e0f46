package io.bulwark.appliance.control;

import java.util.Map;

/**
 * The answer to one request.
 *
 * @param error what went wrong and what to do, or empty
 * @param misused whether the request is one that can never be served, such as a number that does not exist
 * @param body the requested content
 */
public record ControlReply(String error, boolean misused, Map<String, Object> body) {
    public static ControlReply ok(Map<String, Object> body) {
        return new ControlReply("", false, body);
    }

    public static ControlReply failed(String error) {
        return new ControlReply(error, false, Map.of());
    }

    public static ControlReply usageError(String error) {
        return new ControlReply(error, true, Map.of());
    }
}
