package io.bulwark.appliance.cli;

import io.bulwark.appliance.supervisor.Release;
import io.bulwark.client.Bulwark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
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
            "Manage the releases from which supervisors may restart replicas: hash, allow, forget, list.",
            "Without an allowed release nothing is checked. For an upgrade, allow both releases, then forget the "
                    + "old one."
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
            description = "Print the SHA-256 of an installed release (default: the release of this command).")
    int hash(
            @Mixin GlobalOptions global,
            @Parameters(paramLabel = "JAR", arity = "0..1", description = "Jar file of the release.") @Nullable
                    Path jar)
            throws IOException {
        if (jar != null && !Files.isRegularFile(jar)) {
            throw new CommandFailure(CommandFailure.USAGE, "there is no jar " + jar);
        }
        Release release = jar == null ? Release.own() : Release.of(jar);
        String hash = release.hash();
        global.print(new HashView(hash, release.classPath()), hash);
        return 0;
    }

    @Command(
            name = "allow",
            description = "Allow supervisors to start replicas from this release, for example before an upgrade.")
    int allow(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "HASH", description = "SHA-256 from `release hash`.") String hash) {
        try (Bulwark client = access.connect()) {
            client.releases().allow(hash);
        }
        access.global().print(new AllowedView(hash, true), hash + " is allowed.");
        return 0;
    }

    @Command(name = "forget", description = "Stop allowing this release.")
    int forget(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "HASH", description = "SHA-256 from `release list`.") String hash) {
        List<String> left;
        try (Bulwark client = access.connect()) {
            client.releases().forget(hash);
            left = client.releases().allowed();
        }
        access.global()
                .print(
                        new AllowedView(hash, false),
                        hash + " is not allowed"
                                + (left.isEmpty() ? "; no release is allowed, so releases are not checked." : "."));
        return 0;
    }

    @Command(name = "list", description = "List the allowed releases.")
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
                            ? "No release is allowed: supervisors do not check releases."
                            : String.join(System.lineSeparator(), allowed));
        }
        return 0;
    }

    private record HashView(String hash, String release) {}

    private record AllowedView(String hash, boolean allowed) {}
}
