/**
 * The state of a replicated state machine as replicas keep, compare and transfer it (proactive recovery paper, sections
 * 4.3 and 4.6.2): ordered keys and values, in pages of key ranges that form a copy-on-write tree of digests.
 */
@NullMarked
package io.bulwark.protocol.state;

import org.jspecify.annotations.NullMarked;
