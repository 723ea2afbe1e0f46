/** Releases from which supervisors may start replicas. */
@NullMarked
package io.bulwark.console.release;

import org.jspecify.annotations.NullMarked;
