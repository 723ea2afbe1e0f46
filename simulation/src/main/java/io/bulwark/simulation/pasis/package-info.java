/**
 * The PASIS register in the simulator (lazy verification paper, sections 2 to 4). Correct clients share it with faulty
 * clients that write poisonous versions and too few fragments, and with faulty nodes that lie about versions, flags and
 * notices. A background verifies and collects while all of them read and write.
 */
@NullMarked
package io.bulwark.simulation.pasis;

import org.jspecify.annotations.NullMarked;
