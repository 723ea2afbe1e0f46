package io.bulwark.client;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.metadata.AuditEntry;
import io.bulwark.protocol.metadata.AuditVerification;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.NativeP256;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The audit log in the replicated metadata. */
final class ReplicatedAudit implements AuditLog {
    /** Number of signatures that earn back the loading of the native provider. */
    private static final long NATIVE_ENTRIES_MIN = 2_000;

    private final BulwarkClient client;
    private final ChannelConfig channels;

    ReplicatedAudit(BulwarkClient client, ChannelConfig channels) {
        this.client = client;
        this.channels = channels;
    }

    @Override
    public Page list(long after, int limit) {
        Reply.AuditList page = ask(after, limit);
        return new Page(page.entries(), page.count());
    }

    @Override
    public Verification verify(Optional<Bytes> known, Consumer<AuditEntry> progress) {
        Reply.AuditList page = ask(0, Query.PAGE_MAX);
        if (page.count() > NATIVE_ENTRIES_MIN) {
            NativeP256.request();
        }
        AuditVerification log = new AuditVerification(channels.genesisKeys());
        boolean met = known.isEmpty() || known.get().equals(log.head());
        while (log.entries() < page.count()) {
            if (page.entries().isEmpty()) {
                return verification(log, "the replicas report " + page.count() + " entries and do not send them");
            }
            for (AuditEntry entry : page.entries()) {
                Optional<String> problem = log.add(entry);
                if (problem.isPresent()) {
                    return verification(log, "entry " + entry.number() + ": " + problem.get());
                }
                met |= known.filter(log.head()::equals).isPresent();
                progress.accept(entry);
            }
            if (log.entries() < page.count()) {
                page = ask(log.entries(), Query.PAGE_MAX);
            }
        }
        if (!log.head().equals(page.head())) {
            return verification(
                    log, "the log of the replicas has the head " + page.head().toHex());
        }
        return met
                ? verification(log, null)
                : verification(
                        log,
                        "the log never had the head " + known.map(Bytes::toHex).orElse(""));
    }

    private Reply.AuditList ask(long after, int limit) {
        return client.query(
                Reply.AuditList.class, new Query.ListAudit(after, limit), Subject.NONE, BulwarkClient.noDeadline());
    }

    private static Verification verification(AuditVerification log, @Nullable String problem) {
        return new Verification(log.entries(), log.head(), log.unsigned(), log.own(), Optional.ofNullable(problem));
    }
}
