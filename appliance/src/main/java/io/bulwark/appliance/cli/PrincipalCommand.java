package io.bulwark.appliance.cli;

import io.bulwark.client.Bulwark;
import io.bulwark.client.Principals;
import io.bulwark.client.config.JoinToken;
import io.bulwark.client.text.RevocationLines;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.Reply;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bulwark principal}: who belongs. */
@Command(
        name = "principal",
        description = {
            "Manage the principals of the cluster: list, invite, add, rotate, revoke, suspended, lift.",
            "Create a key with `bulwark keygen` on the machine of its principal; these commands need only its "
                    + "public part."
        })
final class PrincipalCommand implements Runnable {
    private static final int KEY_SHOWN = 16;
    private static final Pattern PRINTED_KEY = Pattern.compile("key\\.([^=]+)=(.*)");
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,6})([mhd])");

    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                Objects.requireNonNull(spec).commandLine(),
                "principal needs one of list, invite, add, rotate, revoke, suspended, lift");
    }

    @Command(name = "list", description = "List all principals with the last characters of their keys, newest first.")
    int list(@Mixin ClusterAccess access) {
        List<EntryView> json = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("PRINCIPAL", "KEYS"));
        try (Bulwark client = access.connect()) {
            for (Principals.Entry entry : client.principals().list()) {
                json.add(EntryView.of(entry));
                rows.add(List.of(entry.principal().toString(), shown(entry)));
            }
        }
        if (access.global().json()) {
            GlobalOptions.printJson(json);
        } else {
            System.out.println(Text.table(rows));
        }
        return 0;
    }

    @Command(name = "add", description = "Register a client or node with this public key. A new client has no grants.")
    int add(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "PRINCIPAL", description = "For example client-20.") String principal,
            @Option(names = "--key", paramLabel = "KEY", required = true, description = "Its public key in Base64.")
                    String key) {
        PrincipalId named = named(principal);
        PrincipalKey parsed = key("--key", named, key);
        try (Bulwark client = access.connect()) {
            client.principals().add(named, parsed);
        }
        return done(access, named, "is registered");
    }

    @Command(
            name = "invite",
            description = {
                "Invite a client or node that creates its own key, and print its token for `bulwark join`.",
                "The token is secret and valid once: the first user becomes that principal. A new invitation "
                        + "invalidates the previous token."
            })
    int invite(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "PRINCIPAL", description = "For example client-20.") String principal,
            @Option(
                            names = "--expires",
                            paramLabel = "TIME",
                            defaultValue = "24h",
                            description = "Lifetime of the token, such as 30m, 24h or 7d (default: ${DEFAULT-VALUE}).")
                    String expires) {
        PrincipalId named = named(principal);
        Duration validity = duration(expires);
        JoinToken token;
        try (Bulwark client = access.connect()) {
            token = client.principals().invite(named, validity);
        }
        access.global()
                .print(
                        new InvitationView(
                                named.toString(),
                                Instant.ofEpochMilli(token.expiresMillis()).toString(),
                                token.text()),
                        token.text());
        return 0;
    }

    /** Returns the time that an option names. */
    static Duration time(String option, String text) {
        Matcher matcher = DURATION.matcher(text);
        if (!matcher.matches()) {
            throw new CommandFailure(CommandFailure.USAGE, option + " is a time such as 30m, 24h or 7d, not " + text);
        }
        return length(matcher);
    }

    private static Duration duration(String text) {
        Duration duration = time("--expires", text);
        if (duration.isZero() || duration.toMillis() > io.bulwark.protocol.metadata.Command.INVITATION_MILLIS_MAX) {
            throw new CommandFailure(CommandFailure.USAGE, "an invitation is valid for 1m to 30d, not " + text);
        }
        return duration;
    }

    @Command(
            name = "rotate",
            description = {
                "Register a new key of a principal. The previous key stays valid until a repeat with --final.",
                "Replace the identity file between the two commands; no restart is needed."
            })
    int rotate(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "PRINCIPAL", description = "For example node-3.") String principal,
            @Option(names = "--key", paramLabel = "KEY", required = true, description = "Its new public key in Base64.")
                    String key,
            @Option(names = "--final", description = "Invalidate the previous key.") boolean last) {
        PrincipalId named = named(principal);
        PrincipalKey parsed = key("--key", named, key);
        try (Bulwark client = access.connect()) {
            client.principals().rotate(named, parsed, !last);
        }
        return done(access, named, last ? "has only this key" : "has this key and the previous one");
    }

    @Command(
            name = "revoke",
            description = {
                "Revoke a client or node permanently.",
                "For a client, wait until all nodes with register volumes have completed the revocation. A repeated "
                        + "command resumes the wait.",
                "Exit code 69 if nodes are missing: the principal is revoked, and these nodes follow later."
            })
    int revoke(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "PRINCIPAL", description = "For example client-7.") String principal,
            @Option(
                            names = "--wait",
                            paramLabel = "TIME",
                            defaultValue = "1m",
                            description = "Time to wait for the nodes, such as 30m or 2h (default: ${DEFAULT-VALUE}).")
                    String wait) {
        PrincipalId named = named(principal);
        Duration retryTimer = time("--wait", wait);
        RevocationLines lines = new RevocationLines(named);
        try (Bulwark client = access.connect()) {
            client.principals().revoke(named, retryTimer, progress -> {
                Optional<String> line = lines.next(progress);
                if (!access.global().json()) {
                    line.ifPresent(System.err::println);
                }
            });
        }
        return done(access, named, lines.outcome());
    }

    @Command(
            name = "suspended",
            description = {
                "List the suspended clients: b + 1 nodes found poisonous versions of theirs; they may not write.",
                "Administrators of the volume are listed too, but not suspended.",
                "`bulwark evidence show FAULT` explains the proof."
            })
    int suspended(@Mixin ClusterAccess access) {
        List<SuspensionView> json = new ArrayList<>();
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("CLIENT", "SINCE", "MAY WRITE", "FAULT", "NODE", "BLOCK", "FOUND"));
        try (Bulwark client = access.connect()) {
            for (Principals.Suspension each : client.principals().suspended()) {
                json.add(SuspensionView.of(each));
                for (Reply.PoisonReport report : each.reports()) {
                    rows.add(List.of(
                            each.client().toString(),
                            each.since().toString(),
                            each.enforced() ? "no" : "yes, administers",
                            Long.toString(each.fault()),
                            report.reporter().toString(),
                            report.block().toString(),
                            report.detail()));
                }
            }
        }
        if (access.global().json()) {
            GlobalOptions.printJson(json);
        } else {
            System.out.println(Text.table(rows));
        }
        return 0;
    }

    @Command(
            name = "lift",
            description = {
                "Lift the suspension of a client.",
                "Earlier poisonous versions no longer count; later ones do."
            })
    int lift(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "CLIENT", description = "For example client-7.") String principal) {
        PrincipalId named = named(principal);
        try (Bulwark client = access.connect()) {
            client.principals().lift(named);
        }
        return done(access, named, "may write again");
    }

    private static Duration length(Matcher matcher) {
        long count = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "m" -> Duration.ofMinutes(count);
            case "h" -> Duration.ofHours(count);
            default -> Duration.ofDays(count);
        };
    }

    static PrincipalId named(String text) {
        try {
            return PrincipalId.parse(text);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
    }

    /**
     * Parses a key as `bulwark keygen` prints it: {@code key.client-20=MFkw...}, or the part after the equals sign
     * alone.
     *
     * @param what name of the key for the error message
     * @param whose the principal for which the key is given
     */
    static PrincipalKey key(String what, PrincipalId whose, String text) {
        Matcher printed = PRINTED_KEY.matcher(text);
        boolean says = printed.matches();
        if (says && !printed.group(1).equals(whose.toString())) {
            throw new CommandFailure(
                    CommandFailure.USAGE,
                    what + " belongs to " + printed.group(1) + ", but this command is about " + whose);
        }
        try {
            return PrincipalKey.parse(says ? printed.group(2) : text);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(
                    CommandFailure.USAGE,
                    what + " is not a public key, or not the whole of one, as `bulwark keygen` prints it");
        }
    }

    private static int done(ClusterAccess access, PrincipalId principal, String what) {
        access.global().print(new DoneView(principal.toString(), true), principal + " " + what + ".");
        return 0;
    }

    private static String shown(Principals.Entry entry) {
        return entry.revoked()
                ? "revoked"
                : entry.invitedUntil()
                        .map(until -> "invited until " + until)
                        .orElseGet(() -> String.join(
                                ", ",
                                entry.keys().stream()
                                        .map(PrincipalKey::text)
                                        .map(key -> "..." + key.substring(key.length() - KEY_SHOWN))
                                        .toList()));
    }

    private record DoneView(String principal, boolean done) {}

    private record InvitationView(String principal, String expires, String token) {}

    private record EntryView(String principal, boolean revoked, String invitedUntil, List<String> keys) {
        static EntryView of(Principals.Entry entry) {
            return new EntryView(
                    entry.principal().toString(),
                    entry.revoked(),
                    entry.invitedUntil().map(Instant::toString).orElse(""),
                    entry.keys().stream().map(PrincipalKey::text).toList());
        }
    }

    private record SuspensionView(
            String client, String since, boolean suspended, long fault, List<PoisonView> reports) {
        static SuspensionView of(Principals.Suspension each) {
            return new SuspensionView(
                    each.client().toString(),
                    each.since().toString(),
                    each.enforced(),
                    each.fault(),
                    each.reports().stream().map(PoisonView::of).toList());
        }
    }

    private record PoisonView(String node, String block, long session, String found) {
        static PoisonView of(Reply.PoisonReport report) {
            return new PoisonView(
                    report.reporter().toString(), report.block().toString(), report.session(), report.detail());
        }
    }
}
