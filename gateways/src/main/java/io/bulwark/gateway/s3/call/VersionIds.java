package io.bulwark.gateway.s3.call;

import io.bulwark.client.Bucket;
import io.bulwark.client.VersionInfo;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.gateway.s3.request.S3Exception;
import io.bulwark.protocol.metadata.Versioning;
import java.util.Iterator;
import java.util.Optional;
import java.util.stream.Stream;

/** Version IDs as S3 has them: the number of a version, or {@code null} for the null version. */
public final class VersionIds {
    public static final String NULL = "null";

    private VersionIds() {}

    /** Returns the ID of a version. */
    public static String of(long version, boolean isNull) {
        return isNull ? NULL : Long.toString(version);
    }

    /**
     * Returns the number of the version that a request names.
     *
     * @return 0 for the latest, if the request names none
     * @throws S3Exception if the ID cannot be one
     */
    public static long parse(Optional<String> id) {
        if (id.isEmpty()) {
            return 0;
        }
        if (id.get().equals(NULL)) {
            return Versioning.NULL_VERSION;
        }
        if (!id.get().matches("[1-9][0-9]{0,17}")) {
            throw ErrorCode.INVALID_ARGUMENT.because("Invalid version id specified");
        }
        return Long.parseLong(id.get());
    }

    /** Returns one version, or delete marker, of a name. */
    public static Optional<VersionInfo> find(Bucket bucket, String key, long version) {
        boolean numbered = version != 0 && version != Versioning.NULL_VERSION;
        // Who asks for numbers that are not there must not have all versions of the key read.
        try (Stream<VersionInfo> versions = numbered ? bucket.versions(key, key, version + 1) : bucket.versions(key)) {
            // The first key with this prefix is the key itself.
            Iterator<VersionInfo> all = versions.iterator();
            while (all.hasNext()) {
                VersionInfo one = all.next();
                if (!one.key().equals(key)) {
                    return Optional.empty();
                }
                boolean wanted = version == Versioning.NULL_VERSION ? one.isNull() : one.version() == version;
                if (wanted || (version == 0 && one.latest())) {
                    return Optional.of(one);
                }
                if (numbered) {
                    return Optional.empty();
                }
            }
            return Optional.empty();
        }
    }
}
