/**
 * What operators ask of a storage node, as far as it travels: its state, the work it has left, and what it has seen of its
 * peers (PROTOCOLS section 4, completion and verdicts).
 */
@NullMarked
package io.bulwark.protocol.control;

import org.jspecify.annotations.NullMarked;
