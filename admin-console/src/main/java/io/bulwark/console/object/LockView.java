package io.bulwark.console.object;

import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.Retention;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Lock of a version against deletion, as the API shows it.
 *
 * @param mode of the retention: {@code none}, {@code governance} or {@code compliance}
 * @param until end of the retention in the time that the replicas agree on; null if there is none
 * @param legalHold forbids deletion until it is lifted
 */
public record LockView(String mode, @Nullable Instant until, boolean legalHold) {
    static @Nullable LockView of(ObjectLock lock) {
        if (lock.isNone()) {
            return null;
        }
        Retention retention = lock.retention();
        return new LockView(
                retention.mode().name().toLowerCase(Locale.ROOT),
                retention.mode() == Retention.Mode.NONE ? null : Instant.ofEpochMilli(retention.untilMillis()),
                lock.legalHold());
    }
}
