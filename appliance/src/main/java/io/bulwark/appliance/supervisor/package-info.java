/**
 * Supervisor of a replica, which outlives it. It restarts the replica's process when that dies. It acts as the watchdog
 * and the recovery monitor of the proactive recovery paper (sections 4.4 and 4.7). It restarts each replica in turn
 * from a release that operators have allowed.
 */
@NullMarked
package io.bulwark.appliance.supervisor;

import org.jspecify.annotations.NullMarked;
