/**
 * Normal case (proactive recovery paper, section 4.2): assignment of numbers, PRE-PREPARE, PREPARE, COMMIT, and
 * execution.
 */
@NullMarked
package io.bulwark.protocol.ordering.normal;

import org.jspecify.annotations.NullMarked;
