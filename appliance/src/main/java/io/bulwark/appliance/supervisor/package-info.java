/**
 * What stands beside a replica and outlives it: it starts the replica's process again when that dies, and plays the watchdog and the
 * recovery monitor of the proactive recovery paper (sections 4.4 and 4.7), by restarting each replica in turn from a release
 * that operators have allowed.
 */
@NullMarked
package io.bulwark.appliance.supervisor;

import org.jspecify.annotations.NullMarked;
