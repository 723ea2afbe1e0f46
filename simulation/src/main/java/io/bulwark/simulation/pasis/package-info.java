/**
 * The PASIS register in the simulator (lazy verification paper, sections 2 to 4): correct clients, faulty clients that write
 * poisonous and too few fragments, faulty nodes that lie about versions, flags and notices, and a background that verifies
 * and collects while all of them read and write.
 */
@NullMarked
package io.bulwark.simulation.pasis;

import org.jspecify.annotations.NullMarked;
