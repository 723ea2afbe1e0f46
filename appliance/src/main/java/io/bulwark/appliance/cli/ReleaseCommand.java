package io.bulwark.appliance.cli;

import io.bulwark.appliance.supervisor.Release;
import io.bulwark.client.Bulwark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bulwark release}: from what supervisors may start replicas. */
@Command(
        name = "release",
        description = {
            "Say from which releases supervisors may start recovering replicas: hash, allow, forget, list.",
            "While none is allowed nothing is checked. Around an upgrade allow both, then forget the old one."
        })
final class ReleaseCommand implements Runnable {
    @Spec
    private @Nullable CommandSpec spec;

    @Override
    public void run() {
        throw new ParameterException(
                Objects.requireNonNull(spec).commandLine(), "release needs one of hash, allow, forget, list");
    }

    @Command(
            name = "hash",
            description = "Print the SHA-256 of an installed release, that of this command if none is named.")
    int hash(
            @Mixin GlobalOptions global,
            @Parameters(paramLabel = "JAR", arity = "0..1", description = "The jar that `java -jar` starts.") @Nullable
                    Path jar)
            throws IOException {
        if (jar != null && !Files.isRegularFile(jar)) {
            throw new CommandFailure(CommandFailure.USAGE, "there is no jar " + jar);
        }
        Release release = jar == null ? Release.own() : Release.of(jar);
        String hash = release.hash();
        global.print(Map.of("hash", hash, "release", release.classPath()), hash);
        return 0;
    }

    @Command(
            name = "allow",
            description = "Let supervisors start replicas from this release, as before an upgrade to it.")
    int allow(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "HASH", description = "As `release hash` prints it.") String hash) {
        try (Bulwark client = access.connect()) {
            client.releases().allow(hash);
        }
        access.global().print(Map.of("hash", hash, "allowed", true), hash + " is allowed.");
        return 0;
    }

    @Command(name = "forget", description = "Let supervisors start no replica from this release any more.")
    int forget(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "HASH", description = "As `release list` prints it.") String hash) {
        List<String> left;
        try (Bulwark client = access.connect()) {
            client.releases().forget(hash);
            left = client.releases().allowed();
        }
        access.global()
                .print(
                        Map.of("hash", hash, "allowed", false),
                        hash + " is not allowed"
                                + (left.isEmpty() ? "; no release is, so that nothing is checked any more." : "."));
        return 0;
    }

    @Command(name = "list", description = "List the releases that are allowed.")
    int list(@Mixin ClusterAccess access) {
        List<String> allowed;
        try (Bulwark client = access.connect()) {
            allowed = client.releases().allowed();
        }
        if (access.global().json()) {
            GlobalOptions.printJson(allowed);
        } else {
            System.out.println(
                    allowed.isEmpty()
                            ? "No release is allowed: what supervisors start is not checked."
                            : String.join(System.lineSeparator(), allowed));
        }
        return 0;
    }
}
