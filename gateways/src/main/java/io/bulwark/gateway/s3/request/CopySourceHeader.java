package io.bulwark.gateway.s3.request;

import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * The header {@code x-amz-copy-source}.
 *
 * @param path bucket and key, decoded and without a slash before them; empty if it cannot be decoded
 * @param versionId the version that is named, as it stands there
 */
public record CopySourceHeader(String path, Optional<String> versionId) {
    private static final String VERSION = "?versionId=";

    public static CopySourceHeader parse(String header) {
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
        return new CopySourceHeader(path.startsWith("/") ? path.substring(1) : path, versionId);
    }
}
