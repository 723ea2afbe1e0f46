/** Extents (docs/protocols/extents.md) in campaigns: their cluster, clients, attackers and invariants. */
@NullMarked
package io.bulwark.simulation.extent;

import org.jspecify.annotations.NullMarked;
