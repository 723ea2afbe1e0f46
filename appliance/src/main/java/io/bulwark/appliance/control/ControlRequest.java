package io.bulwark.appliance.control;

import org.jspecify.annotations.Nullable;

/**
 * One request: {@code status}, {@code progress}, {@code down}, {@code replica-recover}, or a node's {@code node-start}, {@code node-stop},
 * {@code node-save}, {@code node-slow}, {@code node-lie}, whose answer says in {@code edited} how many fragments were changed.
 *
 * @param node the node's or replica's number, for their actions
 * @param how how it is to lie: swap, stale, flip, drop or garble
 */
public record ControlRequest(
        String action, @Nullable Integer node, @Nullable String how) {
    public static ControlRequest of(String action) {
        return new ControlRequest(action, null, null);
    }
}
