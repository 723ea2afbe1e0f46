package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.control.ControlSocket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.EncryptionConfig;
import io.bulwark.client.error.UnavailableException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options of every command that reads or writes through the SDK. */
final class ClusterAccess {
    @Mixin
    private final GlobalOptions global = new GlobalOptions();

    @Option(
            names = "--client",
            paramLabel = "FILE",
            description = "Client configuration (default: client.properties in the data directory).")
    private @Nullable Path client;

    @Option(
            names = "--encrypt-with",
            paramLabel = "FILE.p12",
            description = {
                "Encrypt objects on this machine, with a key from this PKCS#12 file.",
                "Reading needs the same file. Its password: --encrypt-password-file, or $BULWARK_ENCRYPT_PASSWORD."
            })
    private @Nullable Path keyStore;

    @Option(
            names = "--encrypt-key",
            paramLabel = "NAME",
            description = "Alias of the key for new objects, if the file has several.")
    private @Nullable String encryptionKey;

    @Option(
            names = "--encrypt-password-file",
            paramLabel = "FILE",
            description = "File with the password of the PKCS#12 file in its first line; mode 0600.")
    private @Nullable Path passwordFile;

    GlobalOptions global() {
        return global;
    }

    /** Connects, or fails with what to do: at once where nobody listens. */
    Bulwark connect() {
        return connect(UnaryOperator.identity());
    }

    /** Connects with changed settings, as above. */
    Bulwark connect(UnaryOperator<ClientConfig> changing) {
        Path file = configuration();
        if (!Files.exists(file)) {
            throw new CommandFailure(
                    CommandFailure.UNAVAILABLE,
                    "there is no " + file + "; start an appliance with `" + global.upCommand()
                            + "`, or name one with --data or --client");
        }
        ClientConfig config = changing.apply(encrypting(ClientConfig.load(file)));
        OutageReport outage = new OutageReport(config);
        boolean served = client == null && ControlSocket.isServed(global.data());
        if (!served && outage.total()) {
            throw unavailable(outage, false, "");
        }
        try {
            return Bulwark.connect(config);
        } catch (UnavailableException e) {
            throw unavailable(outage, served, String.valueOf(e.getMessage()));
        }
    }

    /** Returns the genesis file that the client configuration names, without a connection. */
    Path genesis() {
        Path file = configuration();
        if (!Files.exists(file)) {
            throw new CommandFailure(
                    CommandFailure.CONFIG, "there is no " + file + " that names a genesis; name it with --genesis");
        }
        return switch (ClientConfig.load(file).channels()) {
            case ChannelConfig.Tls files -> files.genesis();
            case ChannelConfig.InsecureLoopback _ ->
                throw new CommandFailure(
                        CommandFailure.CONFIG,
                        file + " names no genesis, as insecure-loopback has no keys; name one with --genesis");
        };
    }

    private Path configuration() {
        return client == null ? DataDirectory.clientProperties(global.data()) : client;
    }

    private ClientConfig encrypting(ClientConfig config) {
        if (keyStore == null) {
            if (encryptionKey != null || passwordFile != null) {
                throw new CommandFailure(
                        CommandFailure.USAGE, "--encrypt-key and --encrypt-password-file go with --encrypt-with");
            }
            return config;
        }
        return config.withEncryption(new EncryptionConfig(keyStore, encryptionKey, passwordFile));
    }

    private CommandFailure unavailable(OutageReport outage, boolean served, String cause) {
        String doing = served ? ControlSocket.progress(global.data()).doing() : "";
        if (!doing.isEmpty()) {
            return new CommandFailure(
                    CommandFailure.UNAVAILABLE,
                    "the appliance on " + global.data() + " is not ready yet: " + doing
                            + "; try again later, `bulwark status` shows the progress");
        }
        return new CommandFailure(
                CommandFailure.UNAVAILABLE,
                (client == null ? global.data() : client) + ": " + outage.explained(served, global.upCommand(), cause));
    }
}
