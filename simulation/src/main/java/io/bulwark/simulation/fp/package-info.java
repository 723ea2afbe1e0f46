/** The FP register (thesis chapter 4, PROTOCOLS section 2) in campaigns: its cluster, clients, attackers and invariants. */
@NullMarked
package io.bulwark.simulation.fp;

import org.jspecify.annotations.NullMarked;
