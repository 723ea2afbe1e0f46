/**
 * The client of the replicated metadata service: sends opaque commands and queries to all replicas and returns what
 * enough of them agree on (PROTOCOLS sections 6 and 7).
 */
@NullMarked
package io.bulwark.client.metadata;

import org.jspecify.annotations.NullMarked;
