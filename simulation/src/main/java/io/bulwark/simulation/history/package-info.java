/**
 * What clients did to registers and objects, and whether it is linearizable although some of the clients are faulty (thesis
 * definition 3.2.3 with the invocation criteria of section 3.3.1). Histories have a plain format on file, so that other tools can
 * check them too. Registers whose values differ are decided by the zones of Gibbons and Korach, everything else by the search of
 * Wing and Gong with the memory of Lowe, one key at a time (linearizability is local).
 */
@NullMarked
package io.bulwark.simulation.history;

import org.jspecify.annotations.NullMarked;
