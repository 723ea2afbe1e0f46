/**
 * What a node does unasked for its extents (PROTOCOLS section 4, completion and repair, freeing, verdicts): it drives
 * {@code protocol.completion} over the node's servers and the metadata, and
 * reports what it saw corrupt at its peers. It also goes through its register volumes (sections 2 and 3).
 */
@NullMarked
package io.bulwark.storage.completion;

import org.jspecify.annotations.NullMarked;
