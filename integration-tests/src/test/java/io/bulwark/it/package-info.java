/**
 * Whole clusters over real TCP on loopback: the main job, lies on disk, kills of processes, nodes that speak nonsense, and
 * containers (PROTOCOLS sections 1, 2 and 4).
 */
@NullMarked
package io.bulwark.it;

import org.jspecify.annotations.NullMarked;
