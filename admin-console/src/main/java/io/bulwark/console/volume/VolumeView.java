package io.bulwark.console.volume;

import io.bulwark.client.BucketInfo;
import io.bulwark.client.VolumeInfo;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Verification;
import java.util.List;
import java.util.Locale;

/**
 * A volume as the API shows it.
 *
 * @param kind either {@code "object"} or {@code "register"}
 * @param faults Byzantine nodes tolerated in each placement group
 * @param dataFragments the number of fragments that give a block back
 * @param fragments the number of slots of a placement group
 * @param blocks the number of blocks of a register volume; 0 for an object volume
 * @param groups the number of placement groups
 * @param bytes of all versions in its buckets, as users count them
 */
public record VolumeView(
        int id,
        String name,
        String kind,
        String protocol,
        String verification,
        int faults,
        int dataFragments,
        int fragments,
        int blockBytes,
        long blocks,
        int groups,
        int buckets,
        long objects,
        long bytes) {
    static VolumeView of(VolumeInfo volume, List<BucketInfo> all) {
        List<BucketInfo> own =
                all.stream().filter(each -> each.volume().equals(volume.name())).toList();
        var policy = volume.policy();
        return new VolumeView(
                volume.id(),
                volume.name(),
                volume.kind().name().toLowerCase(Locale.ROOT),
                policy.protocol().text(),
                policy.verification().text(),
                policy.f(),
                policy.m(),
                policy.n(),
                policy.blockBytes(),
                volume.blocks(),
                volume.groups(),
                own.size(),
                own.stream().mapToLong(BucketInfo::objects).sum(),
                own.stream().mapToLong(BucketInfo::bytes).sum());
    }

    /** Returns whether it keeps objects. */
    public boolean isObject() {
        return kind.equals("object");
    }

    /** Returns whether the cluster may be asked to tolerate another number of faults. */
    public boolean hasChangeableFaults() {
        return isObject() || !verification.equals(Verification.NONE.text());
    }

    /** Returns what pages show as the policy. */
    public String policy() {
        if (protocol.equals(Protocol.MASKING.text())) {
            return "masking b=" + faults + " n=" + fragments;
        }
        return !protocol.equals(Protocol.PASIS.text())
                ? protocol + " f=" + faults + " m=" + dataFragments + " n=" + fragments
                : "pasis b=" + faults + " m=" + dataFragments + " n=" + fragments + " " + verification;
    }

    /** Returns the sentences that explain the policy. */
    public List<String> explanation() {
        String group = "Each block is stored as " + fragments + " fragments on " + fragments
                + " different nodes, one placement group.";
        String reading = dataFragments == 1
                ? "Every fragment is a whole copy of the block."
                : "Any " + dataFragments + " of them give the block back.";
        String faulty = "In each group up to " + (faults == 1 ? "one node" : faults + " nodes")
                + " may lie, lose data or be away at the same time, together with any number of lying clients.";
        String cost = String.format(
                Locale.ROOT, "One byte of data takes %.2f bytes of disk.", (double) fragments / dataFragments);
        return List.of(group, reading, faulty, verificationText(), cost);
    }

    private String verificationText() {
        if (protocol.equals(Protocol.ARCHIVE.text())) {
            return "Protocol archive: nodes check each fragment against fingerprints of the segment; so that nodes may"
                    + " be away, more hold fragments than a read needs.";
        }
        if (protocol.equals(Protocol.FP.text())) {
            return "Protocol FP: nodes check each fragment against fingerprints of the block before a write ends.";
        }
        if (protocol.equals(Protocol.MASKING.text())) {
            return "Protocol masking: readers compare whole copies; nodes check in the background which are complete.";
        }
        return switch (verification) {
            case "lazy" ->
                "Protocol PASIS, lazy: nodes check versions in the background, and before that whoever needs one does.";
            case "read-time" -> "Protocol PASIS, read-time: every reader checks the version that it reads.";
            case "write-time" ->
                "Protocol PASIS, write-time: nodes check the whole block before they store a fragment.";
            default ->
                "Protocol PASIS without verification: any client can destroy the data of others. For measuring only.";
        };
    }
}
