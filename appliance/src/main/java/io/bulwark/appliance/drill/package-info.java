/**
 * Fault drills: what an intruder could do to a stopped node's disk. Nothing here is reached from the path of a read or a
 * write; the node is stopped, its files are edited, and it is started again as it is.
 */
@NullMarked
package io.bulwark.appliance.drill;

import org.jspecify.annotations.NullMarked;
