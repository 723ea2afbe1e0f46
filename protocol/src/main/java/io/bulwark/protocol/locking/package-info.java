/**
 * Byzantine Locking (thesis, chapter 5 and appendices A and B; docs/protocols/locking.md): logs of clients that hold
 * locks on subtrees of the namespace, the servers that keep them, and the client that appends to them. The lock table
 * is part of the replicated state, in {@code protocol.metadata}.
 */
@NullMarked
package io.bulwark.protocol.locking;

import org.jspecify.annotations.NullMarked;
