/**
 * Proactive recovery (paper, section 4.4; docs/ordering), as far as it is no part of the log: the estimate of the
 * high water mark, the recovery request and its record in the replicated state, the replies, and a replica's report of
 * its recovery. {@code protocol.ordering.replica} acts on it.
 */
@NullMarked
package io.bulwark.protocol.ordering.recovery;

import org.jspecify.annotations.NullMarked;
