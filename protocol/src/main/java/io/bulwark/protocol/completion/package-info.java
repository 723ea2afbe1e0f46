/**
 * Background work of a storage node on its extents (docs/protocols/extents.md, completion and repair, freeing). From the
 * metadata the node learns which extents its groups reference and which were freed, and tells its own server. It has
 * the server rebuild missing or bad fragments, and scrubs the others, round after round. A state machine without I/O;
 * production and the simulator drive it.
 */
@NullMarked
package io.bulwark.protocol.completion;

import org.jspecify.annotations.NullMarked;
