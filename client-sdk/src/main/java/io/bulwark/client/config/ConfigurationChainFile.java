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
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * File in which a process keeps the replicas that followed those of the genesis. It holds a SHA-256 digest of all that
 * follows, the digest of the genesis's configuration, and the proofs in order. Its content was checked before, and is
 * trusted as the genesis file is.
 */
public record ConfigurationChainFile(Path file) {
    private static final Logger LOG = LoggerFactory.getLogger(ConfigurationChainFile.class);
    private static final int PROOFS_MAX = 100_000;
    private static final long FILE_BYTES_MAX = 256 << 20;

    /** Returns the file beside the one that keeps what was learnt of the registry. */
    public static ConfigurationChainFile beside(Path registry) {
        return new ConfigurationChainFile(registry.resolveSibling(registry.getFileName() + ".replicas"));
    }

    /** Without checking signatures, as long as they are read. */
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
     * @param keys for the checks of later successors, with the mandates
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
        Bytes content = content(file);
        WireReader proofs = new WireReader(content);
        if (!proofs.raw(Hashes.LENGTH).equals(genesis.digest())) {
            throw new MalformedException("it is of another genesis");
        }
        int count = proofs.i32(0, PROOFS_MAX);
        for (int number = 0; number < count; number++) {
            if (!known.acceptKnown(new Successor(HandoverProof.read(proofs), Bytes.EMPTY))) {
                throw new MalformedException("a proof does not follow its predecessor");
            }
        }
        proofs.end();
        List<Bytes> kept = readMandates(Hashes.sha256(content), count);
        for (int number = 0; number < kept.size(); number++) {
            known.addAuthorization(number, kept.get(number));
        }
    }

    /** Beside the proofs, so that builds that know no mandates read these as before. */
    private Path authorizations() {
        return file.resolveSibling(file.getFileName() + ".mandates");
    }

    /** None if they are not of the proofs with this digest: the state of the replicas has them, too. */
    private List<Bytes> readMandates(Bytes proofs, int count) {
        if (!Files.exists(authorizations())) {
            return List.of();
        }
        try {
            WireReader kept = new WireReader(content(authorizations()));
            if (!kept.raw(Hashes.LENGTH).equals(proofs)) {
                return List.of();
            }
            List<Bytes> authorizations = new ArrayList<>();
            for (int number = 0; number < count; number++) {
                authorizations.add(kept.bytes(OperatorAuthorizations.BYTES_MAX));
            }
            kept.end();
            return authorizations;
        } catch (IOException | MalformedException e) {
            LOG.debug("{} cannot be read", authorizations(), e);
            return List.of();
        }
    }

    /** Replaces the file, unless another process of this principal has written that it knows more; returns once it is durable. */
    public void write(Configuration genesis, List<Successor> successors) throws IOException {
        if (kept(genesis).size() > successors.size()) {
            return;
        }
        WireWriter out = new WireWriter().raw(genesis.digest()).i32(successors.size());
        successors.forEach(each -> each.proof().write(out));
        Bytes proofs = out.toBytes();
        WireWriter beside = new WireWriter().raw(Hashes.sha256(proofs));
        successors.forEach(each -> beside.bytes(each.authorization()));
        // First, as whoever looks into the file of another process looks when the proofs have changed.
        replace(authorizations(), beside.toBytes());
        replace(file, proofs);
    }

    /** Reads the content that {@link #replace} has written. */
    private static Bytes content(Path file) throws IOException {
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

    private static void replace(Path file, Bytes content) throws IOException {
        AtomicFile.replace(
                file, ByteBuffer.wrap(Hashes.sha256(content).toByteArray()), ByteBuffer.wrap(content.toByteArray()));
    }
}
