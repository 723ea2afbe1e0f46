package io.bulwark.appliance.cli;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import io.bulwark.appliance.cluster.ClusterPlan;
import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.client.AccessKeySpec;
import io.bulwark.client.AccessKeys;
import io.bulwark.client.Bulwark;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.AccessKey;
import io.bulwark.protocol.metadata.Rights;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bulwark access-key}. */
@Command(
        name = "access-key",
        description = {
            "Create, list, rotate, limit and revoke the access keys of the S3 gateways.",
            "A gateway acts for the person of a key; the person's rights count."
        })
final class AccessKeyCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "access-key needs one of create, list, show, rotate, limit, revoke");
    }

    /** Places that a key reaches. */
    static final class Limits {
        @Option(
                names = "--bucket",
                paramLabel = "NAME",
                description = "Limit the key to this bucket; may be repeated (default: no limit).")
        private List<String> buckets = new ArrayList<>();

        @Option(
                names = "--prefix",
                paramLabel = "PREFIX",
                description = "Limit it to keys with this prefix in the only bucket; may be repeated.")
        private List<String> prefixes = new ArrayList<>();

        List<AccessKey.Limit> limits() {
            if (prefixes.isEmpty()) {
                return buckets.stream()
                        .map(bucket -> new AccessKey.Limit(bucket, ""))
                        .toList();
            }
            if (buckets.size() != 1) {
                throw new CommandFailure(CommandFailure.USAGE, "--prefix goes with exactly one --bucket");
            }
            return prefixes.stream()
                    .map(prefix -> new AccessKey.Limit(buckets.getFirst(), prefix))
                    .toList();
        }
    }

    /** Profile of the aws command line that a new key is printed as. */
    static final class AwsProfile {
        @Option(
                names = "--endpoint",
                paramLabel = "URL",
                description = "Address of the gateways in the printed profile (default: that of the appliance here).")
        private @Nullable String endpoint;

        @Option(
                names = "--aws-profile",
                paramLabel = "NAME",
                defaultValue = "bulwark",
                description = "Name of the printed profile (default: ${DEFAULT-VALUE}).")
        private String name = "bulwark";

        String endpoint(GlobalOptions global) throws IOException {
            if (endpoint != null) {
                return endpoint;
            }
            DataDirectory data = DataDirectory.at(global.data());
            return data.shape()
                    .map(shape -> S3Command.urlOf(new ClusterPlan(data, shape)))
                    .orElse("https://ADDRESS-OF-THE-GATEWAY");
        }

        String text(AccessKeys.Issued issued, String url) {
            return """
                # ~/.aws/credentials
                [%1$s]
                aws_access_key_id = %2$s
                aws_secret_access_key = %3$s

                # ~/.aws/config
                [profile %1$s]
                region = us-east-1
                endpoint_url = %4$s
                s3 =
                  signature_version = s3v4
                """.formatted(name, issued.key().id(), issued.secret(), url);
        }
    }

    @Command(
            name = "create",
            description = {
                "Make an access key, and print its secret: it is shown once.",
                "Without --person it belongs to a new client without a key, which gets the rights on the buckets"
                        + " named, or on everything."
            })
    int create(
            @Mixin ClusterAccess access,
            @Mixin Limits limits,
            @Mixin AwsProfile profile,
            @Parameters(index = "0", arity = "0..1", paramLabel = "NAME", description = "Name for people.") @Nullable
                    String name,
            @Option(
                            names = "--rights",
                            paramLabel = "RIGHTS",
                            defaultValue = "write",
                            description = "read, write (which includes read) or admin (default: ${DEFAULT-VALUE}).")
                    String rights,
            @Option(
                            names = "--person",
                            paramLabel = "CLIENT",
                            description = "An existing client; the gateways act for it within --rights.")
                    @Nullable
                    String person,
            @Option(names = "--expires", paramLabel = "TIME", description = "Lifetime, such as 12h or 90d.") @Nullable
                    String expires)
            throws IOException {
        AccessKeySpec wanted = AccessKeySpec.of(name == null ? "" : name)
                .withRights(rights(rights))
                .withLimits(limits.limits());
        if (person != null) {
            wanted = wanted.withPerson(PrincipalCommand.named(person));
        }
        if (expires != null) {
            wanted = wanted.withExpiry(Instant.now().plus(PrincipalCommand.time("--expires", expires)));
        }
        try (Bulwark client = access.connect()) {
            AccessKeys.Issued issued = client.accessKeys().create(wanted);
            print(access, profile, issued, "Made access key " + describe(issued.key()) + ".");
        }
        return 0;
    }

    @Command(name = "list", description = "List the access keys, never their secrets.")
    int list(
            @Mixin ClusterAccess access,
            @Option(names = "--person", paramLabel = "CLIENT", description = "Only those of this client.") @Nullable
                    String person) {
        List<AccessKeys.Entry> entries;
        try (Bulwark client = access.connect()) {
            entries = person == null
                    ? client.accessKeys().list()
                    : client.accessKeys().list(PrincipalCommand.named(person));
        }
        if (access.global().json()) {
            GlobalOptions.printJson(entries.stream().map(EntryView::of).toList());
            return 0;
        }
        List<List<String>> rows = new ArrayList<>();
        rows.add(List.of("ID", "NAME", "PERSON", "LIMITED TO", "EXPIRES"));
        for (AccessKeys.Entry entry : entries) {
            rows.add(List.of(
                    entry.key().id(),
                    entry.key().name(),
                    entry.key().person().toString(),
                    limits(entry.key()),
                    entry.expires().map(Instant::toString).orElse("never")));
        }
        System.out.println(Text.table(rows));
        return 0;
    }

    @Command(name = "show", description = "Show an access key, never its secret.")
    int show(
            @Mixin ClusterAccess access,
            @Parameters(index = "0", paramLabel = "ID", description = "Id of the key.") String id) {
        AccessKeys.Entry entry;
        try (Bulwark client = access.connect()) {
            entry = client.accessKeys()
                    .find(id)
                    .orElseThrow(() -> new InvalidRequestException("there is no access key " + id, Subject.NONE));
        }
        access.global()
                .print(
                        EntryView.of(entry),
                        "Access key " + describe(entry.key()) + ".\nExpires: "
                                + entry.expires().map(Instant::toString).orElse("never") + "\nSealed for: "
                                + entry.readers().stream()
                                        .map(PrincipalId::toString)
                                        .collect(Collectors.joining(", ")));
        return 0;
    }

    @Command(
            name = "rotate",
            description = {
                "Make another key in place of one, and print its secret: it is shown once.",
                "Both are valid for a time, so that programs can change over."
            })
    int rotate(
            @Mixin ClusterAccess access,
            @Mixin AwsProfile profile,
            @Parameters(index = "0", paramLabel = "ID", description = "Id of the key.") String id,
            @Option(
                            names = "--overlap",
                            paramLabel = "TIME",
                            defaultValue = "24h",
                            description = "Time after which the old key ends, such as 0m or 7d (default: "
                                    + "${DEFAULT-VALUE}).")
                    String overlap)
            throws IOException {
        Duration both = PrincipalCommand.time("--overlap", overlap);
        try (Bulwark client = access.connect()) {
            AccessKeys.Issued issued = client.accessKeys().rotate(id, both);
            print(
                    access,
                    profile,
                    issued,
                    "Made access key " + describe(issued.key()) + ". The old one ends in " + overlap + ".");
        }
        return 0;
    }

    @Command(
            name = "limit",
            description = "Replace the places that an access key reaches; without options nothing limits it.")
    int limit(
            @Mixin ClusterAccess access,
            @Mixin Limits limits,
            @Parameters(index = "0", paramLabel = "ID", description = "Id of the key.") String id) {
        List<AccessKey.Limit> wanted = limits.limits();
        try (Bulwark client = access.connect()) {
            client.accessKeys().limit(id, wanted);
        }
        access.global()
                .print(
                        new LimitedView(id, PlaceView.of(wanted)),
                        "Access key " + id + " reaches: " + text(wanted) + ".");
        return 0;
    }

    @Command(
            name = "revoke",
            description = {
                "End an access key for good; gateways refuse it within 5 seconds.",
                "With the last key of a person the gateways no longer act for that person."
            })
    int revoke(
            @Mixin ClusterAccess access,
            @Parameters(index = "0", paramLabel = "ID", description = "Id of the key.") String id) {
        try (Bulwark client = access.connect()) {
            client.accessKeys().revoke(id);
        }
        access.global().print(new RevokedView(id, true), "Access key " + id + " is revoked.");
        return 0;
    }

    static Rights rights(String text) {
        return switch (text) {
            case "read" -> AccessKeySpec.READ;
            case "write" -> AccessKeySpec.WRITE;
            case "admin" -> Rights.ALL;
            default ->
                throw new CommandFailure(
                        CommandFailure.USAGE, "--rights is read, write or admin, not \"" + text + "\"");
        };
    }

    private static void print(ClusterAccess access, AwsProfile profile, AccessKeys.Issued issued, String first)
            throws IOException {
        String url = profile.endpoint(access.global());
        access.global()
                .print(
                        new IssuedView(KeyView.of(new AccessKeys.Entry(issued.key(), List.of())), issued.secret(), url),
                        first + " Its secret is shown here and nowhere else.\n\n"
                                + profile.text(issued, url).stripTrailing());
    }

    private static String describe(AccessKey key) {
        return key.id() + (key.name().isEmpty() ? "" : " (" + key.name() + ")") + " of " + key.person() + " for "
                + limits(key);
    }

    private static String limits(AccessKey key) {
        return text(key.limits());
    }

    private static String text(List<AccessKey.Limit> limits) {
        return Optional.of(limits.stream()
                        .map(limit -> limit.bucket() + "/" + limit.prefix())
                        .collect(Collectors.joining(", ")))
                .filter(text -> !text.isEmpty())
                .orElse("all that the person may reach");
    }

    private record LimitedView(String id, List<PlaceView> limits) {}

    private record RevokedView(String id, boolean revoked) {}

    private record IssuedView(@JsonUnwrapped KeyView key, String secret, String endpoint) {}

    private record EntryView(@JsonUnwrapped KeyView key, List<String> sealedFor) {
        static EntryView of(AccessKeys.Entry entry) {
            return new EntryView(
                    KeyView.of(entry),
                    entry.readers().stream().map(PrincipalId::toString).toList());
        }
    }

    private record KeyView(String id, String name, String person, List<PlaceView> limits, String expires) {
        static KeyView of(AccessKeys.Entry entry) {
            AccessKey key = entry.key();
            return new KeyView(
                    key.id(),
                    key.name(),
                    key.person().toString(),
                    PlaceView.of(key.limits()),
                    entry.expires().map(Instant::toString).orElse(""));
        }
    }

    private record PlaceView(String bucket, String prefix) {
        static List<PlaceView> of(List<AccessKey.Limit> limits) {
            return limits.stream()
                    .map(limit -> new PlaceView(limit.bucket(), limit.prefix()))
                    .toList();
        }
    }
}
