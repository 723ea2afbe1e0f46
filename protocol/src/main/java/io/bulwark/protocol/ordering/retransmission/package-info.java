/**
 * Message retransmission (proactive recovery paper, section 4.6.1): STATUS and its answers, and the fetch of batches and
 * requests.
 */
@NullMarked
package io.bulwark.protocol.ordering.retransmission;

import org.jspecify.annotations.NullMarked;
