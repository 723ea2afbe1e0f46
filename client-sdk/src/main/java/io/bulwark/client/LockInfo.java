package io.bulwark.client;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.RoundReason;
import java.time.Duration;
import java.util.Optional;

/**
 * A lock on all keys of a bucket with a prefix.
 *
 * @param prefix empty for the whole bucket
 * @param holder the client that holds it
 * @param session of the holder
 * @param age time since it was given
 * @param closing reason of the round that takes the lock away; empty while none is open
 */
public record LockInfo(
        String bucket, String prefix, PrincipalId holder, long session, Duration age, Optional<RoundReason> closing) {}
