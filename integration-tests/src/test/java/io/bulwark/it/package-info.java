/**
 * Whole clusters over real TCP on loopback: the main job, lies on disk, kills of processes, nodes that speak nonsense, and
 * containers (docs/protocols/coding.md, docs/protocols/fp.md, docs/protocols/extents.md).
 */
@NullMarked
package io.bulwark.it;

import org.jspecify.annotations.NullMarked;
