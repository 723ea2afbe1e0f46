package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.OperatorAuthorization.Fact;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Proof of a recorded fault that {@link EvidenceVerification} checks without the cluster. It has the signed reports. It
 * also has the operators' signed commands that show to whom the keys belong, and how many nodes may be faulty.
 *
 * @param cluster the cluster's id
 * @param keys entries of the audit log that lead from the genesis to the keys of the reporters and of the volume's
 *     operator; each after those that it rests on
 * @param volume the entry that made the volume of the block, with its policy; empty if the log does not show that an
 *     operator gave it
 */
public record EvidenceProof(Bytes cluster, Evidence evidence, List<AuditEntry> keys, Optional<AuditEntry> volume) {
    /** No proof has more entries for keys. */
    public static final int ENTRIES_MAX = 1024;

    /** No proof is longer. */
    public static final int BYTES_MAX = 2 << 20;

    private static final int VERSION = 1;

    public EvidenceProof {
        keys = List.copyOf(keys);
        if (cluster.length() != GenesisKeys.CLUSTER_BYTES || keys.size() > ENTRIES_MAX) {
            throw new IllegalArgumentException(
                    "a cluster's id of " + cluster.length() + " bytes, " + keys.size() + " entries for keys");
        }
        if (volume.isPresent() && !(volume.get().command() instanceof Command.CreateVolume)) {
            throw new IllegalArgumentException("a volume made by another command");
        }
    }

    /** Returns the command that made the volume. */
    public Optional<Command.CreateVolume> volumeCommand() {
        return volume.map(entry -> (Command.CreateVolume) entry.command());
    }

    /** Returns f of the volume's policy, as its operator signed it. */
    public OptionalInt faulty() {
        return volumeCommand().stream().mapToInt(create -> create.policy().f()).findFirst();
    }

    /** Returns whether an entry of the audit log can be part of a proof: all others may be left out. */
    public static boolean isUseful(AuditEntry entry) {
        return switch (entry.command()) {
            case Command.CreateVolume ignored -> true;
            case Command.ChangePolicy ignored -> true;
            case Command.SetVolumePolicy ignored -> true;
            case Command.AddPrincipal ignored -> true;
            case Command.InvitePrincipal ignored -> true;
            case Command.RotateKey ignored -> true;
            case Command.SetGrant ignored -> true;
            default -> false;
        };
    }

    /**
     * Makes the proof of a recorded fault.
     *
     * @param log the audit log in order, with at least the entries that are useful
     * @return empty if reports are not signed, or the log does not lead from the genesis to their keys
     */
    public static Optional<EvidenceProof> of(GenesisKeys genesis, Evidence evidence, Collection<AuditEntry> log) {
        List<Fact> keys = new ArrayList<>();
        for (NodeReport report : evidence.reports()) {
            if (report.approval().isEmpty()) {
                return Optional.empty();
            }
            keys.add(new Fact.Key(report.reporter(), report.approval().get().key()));
        }
        // Volumes are numbered by the commands that made them, from 1 on.
        Optional<AuditEntry> volume = log.stream()
                .filter(entry -> entry.command() instanceof Command.CreateVolume)
                .skip(Math.max(0, evidence.block().volume() - 1))
                .findFirst()
                .filter(entry ->
                        entry.approval().isPresent() && entry.onBehalfOf().isEmpty())
                .filter(entry -> !hasOtherFaults(entry, log));
        List<Fact> all = new ArrayList<>(keys);
        volume.ifPresent(entry -> all.addAll(OperatorAuthorization.basesOf(entry)));
        return make(genesis, evidence, log, all, volume).or(() -> make(genesis, evidence, log, keys, Optional.empty()));
    }

    /** Returns whether the number of faults was changed later, which the command that made the volume does not show. */
    private static boolean hasOtherFaults(AuditEntry made, Collection<AuditEntry> log) {
        return made.command() instanceof Command.CreateVolume create
                && log.stream().anyMatch(entry -> switch (entry.command()) {
                    case Command.ChangePolicy change -> change.volume().equals(create.name());
                    case Command.SetVolumePolicy set -> set.volume().equals(create.name());
                    default -> false;
                });
    }

    private static Optional<EvidenceProof> make(
            GenesisKeys genesis,
            Evidence evidence,
            Collection<AuditEntry> log,
            List<Fact> needs,
            Optional<AuditEntry> volume) {
        List<PrincipalId> reporters =
                evidence.reports().stream().map(NodeReport::reporter).toList();
        return new AuthorizationSearch(genesis, OperatorAuthorization.withInvitations(genesis), log)
                .entriesFor(needs, reporters)
                .filter(entries -> entries.size() <= ENTRIES_MAX)
                .map(entries -> new EvidenceProof(genesis.cluster(), evidence, entries, volume));
    }

    /** Returns the canonical bytes. */
    public Bytes encoded() {
        WireWriter out = new WireWriter().u8(VERSION).raw(cluster);
        evidence.write(out);
        Lists.write(keys, out, (entry, to) -> entry.write(to));
        out.bool(volume.isPresent());
        volume.ifPresent(entry -> entry.write(out));
        return out.toBytes();
    }

    /**
     * Reads a proof, which may come from anybody.
     *
     * @throws MalformedException unless these are its canonical bytes
     */
    public static EvidenceProof decode(Bytes bytes) {
        if (bytes.length() > BYTES_MAX) {
            throw new MalformedException(bytes.length() + " bytes, the limit is " + BYTES_MAX);
        }
        WireReader in = new WireReader(bytes);
        try {
            int version = in.u8();
            if (version != VERSION) {
                throw new MalformedException("unknown version " + version + " of evidence");
            }
            EvidenceProof read = new EvidenceProof(
                    in.raw(GenesisKeys.CLUSTER_BYTES),
                    Evidence.read(in),
                    Lists.read(in, ENTRIES_MAX, AuditEntry::read),
                    in.bool() ? Optional.of(AuditEntry.read(in)) : Optional.empty());
            in.end();
            return read;
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }
}
