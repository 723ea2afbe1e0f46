package io.bulwark.protocol.metadata;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/**
 * Log of all executed administrative commands, each with the signature of the principal that gave it. Where principals
 * have keys, an unsigned command is refused.
 */
final class AuditLog {
    private static final int HEAD = 0;

    private final Tables tables;
    private final GenesisKeys genesis;
    private final Registry registry;

    /**
     * Head of the log.
     *
     * @param digest of the last entry, or the root of the chain
     */
    record Head(long entries, Bytes digest) {
        void write(WireWriter out) {
            out.i64(entries).raw(digest);
        }

        static Head read(WireReader in) {
            return new Head(in.nonNegative64(), Bytes.of(in.raw(Hashes.LENGTH).toByteArray()));
        }
    }

    AuditLog(Tables tables, GenesisKeys genesis, Registry registry) {
        this.tables = tables;
        this.genesis = genesis;
        this.registry = registry;
    }

    /** Checks the signature of an administrative command that its giver may give; the entry that is to be kept once it was executed. */
    AuditEntry check(PrincipalId by, Submission.InSession submission, Command.Administrative command) {
        return new AuditEntry(
                head().entries + 1,
                tables.totals().agreedMillis,
                by,
                submission.onBehalfOf(),
                submission.session(),
                submission.number(),
                command,
                approval(by, submission, command));
    }

    /** Empty where nobody has keys. */
    private Optional<AuditEntry.Approval> approval(
            PrincipalId by, Submission.InSession submission, Command.Administrative command) {
        WireWriter encoded = new WireWriter();
        CommandCodec.write(command, encoded);
        CommandRefusal.refuseUnless(
                encoded.length() <= AuditEntry.COMMAND_BYTES_MAX,
                MetadataError.BAD_ARGUMENT,
                "an administrative command of " + encoded.length() + " bytes, at most " + AuditEntry.COMMAND_BYTES_MAX);
        Optional<AuditEntry.Approval> approval = registry.approval(by, submission, command);
        CommandRefusal.refuseUnless(
                approval.isPresent() || !genesis.mustSign(), MetadataError.BAD_SIGNATURE, by + " has not signed it");
        return approval;
    }

    /** Keeps a command that was executed. */
    void append(AuditEntry entry) {
        tables.audit.put(entry.number(), entry);
        tables.auditHead.put(HEAD, new Head(entry.number(), entry.digest(head().digest)));
        tables.weight.add(entry.by(), weightOf(entry));
    }

    /** Keeps a change that the replicas made by themselves, within an operator's policy. Nobody signs it. */
    void appendOwn(Command.Administrative command) {
        long number = head().entries + 1;
        append(new AuditEntry(
                number,
                tables.totals().agreedMillis,
                PrincipalId.NOBODY,
                AuditEntry.OWN_SESSION,
                number,
                command,
                Optional.empty()));
    }

    /** Returns whether the genesis names this client as operator, or an operator has made it one by his own hand. */
    boolean showsOperator(PrincipalId client) {
        OperatorAuthorization rules = new OperatorAuthorization(genesis);
        return client.equals(genesis.operator())
                || entries()
                        .anyMatch(entry ->
                                rules.shownBy(entry).contains(new OperatorAuthorization.Fact.Operator(client)));
    }

    /** Refuses to name replicas where the log, with this command, would not show that an operator has: nobody elsewhere would follow. */
    void requireMandate(AuditEntry command, Configuration now, Configuration next) {
        PrincipalId by = command.by();
        CommandRefusal.refuseUnless(
                search(() -> Stream.concat(entries(), Stream.of(command)))
                        .of(now, next)
                        .isPresent(),
                MetadataError.NOT_AUTHORISED,
                "no " + OperatorAuthorization.ENTRIES_MAX
                        + " entries of the audit log lead from the first operator to the key of "
                        + by
                        + " and to those of the replicas: ask an operator with such entries to grant " + by
                        + " all rights again, and to rotate these keys, even to the same keys");
    }

    /**
     * Returns the proof that an operator has replaced the first by the second; empty if the log has none that is short
     * enough.
     */
    Optional<Bytes> authorization(Configuration ended, Configuration next) {
        return search(this::entries).of(ended, next);
    }

    private AuthorizationSearch search(Supplier<Stream<AuditEntry>> log) {
        return new AuthorizationSearch(genesis, () -> log.get().iterator());
    }

    private Stream<AuditEntry> entries() {
        return StreamSupport.stream(tables.audit.from(1L).spliterator(), false).map(Table.Entry::value);
    }

    /** A page of the log. */
    Reply.AuditList list(long after, int limit) {
        List<AuditEntry> page = new ArrayList<>();
        int bytes = 0;
        for (Table.Entry<Long, AuditEntry> record : tables.audit.from(after + 1)) {
            if (page.size() == limit || bytes > Query.PAGE_BYTES_MAX) {
                break;
            }
            page.add(record.value());
            bytes += bytesOf(record.value());
        }
        Head head = head();
        return new Reply.AuditList(page, head.entries, head.digest);
    }

    static int weightOf(AuditEntry entry) {
        return Weight.AUDIT_BYTES + bytesOf(entry);
    }

    private static int bytesOf(AuditEntry entry) {
        WireWriter out = new WireWriter();
        entry.write(out);
        return out.length();
    }

    private Head head() {
        return tables.auditHead.get(HEAD).orElseGet(() -> new Head(0, AuditEntry.root(genesis.cluster())));
    }
}
