/**
 * View change without signatures (proactive recovery paper, section 4.5, figures 2 and 3;
 * docs/ordering/view-change.md).
 *
 * <p>In reading order: {@link io.bulwark.protocol.ordering.view.PrimarySuspicion} (why a replica asks for a view),
 * {@link io.bulwark.protocol.ordering.view.ViewHistory} (P and Q), {@link
 * io.bulwark.protocol.ordering.view.ViewChanges} (the protocol, with its transition table), {@link
 * io.bulwark.protocol.ordering.view.ViewChangeSet}, {@link io.bulwark.protocol.ordering.view.ViewAnswers} and {@link
 * io.bulwark.protocol.ordering.view.ViewChecks} (its messages), {@link io.bulwark.protocol.ordering.view.Decision}
 * (figure 3), {@link io.bulwark.protocol.ordering.view.ViewChangeExecutor} (carries out its steps in the replica, and
 * wires this package), {@link io.bulwark.protocol.ordering.view.NextViewMessages}, {@link
 * io.bulwark.protocol.ordering.view.StartedViewCheck} (after a recovery).
 */
@NullMarked
package io.bulwark.protocol.ordering.view;

import org.jspecify.annotations.NullMarked;
