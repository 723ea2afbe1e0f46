/**
 * What a storage node does unasked for its extents (PROTOCOLS section 4, completion and repair, freeing): it learns from the
 * metadata what its groups reference and what was freed, tells its own server, has it make again what it lacks or finds bad,
 * and re-reads what it has, round after round. A state machine without I/O; production and the simulator drive it.
 */
@NullMarked
package io.bulwark.protocol.completion;

import org.jspecify.annotations.NullMarked;
