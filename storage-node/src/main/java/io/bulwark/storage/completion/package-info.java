/**
 * Background work of a node on its extents (docs/protocols/extents.md, completion and repair, freeing, verdicts). It drives
 * {@code protocol.completion} over the node's servers and the metadata, and reports corruption at its peers. It also
 * goes through its register volumes (sections 2 and 3).
 */
@NullMarked
package io.bulwark.storage.completion;

import org.jspecify.annotations.NullMarked;
