/**
 * Known replicas, for a process that speaks with them or is one of them. They are the replicas of the genesis, and
 * those that a proof shows as their successors (docs/decisions/0020; docs/ordering).
 */
@NullMarked
package io.bulwark.client.replicas;

import org.jspecify.annotations.NullMarked;
