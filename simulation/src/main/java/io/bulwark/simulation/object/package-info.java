/**
 * Objects in the simulator (PROTOCOLS section 4): clients put and get through the production state machines over storage nodes
 * that run the production extents and completion, and replicas that run the production metadata.
 */
@NullMarked
package io.bulwark.simulation.object;

import org.jspecify.annotations.NullMarked;
