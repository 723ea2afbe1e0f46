/**
 * Which slots of placement groups get another holder when the cluster grows, shrinks or loses a node, and the way there: one change
 * of a group at a time, each a sealed epoch (docs/decisions/0016-sealed-epochs.md; Agile Store, section on reconfiguration).
 */
@NullMarked
package io.bulwark.appliance.placement;

import org.jspecify.annotations.NullMarked;
