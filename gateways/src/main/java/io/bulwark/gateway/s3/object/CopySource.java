package io.bulwark.gateway.s3.object;

import io.bulwark.client.ObjectInfo;
import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.permission.Action;
import io.bulwark.gateway.s3.request.CopySourceHeader;
import io.bulwark.gateway.s3.request.ErrorCode;
import java.util.Optional;

/**
 * Source of a copy.
 *
 * @param call the same request about the source's bucket
 */
public record CopySource(Call call, String key, Optional<String> versionId) {
    /** Reads the header that names it. */
    public static CopySource of(Call call) {
        CopySourceHeader header =
                CopySourceHeader.parse(call.header("x-amz-copy-source").orElse(""));
        String place = header.path();
        int slash = place.indexOf('/');
        if (slash < 1 || slash == place.length() - 1) {
            throw ErrorCode.INVALID_ARGUMENT.because(
                    "Copy Source must mention the source bucket and key: sourcebucket/sourcekey");
        }
        return new CopySource(call.about(place.substring(0, slash)), place.substring(slash + 1), header.versionId());
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
