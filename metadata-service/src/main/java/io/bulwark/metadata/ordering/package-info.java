/**
 * The ordering port (docs/ordering): engines decide one order of commands for all replicas and hand each replica
 * batches with an agreed time. Clients never see which engine it is, they speak {@code protocol.ordering} to all
 * replicas.
 */
@NullMarked
package io.bulwark.metadata.ordering;

import org.jspecify.annotations.NullMarked;
