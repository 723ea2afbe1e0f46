/**
 * Client side of the objects of a bucket (docs/protocols/extents.md): putting an object, getting a range of one, block ids,
 * and numbered commands of sessions. These are state machines without I/O. A driver stores and fetches the extents,
 * submits the commands and hands back the results; the same classes run in production and in the simulator.
 */
@NullMarked
package io.bulwark.protocol.bucket;

import org.jspecify.annotations.NullMarked;
