package io.bulwark.client.config;

import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.GenesisKeys;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.Credentials;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.OwnKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** Configured security of a principal's connections. */
public sealed interface ChannelConfig {
    /**
     * TLS 1.3 with certificates on both sides.
     *
     * @param identity the file of an {@link Identity}; knowledge of the registry is kept beside it
     * @param genesis the cluster's {@link GenesisFile}
     * @param opened the identity, where no file has it; it is in this process alone
     */
    record Tls(Path identity, Path genesis, Optional<Identity> opened) implements ChannelConfig {
        public Tls(Path identity, Path genesis) {
            this(identity, genesis, Optional.empty());
        }
    }

    /** Plain text after a challenge under the keys of the key ring; all addresses but loopback are refused. */
    record InsecureLoopback() implements ChannelConfig {}

    /**
     * Returns the credentials for opening a transport.
     *
     * @param self the principal whose identity it must be
     * @param ring the keys for a plain connection; TLS needs none
     * @param replicas number of replicas; the genesis must name as many
     * @param kept the file with the stored knowledge of the registry, if it exists
     * @throws ConfigException if a file is missing or open to others, or the files do not fit together; the message
     *     says what to do
     */
    default Credentials credentials(PrincipalId self, Supplier<KeyRing> ring, int replicas, Path kept) {
        return switch (this) {
            case InsecureLoopback ignored ->
                new io.bulwark.transport.InsecureLoopback(ring.get().pairwiseKeys());
            case Tls files -> {
                Identity identity = identity(files, self);
                GenesisFile genesis = GenesisFile.load(files.genesis());
                genesis.requireReplicas(replicas, files.genesis());
                KnownPrincipals known = KnownPrincipals.load(genesis, kept);
                known.requireKeyOf(identity, files);
                Configuration now = ConfigurationChainFile.beside(kept)
                        .last(genesis.genesisKeys().configuration());
                yield new TlsCredentials(identity, known.trustedKeys(now));
            }
        };
    }

    /** Returns the keys of the genesis file; those of a cluster without keys where connections are plain text. */
    default GenesisKeys genesisKeys() {
        return switch (this) {
            case InsecureLoopback ignored -> GenesisKeys.NONE;
            case Tls files -> GenesisFile.load(files.genesis()).genesisKeys();
        };
    }

    /**
     * Returns a function that signs administrative commands and nodes' reports with the identity then in the file, and
     * leaves others as they are.
     *
     * @param self the principal that gives the commands
     */
    default UnaryOperator<Submission.InSession> signing(PrincipalId self) {
        return switch (this) {
            case InsecureLoopback ignored -> UnaryOperator.identity();
            case Tls files -> {
                Bytes cluster = genesisKeys().cluster();
                yield submission -> submission.signed(
                        cluster, self, content -> identity(files, self).sign(content));
            }
        };
    }

    /**
     * Returns the key in the identity file as it is now; empty in a cluster without keys.
     *
     * @param self the principal whose identity it must be
     */
    default Optional<OwnKey> ownKey(PrincipalId self) {
        return switch (this) {
            case InsecureLoopback ignored -> Optional.empty();
            case Tls files -> Optional.of(identity(files, self).ownKey());
        };
    }

    /** Returns the file in which a client keeps its knowledge of the registry: beside its identity. */
    default Path keptBeside() {
        return switch (this) {
            case Tls files -> files.identity().resolveSibling(files.identity().getFileName() + ".registry");
            case InsecureLoopback ignored -> Path.of("");
        };
    }

    /**
     * Makes sure that a data directory belongs to this cluster: marks one that was not used yet.
     *
     * @throws ConfigException if it began with another genesis
     */
    default void claim(Path directory) throws IOException {
        if (this instanceof Tls files) {
            GenesisFile.load(files.genesis()).claim(directory);
        }
    }

    private static Identity identity(Tls files, PrincipalId self) {
        Path file = files.identity();
        Identity identity;
        try {
            identity = files.opened().isPresent() ? files.opened().get() : Identity.load(file);
        } catch (IOException e) {
            throw ConfigurationFile.failure(file, "identity", e);
        }
        if (!identity.principal().equals(self)) {
            throw new ConfigException(
                    file + " is the identity of " + identity.principal() + ", not of " + self, Subject.NONE);
        }
        if (identity.until().isBefore(Instant.now())) {
            throw new ConfigException(
                    "the certificate in " + file + " has expired on " + identity.until(), Subject.NONE);
        }
        return identity;
    }
}
