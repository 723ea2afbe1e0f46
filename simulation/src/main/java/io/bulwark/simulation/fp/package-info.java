/** The FP register (thesis chapter 4, docs/protocols/fp.md) in campaigns: its cluster, clients, attackers and invariants. */
@NullMarked
package io.bulwark.simulation.fp;

import org.jspecify.annotations.NullMarked;
