package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Receiver of the events of buckets, which an operator names and owners of buckets choose by its name. Gateways connect
 * to no other address for them.
 *
 * @param name as buckets have it
 * @param url begins with {@code https://} or {@code http://}
 * @param accessKey id of the access key whose secret signs the notifications
 */
public record Webhook(String name, String url, String accessKey) {
    /** Begins a webhook's queue in notification configurations of S3; its name follows. */
    public static final String QUEUE_PREFIX = "arn:bulwark:sqs:::";

    public static final int URL_BYTES_MAX = 1024;

    /** Maximum number of webhooks. */
    public static final int COUNT_MAX = 64;

    private static final int PORT_MAX = 65_535;

    /** Scheme, host or IPv6 address in brackets, port, and a path or query; no user and no fragment. */
    private static final Pattern URL = Pattern.compile(
            "https?://([A-Za-z0-9.-]+|\\[[0-9A-Fa-f:.]+])(?::([0-9]{1,5}))?([/?][!-~&&[^#\"<>\\\\^`{|}]]*)?");

    /** Returns the error in it. */
    Optional<String> problem() {
        return Names.problemOfName(name)
                .map(problem -> "webhook " + name + ": " + problem)
                .or(() -> problemOfUrl(url));
    }

    /** Returns the error in a URL that gateways are to post to. */
    public static Optional<String> problemOfUrl(String url) {
        if (url.length() > URL_BYTES_MAX || !url.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
            return Optional.of(
                    "the URL of a webhook has at most " + URL_BYTES_MAX + " characters of ASCII, and no spaces");
        }
        Matcher parts = URL.matcher(url);
        if (parts.matches() && (parts.group(2) == null || Integer.parseInt(parts.group(2)) <= PORT_MAX)) {
            return Optional.empty();
        }
        return Optional.of("the URL of a webhook is https://HOST... or http://HOST..., without user and fragment");
    }

    /** Returns the name of the queue that stands for it in notification configurations of S3. */
    public String queue() {
        return QUEUE_PREFIX + name;
    }

    void write(WireWriter out) {
        out.string(name).string(url).string(accessKey);
    }

    static Webhook read(WireReader in) {
        return new Webhook(
                in.string(Names.NAME_LENGTH_MAX), in.string(URL_BYTES_MAX), in.string(AccessKey.ID_LENGTH_MAX));
    }
}
