/**
 * Sealed epochs of placement groups at a node (PROTOCOLS section 4, epochs): from which epoch on it serves each group, remembered
 * before anything is said of it. The papers know no change of a group; decision 16 says why this one is safe.
 */
@NullMarked
package io.bulwark.protocol.epoch;

import org.jspecify.annotations.NullMarked;
