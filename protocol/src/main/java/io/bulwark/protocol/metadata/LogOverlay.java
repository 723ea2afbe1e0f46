package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LockView;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.state.OverlayState;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;

/** Overlay of one log: a state machine of its own over the state of the replica. */
final class LogOverlay implements LockView.Overlay {
    private final OverlayState state;
    private final MetadataStateMachine machine;
    private final LogId log;

    /** @param machine over this state */
    LogOverlay(OverlayState state, MetadataStateMachine machine, LogId log) {
        this.state = state;
        this.machine = machine;
        this.log = log;
    }

    @Override
    public List<Bytes> execute(List<LogEntry> entries) {
        return machine.executeInLog(log, entries);
    }

    @Override
    public Bytes query(Optional<PrincipalId> onBehalfOf, Bytes query) {
        return machine.queryInLog(log, onBehalfOf, query);
    }

    @Override
    public long bytes() {
        return state.bytes();
    }
}
