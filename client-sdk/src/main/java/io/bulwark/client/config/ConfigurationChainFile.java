package io.bulwark.client.config;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationChain;
import io.bulwark.protocol.ordering.membership.HandoverProof;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.MembershipMessage.Successor;
import io.bulwark.protocol.ordering.membership.OperatorAuthorizations;
import io.bulwark.protocol.ordering.membership.Signatures;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import io.bulwark.transport.file.AtomicFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * File in which a process keeps the replicas that followed those of the genesis. It holds a SHA-256 digest of all that
 * follows, the digest of the genesis's configuration, and the proofs in order, each with its authorization. Its content
 * was checked before, and is trusted as the genesis file is.
 */
public record ConfigurationChainFile(Path file) {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigurationChainFile.class);
    private static final int PROOFS_MAX = 100_000;
    private static final long FILE_BYTES_MAX = 256 << 20;

    /** Returns the file beside the one that keeps what was learnt of the registry. */
    public static ConfigurationChainFile beside(Path registry) {
        return new ConfigurationChainFile(registry.resolveSibling(registry.getFileName() + ".replicas"));
    }

    /** Accepts all signatures while the file is read. */
    private static final class WhileReading implements Signatures {
        private final Signatures keys;
        private boolean over;

        private WhileReading(Signatures keys) {
            this.keys = keys;
        }

        @Override
        public Bytes sign(Bytes content) {
            return keys.sign(content);
        }

        @Override
        public boolean verify(Member member, Bytes content, Bytes signature) {
            return !over || keys.verify(member, content, signature);
        }
    }

    /**
     * Reads the known replicas. Only the genesis is known if the file is missing, unreadable, or of another genesis.
     *
     * @param keys for the checks of later successors, with the authorizations
     */
    public ConfigurationChain read(Configuration genesis, Signatures keys, OperatorAuthorizations authorizations) {
        WhileReading reading = new WhileReading(keys);
        ConfigurationChain known = new ConfigurationChain(genesis, reading, authorizations);
        if (Files.exists(file)) {
            try {
                read(genesis, known);
            } catch (IOException | MalformedException e) {
                LOG.error(
                        "{} cannot be read ({}): the configuration of replicas is learned again from the genesis "
                                + "replicas",
                        file,
                        e.getMessage());
                known = new ConfigurationChain(genesis, reading, authorizations);
            }
        }
        reading.over = true;
        return known;
    }

    /** Reads the successors in the file, unchecked. */
    public List<Successor> kept(Configuration genesis) {
        return read(genesis, Signatures.NONE, OperatorAuthorizations.NONE).successors();
    }

    /** The last configuration that is known. */
    public Configuration last(Configuration genesis) {
        List<Successor> kept = kept(genesis);
        return kept.isEmpty() ? genesis : kept.getLast().proof().handover().next();
    }

    private void read(Configuration genesis, ConfigurationChain known) throws IOException {
        WireReader in = new WireReader(content());
        if (!in.raw(Hashes.LENGTH).equals(genesis.digest())) {
            throw new MalformedException("it is of another genesis");
        }
        int count = in.i32(0, PROOFS_MAX);
        for (int number = 0; number < count; number++) {
            if (!known.acceptKnown(new Successor(HandoverProof.read(in), in.bytes(OperatorAuthorizations.BYTES_MAX)))) {
                throw new MalformedException("a proof does not follow its predecessor");
            }
        }
        in.end();
    }

    /** Replaces the file, unless another process of this principal has written that it knows more; returns once it is durable. */
    public void write(Configuration genesis, List<Successor> successors) throws IOException {
        if (kept(genesis).size() > successors.size()) {
            return;
        }
        WireWriter out = new WireWriter().raw(genesis.digest()).i32(successors.size());
        successors.forEach(each -> {
            each.proof().write(out);
            out.bytes(each.authorization());
        });
        Bytes content = out.toBytes();
        AtomicFile.replace(
                file, ByteBuffer.wrap(Hashes.sha256(content).toByteArray()), ByteBuffer.wrap(content.toByteArray()));
    }

    private Bytes content() throws IOException {
        if (Files.size(file) > FILE_BYTES_MAX) {
            throw new IOException("it is too long");
        }
        WireReader in = new WireReader(Bytes.of(Files.readAllBytes(file)));
        Bytes digest = in.raw(Hashes.LENGTH);
        Bytes content = in.raw(in.remaining());
        if (!Hashes.sha256(content).equals(digest)) {
            throw new MalformedException("its digest is wrong");
        }
        return content;
    }
}
