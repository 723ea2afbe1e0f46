/** Recorded faults of nodes and clients, and the evidence for them. */
@NullMarked
package io.bulwark.console.fault;

import org.jspecify.annotations.NullMarked;
