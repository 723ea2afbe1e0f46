/**
 * The log server in the process of a replica ({@code protocol.locking.LogServer}, docs/protocols/locking.md): its store,
 * its connections to holders, and its way into the order of commands.
 */
@NullMarked
package io.bulwark.metadata.locking;

import org.jspecify.annotations.NullMarked;
