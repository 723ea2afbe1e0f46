/**
 * Objects in the simulator (docs/protocols/extents.md). Clients put and get through the production state machines. Storage
 * nodes run the production extents and completion, and replicas the production metadata.
 */
@NullMarked
package io.bulwark.simulation.object;

import org.jspecify.annotations.NullMarked;
