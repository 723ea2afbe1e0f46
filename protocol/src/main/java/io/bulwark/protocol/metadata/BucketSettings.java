package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;

/**
 * Settings of a bucket that the state machine obeys.
 *
 * @param quotaBytes limit of the bytes of all versions; 0 for none
 * @param objectLock whether versions may have a lock; stays for good
 * @param retention default of new versions
 */
public record BucketSettings(Versioning versioning, long quotaBytes, boolean objectLock, DefaultRetention retention) {
    void write(WireWriter out) {
        out.u8(versioning.ordinal()).i64(quotaBytes).bool(objectLock);
        retention.write(out);
    }

    static BucketSettings read(WireReader in) {
        return new BucketSettings(Versioning.read(in), in.nonNegative64(), in.bool(), DefaultRetention.read(in));
    }
}
