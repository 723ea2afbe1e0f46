/**
 * Byzantine Locking in campaigns (thesis ch. 5; docs/protocols/locking.md): replicas with log servers beside them, clients
 * that lock subtrees and append to logs, and others that use the same names. Log servers and holders lie.
 */
@NullMarked
package io.bulwark.simulation.locking;

import org.jspecify.annotations.NullMarked;
