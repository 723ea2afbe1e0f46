package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import java.util.List;

/** Actions that {@link ViewChanges} requests from its replica. */
public sealed interface ViewStep {
    /** Send this to one replica. */
    record Send(int to, ReplicaMessage message) implements ViewStep {}

    /**
     * From now on take part in no earlier view: neither PREPARE nor COMMIT. Make the VIEW-CHANGE for this view durable,
     * then call {@link ViewChanges#onEntered}.
     */
    record Leave(long view) implements ViewStep {}

    /**
     * Step: the view is decided, and at a backup checked. Make it durable, and call {@link ViewChanges#installed}. Then
     * treat its choices between the own water marks as pre-prepared (those above once the marks have moved), and as a
     * backup answer them with PREPARE. Numbers up to its checkpoint get nothing in this view: fetch that state if it is
     * ahead.
     *
     * <p>The low water mark moves by a certificate of 2f+1 CHECKPOINTs only, never by a NEW-VIEW. The f+1 that named
     * its checkpoint may be one correct replica and f liars. If others then report it as their low mark, liars that
     * fall silent leave no checkpoint for any further view to begin with.
     */
    record Install(NewView newView) implements ViewStep {}

    /**
     * As the primary, only these batches are missing for a decision: fetch them, then call {@link
     * ViewChanges#onBodies}.
     */
    record Missing(List<Numbered> choices) implements ViewStep {
        public Missing {
            choices = List.copyOf(choices);
        }
    }

    /** This replica sent what no correct one sends. */
    record Misbehaved(int replica, String what) implements ViewStep {}
}
