/**
 * Membership of the group and its changes: configurations, and the proof by which anybody who knows one trusts the next
 * (docs/decisions/0020). In the paper the replicas are fixed (its section 3). Each configuration orders by itself, up
 * to its final checkpoint, from which the next one begins.
 */
@NullMarked
package io.bulwark.protocol.ordering.membership;

import org.jspecify.annotations.NullMarked;
