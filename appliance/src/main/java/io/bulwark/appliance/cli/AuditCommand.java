package io.bulwark.appliance.cli;

import io.bulwark.client.AuditLog;
import io.bulwark.client.Bulwark;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.AuditEntry;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.wire.Bytes;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
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
                        json.add(json(entry));
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
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("entries", found.entries());
        json.put("head", found.head().toHex());
        json.put("unsigned", found.unsigned());
        json.put("registeredBefore", found.registeredBefore());
        json.put("problem", found.problem().orElse(""));
        StringBuilder text = new StringBuilder();
        found.problem()
                .ifPresent(problem -> text.append("WRONG: ").append(problem).append(System.lineSeparator()));
        text.append(found.entries() == 1 ? "1 entry" : found.entries() + " entries")
                .append(found.unsigned() == 0 ? " in order, all signed." : " in order, " + unsigned(found));
        if (found.registeredBefore() > 0) {
            text.append(System.lineSeparator())
                    .append(found.registeredBefore())
                    .append(" of them with keys that were registered before the log began.");
        }
        text.append(System.lineSeparator()).append("Head: ").append(found.head().toHex());
        access.global().print(json, text.toString());
        return found.problem().isEmpty() ? 0 : CommandFailure.FAILED;
    }

    private static String unsigned(AuditLog.Verification found) {
        return found.unsigned() + " of them UNSIGNED, since insecure-loopback has no keys.";
    }

    private static Map<String, Object> json(AuditEntry entry) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("number", entry.number());
        json.put("time", Instant.ofEpochMilli(entry.agreedMillis()).toString());
        json.put("by", entry.by().toString());
        json.put("onBehalfOf", entry.onBehalfOf().map(PrincipalId::toString).orElse(""));
        json.put("command", AuditText.of(entry.command()));
        json.put("key", entry.approval().map(approval -> approval.key().text()).orElse(""));
        json.put(
                "signature",
                entry.approval().map(approval -> approval.signature().toHex()).orElse(""));
        return json;
    }

    private static String text(AuditEntry entry) {
        return entry.number() + "  " + Instant.ofEpochMilli(entry.agreedMillis()) + "  " + entry.by()
                + entry.onBehalfOf().map(person -> " for " + person).orElse("")
                + (entry.approval().isPresent() ? "  " : " (unsigned)  ")
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
            Bytes digest = Bytes.of(HexFormat.of().parseHex(text));
            if (digest.length() == Hashes.LENGTH) {
                return digest;
            }
        } catch (IllegalArgumentException e) {
            // The same answer as for another length.
        }
        throw new CommandFailure(CommandFailure.USAGE, "--head is a digest of 64 hexadecimal digits");
    }
}
