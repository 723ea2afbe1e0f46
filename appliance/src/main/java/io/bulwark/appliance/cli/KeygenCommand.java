package io.bulwark.appliance.cli;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.OpenedDevice;
import io.bulwark.transport.identity.Pkcs11Token;
import java.io.Console;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bulwark keygen PRINCIPAL}. */
@Command(
        name = "keygen",
        description = {
            "Create a P-256 key and its self-signed certificate for one principal.",
            "The file is secret and stays with its principal; only the printed public key is for others."
        })
final class KeygenCommand implements Callable<Integer> {
    private static final int DAYS_MAX = 36_500;

    @Mixin
    private final GlobalOptions global = new GlobalOptions();

    @Parameters(paramLabel = "PRINCIPAL", description = "For example client-7, node-3 or replica-0.")
    private String principal = "";

    @Option(
            names = "--out",
            paramLabel = "FILE",
            description = "Output file; missing directories are created (default: PRINCIPAL.pem in the current "
                    + "directory).")
    private @Nullable Path out;

    @Option(
            names = "--pkcs11",
            paramLabel = "FILE",
            description = "Create and keep the key in the PKCS#11 device that this file describes; the file is then "
                    + "the identity.")
    private @Nullable Path device;

    @Option(names = "--days", paramLabel = "N", description = "Validity (default: ${DEFAULT-VALUE}).")
    private int days = (int) Identity.VALIDITY_STANDARD.toDays();

    @Override
    public Integer call() throws IOException {
        PrincipalId named;
        try {
            named = PrincipalId.parse(principal);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
        if (days < 1 || days > DAYS_MAX) {
            throw new CommandFailure(CommandFailure.USAGE, "a certificate is valid for 1 to " + DAYS_MAX + " days");
        }
        if (device != null) {
            generate(named, device);
            return 0;
        }
        Identity identity = Identity.generate(named, Duration.ofDays(days), new SecureRandom());
        Path file = out == null ? Identity.file(Path.of(""), named) : out;
        Path directory = file.toAbsolutePath().getParent();
        if (directory != null) {
            Files.createDirectories(
                    directory, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
        try {
            identity.store(file);
        } catch (FileAlreadyExistsException e) {
            throw new CommandFailure(CommandFailure.FAILED, file + " exists already; keys are never overwritten");
        }
        print(identity, file, "Wrote " + file + ".");
        return 0;
    }

    @SuppressWarnings("SystemConsoleNull") // The annotated JDK of NullAway still says that it may be null.
    private void generate(PrincipalId named, Path file) throws IOException {
        Pkcs11Token token = Pkcs11Token.load(file);
        Duration validity = Duration.ofDays(days);
        String what = "The device has created the key; the identity is " + file + ".";
        if (token.pinFile().isPresent()) {
            print(token.generate(named, validity), file, what);
            return;
        }
        Console console = System.console();
        char[] pin = console == null || !console.isTerminal() ? null : console.readPassword("PIN of the device: ");
        if (pin == null) {
            throw new CommandFailure(
                    CommandFailure.USAGE,
                    "type the PIN at a terminal, or name its file in " + file + ": pkcs11.pin-file");
        }
        try (OpenedDevice opened = token.generate(named, validity, pin)) {
            print(opened.identity(), file, what);
        }
    }

    private void print(Identity identity, Path file, String what) {
        global.print(
                new IdentityView(
                        identity.principal().toString(),
                        file.toString(),
                        identity.publicKey().text(),
                        identity.until().toString()),
                what + " Its public key:\nkey." + identity.principal() + "="
                        + identity.publicKey().text());
    }

    private record IdentityView(String principal, String file, String key, String until) {}
}
