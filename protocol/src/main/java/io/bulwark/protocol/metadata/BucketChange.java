package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;
import java.util.function.Function;

/**
 * Change of a bucket's settings; what is empty stays. Immutable; begin with {@link #NONE}.
 *
 * @param quotaBytes limit of the bytes of all versions; 0 for none
 * @param objectLock true switches object lock on, for good
 * @param retention default of new versions; needs object lock
 */
public record BucketChange(
        Optional<Versioning> versioning,
        Optional<Long> quotaBytes,
        boolean objectLock,
        Optional<DefaultRetention> retention) {
    public static final BucketChange NONE =
            new BucketChange(Optional.empty(), Optional.empty(), false, Optional.empty());

    public BucketChange {
        if (quotaBytes.filter(bytes -> bytes < 0).isPresent()) {
            throw new IllegalArgumentException("quota of " + quotaBytes + " bytes");
        }
    }

    public BucketChange withVersioning(Versioning next) {
        return new BucketChange(Optional.of(next), quotaBytes, objectLock, retention);
    }

    public BucketChange withQuota(long bytes) {
        return new BucketChange(versioning, Optional.of(bytes), objectLock, retention);
    }

    public BucketChange withObjectLock() {
        return new BucketChange(versioning, quotaBytes, true, retention);
    }

    public BucketChange withRetention(DefaultRetention next) {
        return new BucketChange(versioning, quotaBytes, objectLock, Optional.of(next));
    }

    void write(WireWriter out) {
        out.bool(versioning.isPresent());
        versioning.ifPresent(next -> out.u8(next.ordinal()));
        out.bool(quotaBytes.isPresent());
        quotaBytes.ifPresent(out::i64);
        out.bool(objectLock).bool(retention.isPresent());
        retention.ifPresent(next -> next.write(out));
    }

    static BucketChange read(WireReader in) {
        try {
            return new BucketChange(
                    optional(in, Versioning::read),
                    optional(in, WireReader::nonNegative64),
                    in.bool(),
                    optional(in, DefaultRetention::read));
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    private static <T> Optional<T> optional(WireReader in, Function<WireReader, T> reader) {
        return in.bool() ? Optional.of(reader.apply(in)) : Optional.empty();
    }
}
