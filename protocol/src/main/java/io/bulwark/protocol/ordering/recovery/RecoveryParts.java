package io.bulwark.protocol.ordering.recovery;

import io.bulwark.protocol.ordering.checkpoint.StateTransfer;
import io.bulwark.protocol.ordering.normal.NormalCase;
import io.bulwark.protocol.ordering.view.ViewChangeExecutor;

/** Parts of the replica on which a recovery acts. */
public record RecoveryParts(NormalCase normal, StateTransfer transfer, ViewChangeExecutor views) {}
