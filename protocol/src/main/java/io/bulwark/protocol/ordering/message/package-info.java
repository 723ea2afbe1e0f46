/**
 * Messages between the replicas of the ordering engine (proactive recovery paper, sections 4.1 to 4.6; docs/ordering).
 * Authentication is not part of these messages. Each travels with a MAC under the session key of its sender and its
 * receiver, and the MAC determines the sender.
 */
@NullMarked
package io.bulwark.protocol.ordering.message;

import org.jspecify.annotations.NullMarked;
