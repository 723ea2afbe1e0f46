package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import java.util.List;

/** What {@link ViewChanges} asks of the replica that it is part of. */
public sealed interface ViewStep {
    /** Send this to one replica. */
    record Send(int to, ReplicaMessage message) implements ViewStep {}

    /**
     * From now on take part in no earlier view: neither PREPARE nor COMMIT. Make the VIEW-CHANGE for this view durable,
     * then call {@link ViewChanges#entered}.
     */
    record Leave(long view) implements ViewStep {}

    /**
     * The view is decided, and at a backup checked. Move the low water mark up to its checkpoint, make it durable, call {@link
     * ViewChanges#installed}, then take its choices for pre-prepared, and as a backup answer them with PREPARE.
     */
    record Install(NewView newView) implements ViewStep {}

    /** As the primary, only these batches are missing for a decision: fetch them, then call {@link ViewChanges#onBodies}. */
    record Missing(List<Numbered> choices) implements ViewStep {
        public Missing {
            choices = List.copyOf(choices);
        }
    }

    /** This replica sent what no correct one sends. */
    record Misbehaved(int replica, String what) implements ViewStep {}
}
