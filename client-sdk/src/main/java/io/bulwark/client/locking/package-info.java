/**
 * Locks of a client on parts of the namespace (docs/protocols/locking.md): a policy chooses subtrees that this client uses
 * alone, a session holds locks on them, and its operations there go to the log servers in one round trip. Applications
 * need not know of it.
 */
@NullMarked
package io.bulwark.client.locking;

import org.jspecify.annotations.NullMarked;
