package io.bulwark.appliance.control;

import java.util.Map;

/**
 * The answer to one request.
 *
 * @param error what went wrong and what to do, or empty
 * @param body what was asked for
 */
public record ControlReply(String error, Map<String, Object> body) {
    public static ControlReply ok(Map<String, Object> body) {
        return new ControlReply("", body);
    }

    public static ControlReply failed(String error) {
        return new ControlReply(error, Map.of());
    }
}
