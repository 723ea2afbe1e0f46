/**
 * Objects as streams of extents (docs/protocols/extents.md): cuts what is written into blocks that travel in parallel within
 * bounds, lays them out with their pin lists, and reads any range back. The protocols themselves are in
 * {@code protocol.extent} and {@code protocol.metadata}.
 */
@NullMarked
package io.bulwark.client.object;

import org.jspecify.annotations.NullMarked;
