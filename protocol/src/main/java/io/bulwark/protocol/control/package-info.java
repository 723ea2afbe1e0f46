/**
 * Requests of operators to a storage node over the network: its state, its pending work, and its observations of its
 * peers (docs/protocols/extents.md, completion and verdicts).
 */
@NullMarked
package io.bulwark.protocol.control;

import org.jspecify.annotations.NullMarked;
