/**
 * Histories of registers and objects, and a check of their linearizability with some faulty clients (thesis definition
 * 3.2.3, invocation criteria of section 3.3.1). Histories have a plain file format, so that other tools can check them
 * too. The zones of Gibbons and Korach decide registers whose values differ. The search of Wing and Gong with the
 * memory of Lowe decides everything else, one key at a time (linearizability is local).
 */
@NullMarked
package io.bulwark.simulation.history;

import org.jspecify.annotations.NullMarked;
