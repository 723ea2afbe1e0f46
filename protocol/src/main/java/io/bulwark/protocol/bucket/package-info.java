/**
 * What a client does with the objects of a bucket (PROTOCOLS section 4): putting one, getting a range of one, the block ids
 * and the numbered commands of its sessions. State machines without I/O: a driver stores and fetches the extents, submits
 * the commands and hands back what came of it; the same classes run in production and in the simulator.
 */
@NullMarked
package io.bulwark.protocol.bucket;

import org.jspecify.annotations.NullMarked;
