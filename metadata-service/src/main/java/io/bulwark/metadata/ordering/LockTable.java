package io.bulwark.metadata.ordering;

import io.bulwark.protocol.locking.LockView;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogSubmissions;
import io.bulwark.protocol.metadata.RoundReason;
import io.bulwark.protocol.wire.Bytes;
import java.util.Optional;
import java.util.function.Function;

/**
 * The locks in a state machine, for the log server of its replica.
 *
 * @param cluster the cluster's id
 * @param view reads the state as it is, for as long as its state machine is used
 * @param submissions encodes what the log server has ordered
 * @param reasons tells why the round of a log is open, if it is
 */
public record LockTable(
        Bytes cluster, LockView view, LogSubmissions submissions, Function<LogId, Optional<RoundReason>> reasons) {}
