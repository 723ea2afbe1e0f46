package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import org.jspecify.annotations.Nullable;

/**
 * The messages of view changes that the disk had when this life began.
 *
 * @param viewChange the last VIEW-CHANGE of this replica; null in the first view
 * @param newView the last NEW-VIEW that this replica made or accepted, if any
 */
public record RecoveredView(
        @Nullable ViewChange viewChange, @Nullable NewView newView) {}
