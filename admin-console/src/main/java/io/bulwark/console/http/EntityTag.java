package io.bulwark.console.http;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * Entity tag of a resource (RFC 9110, section 8.8.3): a digest of the record that shows it. Records are equal if and only if
 * their text is, so that tags outlive a restart of the console.
 *
 * @param text as in the header, with its quotes
 */
public record EntityTag(String text) {
    private static final int BYTES = 12;

    /** Returns the tag of a resource as this record shows it. */
    public static EntityTag of(Record shown) {
        try {
            byte[] digest =
                    MessageDigest.getInstance("SHA-256").digest(shown.toString().getBytes(StandardCharsets.UTF_8));
            return new EntityTag('"' + HexFormat.of().formatHex(digest, 0, BYTES) + '"');
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /**
     * Refuses a change of something that is no longer as the client saw it.
     *
     * @param ifMatch the header {@code If-Match}; null if the client does not care
     * @throws ApiException with the status 412
     */
    public void require(@Nullable String ifMatch, String name) {
        if (ifMatch != null && !ifMatch.isEmpty() && !ifMatch.equals("*") && !ifMatch.equals(text)) {
            throw ApiException.changedMeanwhile(
                    name + " has changed since you looked at it: look again, then repeat what still applies");
        }
    }
}
