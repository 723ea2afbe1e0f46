/**
 * Who the replicas are, and how that changes: configurations, and the proof by which anybody who knows one believes in the next
 * (docs/decisions/0020; the paper fixes the replicas, its section 3). Each configuration orders by itself, up to the checkpoint
 * that it ends with, from which the next one begins.
 */
@NullMarked
package io.bulwark.protocol.ordering.membership;

import org.jspecify.annotations.NullMarked;
