/**
 * State that all parts of a replica share (proactive recovery paper, sections 4.2 and 4.3): the view, the log between
 * the water marks, and the outbox, which holds each message until the disk has what it promises.
 */
@NullMarked
package io.bulwark.protocol.ordering.log;

import org.jspecify.annotations.NullMarked;
