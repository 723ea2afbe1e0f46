/**
 * Follows the registry of principals in the replicated metadata (PROTOCOLS section 6): which keys a process believes, and which
 * identity it shows, change without a restart.
 */
@NullMarked
package io.bulwark.client.registry;

import org.jspecify.annotations.NullMarked;
