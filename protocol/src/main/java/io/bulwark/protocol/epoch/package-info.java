/**
 * Sealed epochs of placement groups at a node (docs/epochs.md). A node records the first epoch in which it
 * serves each group before it promises it. The papers know no change of a group; decision 16 says why this one is safe.
 */
@NullMarked
package io.bulwark.protocol.epoch;

import org.jspecify.annotations.NullMarked;
