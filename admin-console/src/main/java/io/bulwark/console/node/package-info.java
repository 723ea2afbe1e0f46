/** Storage nodes and placement groups: their state, and the moves of slots that operators request. */
@NullMarked
package io.bulwark.console.node;

import org.jspecify.annotations.NullMarked;
