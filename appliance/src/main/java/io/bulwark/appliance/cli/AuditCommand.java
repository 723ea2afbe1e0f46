package io.bulwark.appliance.cli;

import io.bulwark.client.AuditLog;
import io.bulwark.client.Bulwark;
import io.bulwark.client.text.AuditText;
import io.bulwark.protocol.metadata.AuditEntry;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.wire.Bytes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code bulwark audit}: what operators did. */
@Command(
        name = "audit",
        description = {
            "List and verify the log of administrative commands.",
            "The log keeps each executed administrative command permanently, with the signature of its issuer."
        })
final class AuditCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "audit needs list or verify");
    }

    @Command(name = "list", description = "List the administrative commands, oldest first.")
    int list(
            @Mixin ClusterAccess access,
            @Option(names = "--after", paramLabel = "N", description = "Begin after this entry.") long after) {
        List<Map<String, Object>> json = new ArrayList<>();
        try (Bulwark client = access.connect()) {
            long last = requireNumber(after);
            AuditLog.Page page = client.audit().list(last, Query.PAGE_MAX);
            while (!page.entries().isEmpty()) {
                for (AuditEntry entry : page.entries()) {
                    if (access.global().json()) {
                        json.add(AuditText.fields(entry));
                    } else {
                        System.out.println(text(entry));
                    }
                }
                last = page.entries().getLast().number();
                page = last < page.count()
                        ? client.audit().list(last, Query.PAGE_MAX)
                        : new AuditLog.Page(List.of(), last);
            }
        }
        if (access.global().json()) {
            GlobalOptions.printJson(json);
        }
        return 0;
    }

    @Command(
            name = "verify",
            description = {
                "Check the hash chain of the log and every signature, from the first entry.",
                "Trust only keys from the genesis file and from the log itself. Exit code 1 at the first wrong entry."
            })
    int verify(
            @Mixin ClusterAccess access,
            @Option(
                            names = "--head",
                            paramLabel = "DIGEST",
                            description = "Head digest of an earlier verification: the log must still contain it.")
                    @Nullable
                    String head) {
        Optional<Bytes> known = Optional.ofNullable(head).map(AuditCommand::digest);
        AuditLog.Verification found;
        try (Bulwark client = access.connect()) {
            found = client.audit().verify(known, _ -> {});
        }
        VerificationView json = new VerificationView(
                found.entries(),
                found.head().toHex(),
                found.unsigned(),
                found.own(),
                found.problem().orElse(""));
        access.global().print(json, String.join(System.lineSeparator(), AuditText.of(found)));
        return found.problem().isEmpty() ? 0 : CommandFailure.FAILED;
    }

    private static String text(AuditEntry entry) {
        return entry.number() + "  " + Instant.ofEpochMilli(entry.agreedMillis()) + "  " + AuditText.giver(entry)
                + entry.onBehalfOf().map(person -> " for " + person).orElse("")
                + (entry.approval().isPresent() || entry.isOwn() ? "  " : " (unsigned)  ")
                + Text.printable(AuditText.of(entry.command()));
    }

    private static long requireNumber(long after) {
        if (after < 0) {
            throw new CommandFailure(CommandFailure.USAGE, "--after is the number of an entry, or 0");
        }
        return after;
    }

    private static Bytes digest(String text) {
        try {
            return AuditText.digest(text);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, "--head: " + e.getMessage());
        }
    }

    private record VerificationView(long entries, String head, long unsigned, long own, String problem) {}
}
