/** What a node learns from the metadata replicas when it must decide: sessions, grants, volumes. */
@NullMarked
package io.bulwark.storage.facts;

import org.jspecify.annotations.NullMarked;
