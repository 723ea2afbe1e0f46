/**
 * Canonical bytes: bounded readers and writers, frames, and slices. Nothing here knows a protocol; every length is
 * compared with a constant before anything is allocated.
 */
@NullMarked
package io.bulwark.protocol.wire;

import org.jspecify.annotations.NullMarked;
