/**
 * Campaigns: from each seed a cluster, a workload, attackers and a nemesis, run until the first violation of a named
 * invariant. {@link io.bulwark.simulation.campaign.SimulatedProtocol} is the port behind which every protocol stands
 * (thesis 4.2.7 and 4.2.8 name what must hold of the FP register).
 */
@NullMarked
package io.bulwark.simulation.campaign;

import org.jspecify.annotations.NullMarked;
