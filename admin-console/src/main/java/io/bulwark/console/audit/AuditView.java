package io.bulwark.console.audit;

import io.bulwark.client.text.AuditText;
import io.bulwark.protocol.metadata.AuditEntry;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * An executed administrative command.
 *
 * @param by the principal that gave it
 * @param onBehalfOf the person for whom it gave it; null if for itself
 * @param command in the words of the command line
 * @param key in Base64, with which {@code signature} was made; both null where nobody has keys
 */
record AuditView(
        long number,
        Instant time,
        String by,
        @Nullable String onBehalfOf,
        String command,
        @Nullable String key,
        @Nullable String signature) {
    static AuditView of(AuditEntry entry) {
        return new AuditView(
                entry.number(),
                Instant.ofEpochMilli(entry.agreedMillis()),
                AuditText.giver(entry),
                entry.onBehalfOf().map(Object::toString).orElse(null),
                AuditText.of(entry.command()),
                entry.approval().map(approval -> approval.key().text()).orElse(null),
                entry.approval().map(approval -> approval.signature().toHex()).orElse(null));
    }
}
