package io.bulwark.console.principal;

import io.bulwark.client.config.JoinToken;
import java.time.Instant;

/**
 * An invitation. The console does not keep it: its token is shown once.
 *
 * @param token secret; the first to use it becomes the principal
 * @param command to run on the principal's machine
 */
record Invitation(String principal, Instant expires, String token, String command) {
    static Invitation of(JoinToken token) {
        return new Invitation(
                token.principal().toString(),
                Instant.ofEpochMilli(token.expiresMillis()),
                token.text(),
                "bulwark join --out " + token.principal() + " " + token.text());
    }
}
