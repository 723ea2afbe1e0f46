/**
 * Objects on extents (docs/protocols/extents.md): how an inode lays a byte stream out in the write-once extents of a volume,
 * and pins each of them. Small objects carry their pins; the pins of large ones stand in pin lists, which are extents
 * themselves, as many levels as needed.
 */
@NullMarked
package io.bulwark.protocol.object;

import org.jspecify.annotations.NullMarked;
