/**
 * What a node does unasked for its extents (PROTOCOLS section 4, completion and repair, freeing, verdicts): it learns from
 * the metadata what its groups reference and what was freed, makes again what it lacks or finds bad, re-reads what it has,
 * and reports what it saw corrupt at its peers. How far it has come survives restarts. It also goes through its register
 * volumes (section 2, REPAIR found by scrubbing).
 */
@NullMarked
package io.bulwark.storage.completion;

import org.jspecify.annotations.NullMarked;
