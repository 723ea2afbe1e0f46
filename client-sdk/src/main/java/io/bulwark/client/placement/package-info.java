/**
 * Choice of the slots of placement groups that get another holder when the cluster grows, shrinks or loses a node, and
 * their moves. A group has one change at a time, each a sealed epoch (docs/decisions/0016-sealed-epochs.md; Agile
 * Store, section on reconfiguration).
 */
@NullMarked
package io.bulwark.client.placement;

import org.jspecify.annotations.NullMarked;
