/**
 * Request authentication (proactive recovery paper, section 4.2: a backup must be able "to verify the authenticity" of
 * a request; docs/ordering/normal-case.md): pending requests, the echoes of the replicas, and the quotas of clients.
 */
@NullMarked
package io.bulwark.protocol.ordering.request;

import org.jspecify.annotations.NullMarked;
