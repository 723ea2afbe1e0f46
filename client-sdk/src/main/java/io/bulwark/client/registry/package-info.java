/**
 * Follows the registry of principals in the replicated metadata (docs/protocols/metadata.md): which keys a process believes, and which
 * identity it shows, change without a restart.
 */
@NullMarked
package io.bulwark.client.registry;

import org.jspecify.annotations.NullMarked;
