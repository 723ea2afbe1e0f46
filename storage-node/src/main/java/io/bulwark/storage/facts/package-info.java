/** Facts that a node learns from the metadata replicas for its decisions: sessions, grants, volumes. */
@NullMarked
package io.bulwark.storage.facts;

import org.jspecify.annotations.NullMarked;
