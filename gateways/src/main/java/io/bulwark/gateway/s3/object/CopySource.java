package io.bulwark.gateway.s3.object;

import io.bulwark.client.ObjectInfo;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.request.ErrorCode;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * Source of a copy.
 *
 * @param call the same request about the source's bucket
 */
public record CopySource(Call call, String key, Optional<String> versionId) {
    private static final String VERSION = "?versionId=";

    /** Reads the header that names it. */
    public static CopySource of(Call call) {
        String header = call.header("x-amz-copy-source").orElse("");
        int version = header.lastIndexOf(VERSION);
        Optional<String> versionId =
                version < 0 ? Optional.empty() : Optional.of(header.substring(version + VERSION.length()));
        String path;
        try {
            // A plus sign stands for itself, as in paths.
            path = URLDecoder.decode(
                    (version < 0 ? header : header.substring(0, version)).replace("+", "%2B"), StandardCharsets.UTF_8);
        } catch (IllegalArgumentException _) {
            path = "";
        }
        String place = path.startsWith("/") ? path.substring(1) : path;
        int slash = place.indexOf('/');
        if (slash < 1 || slash == place.length() - 1) {
            throw ErrorCode.INVALID_ARGUMENT.because(
                    "Copy Source must mention the source bucket and key: sourcebucket/sourcekey");
        }
        return new CopySource(call.about(place.substring(0, slash)), place.substring(slash + 1), versionId);
    }

    /** Finds the version, which the sender must be allowed to read and the conditions must fit. */
    public ObjectInfo find() {
        call.requireOwner("x-amz-source-expected-bucket-owner");
        ObjectInfo source = ObjectReads.find(
                call, versionId.isPresent() ? Action.GET_OBJECT_VERSION : Action.GET_OBJECT, key, versionId);
        Conditions.requireSource(call, source);
        return source;
    }

    /** Refuses to copy the tags of a version if the sender may not read them. */
    void requireTags(ObjectInfo source) {
        call.authorization().ofVersion(versionId).require(Action.GET_OBJECT_TAGGING, key, call.accessTo(source));
    }
}
