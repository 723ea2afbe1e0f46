/** Volumes and their protection policies. */
@NullMarked
package io.bulwark.console.volume;

import org.jspecify.annotations.NullMarked;
