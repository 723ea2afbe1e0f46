package io.bulwark.appliance.cli;

import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.Retention;
import java.time.Instant;
import java.util.Locale;

/** A lock of a version in words, such as {@code compliance until 2027-01-01T00:00:00Z, legal hold}. */
final class LockText {
    private LockText() {}

    static String of(ObjectLock lock) {
        Retention retention = lock.retention();
        if (retention.mode() == Retention.Mode.NONE) {
            return lock.legalHold() ? "legal hold" : "none";
        }
        return retention.mode().name().toLowerCase(Locale.ROOT) + " until "
                + Instant.ofEpochMilli(retention.untilMillis()) + (lock.legalHold() ? ", legal hold" : "");
    }
}
