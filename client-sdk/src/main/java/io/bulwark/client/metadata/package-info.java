/**
 * The client of the replicated metadata service: sends opaque commands and queries to all replicas and returns what
 * enough of them agree on (docs/protocols/metadata.md, docs/ordering).
 */
@NullMarked
package io.bulwark.client.metadata;

import org.jspecify.annotations.NullMarked;
