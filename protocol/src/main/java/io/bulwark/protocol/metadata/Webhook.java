package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;

/**
 * Receiver of the events of buckets, which an operator names and owners of buckets choose by its name. Gateways connect
 * to no other address for them.
 *
 * @param name as buckets have it
 * @param url begins with {@code https://} or {@code http://}
 * @param accessKey id of the access key whose secret signs the notifications
 */
public record Webhook(String name, String url, String accessKey) {
    public static final int URL_BYTES_MAX = 1024;

    /** Maximum number of webhooks. */
    public static final int COUNT_MAX = 64;

    /** Returns the error in it. */
    Optional<String> problem() {
        return Names.problemOfName(name)
                .map(problem -> "webhook " + name + ": " + problem)
                .or(() -> url.startsWith("https://") || url.startsWith("http://")
                        ? Optional.empty()
                        : Optional.of("the URL of a webhook begins with https:// or http://"))
                .or(() -> url.chars().allMatch(c -> c > ' ' && c < 0x7F)
                        ? Optional.empty()
                        : Optional.of("the URL of a webhook has ASCII characters, and no spaces"));
    }

    void write(WireWriter out) {
        out.string(name).string(url).string(accessKey);
    }

    static Webhook read(WireReader in) {
        return new Webhook(
                in.string(Names.NAME_LENGTH_MAX), in.string(URL_BYTES_MAX), in.string(AccessKey.ID_LENGTH_MAX));
    }
}
