package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;

/**
 * Size of the state, at least half as many bytes as in a snapshot, and the accounts that it is charged to. Quotas count
 * the bytes of objects, which may be empty and many. Without this bound one writer could make a state that no replica
 * can hold, copy or start from again. Nobody may hold more than what is left: however many fill their share, one more
 * finds room. Replicas count the same, since it decides on commands.
 */
final class Weight {
    /** From here on nothing is accepted that adds to the state; deleting and closing go on. */
    static final long BYTES_MAX = 512L << 20;

    /** Inline bytes are accepted up to this part of the room; the rest is for names, extents and everything else. */
    private static final int INLINE_SHARE = 2;

    /** A log may draw at most as much. */
    private static final long ESCROW_MAX = 4L << 20;

    static final int SESSION_BYTES = 256;
    static final int INTERVAL_BYTES = 64;
    static final int RESULT_BYTES = 64;
    static final int INODE_BYTES = 256;
    static final int RANGE_BYTES = 64;
    static final int LINK_BYTES = 128;
    static final int BUCKET_BYTES = 512;
    static final int UPLOAD_BYTES = 256;
    static final int PART_BYTES = 128;
    static final int SLICE_BYTES = 32;
    static final int COMPLETION_BYTES = 256;
    static final int DOCUMENT_BYTES = 256;
    static final int KEY_BYTES = 256;
    static final int GRANT_BYTES = 64;
    static final int AUDIT_BYTES = 64;
    static final int LOCK_BYTES = 128;
    static final int HOLDER_BYTES = 1_024;
    static final int PIECE_BYTES = 128;
    static final int FETCH_BYTES = 256;
    static final int OUTCOME_BYTES = 64;
    static final int MARK_BYTES = 256;

    private final Tables tables;
    private final long max;

    Weight(Tables tables, long max) {
        this.tables = tables;
        this.max = max;
    }

    void add(PrincipalId owner, long added) {
        tables.totals().weight += added;
        tables.account(owner).weight += added;
    }

    /** Moves room of an owner between what is free and what its logs may draw. */
    void escrow(PrincipalId owner, long added) {
        tables.totals().weightEscrow += added;
        tables.account(owner).weightEscrow += added;
    }

    /** Returns how much a log of this owner may draw, see {@link Grant#escrow}. Few logs need as much as the bound. */
    long escrowFor(PrincipalId owner) {
        return Math.min(ESCROW_MAX, Grant.escrow(max - bytes() - bytesOf(owner), tables.totals().weightEscrow));
    }

    /** Returns the size, with what logs may still add. */
    long bytes() {
        return tables.totals().weight + tables.totals().weightEscrow;
    }

    long bytesOf(PrincipalId owner) {
        return tables.accounts
                .find(owner)
                .map(account -> account.weight + account.weightEscrow)
                .orElse(0L);
    }

    /** Returns the most that a delete marker adds. */
    static long markerMax() {
        return (long) LINK_BYTES + Names.KEY_BYTES_MAX;
    }

    /** Returns the most that an entry of a log adds to the state. */
    static long maxOf(Command command) {
        return switch (command) {
            case Command.PutObject put ->
                (long) INODE_BYTES
                        + (long) (RANGE_BYTES + INTERVAL_BYTES)
                                * put.content().ranges().size()
                        + switch (put.content()) {
                            case ObjectLayout layout -> layout.pins().length();
                            case InlineContent inline -> inline.length();
                        }
                        + markerMax()
                        + put.attributes().encodedBytes();
            case Command.RenameObject ignored -> 2 * markerMax() + ObjectAttributes.ENCODED_BYTES_MAX;
            case Command.CopyObject ignored -> markerMax() + ObjectAttributes.ENCODED_BYTES_MAX;
            case Command.SetTags ignored -> ObjectAttributes.ENCODED_BYTES_MAX;
            default -> markerMax();
        };
    }

    /** Returns whether an owner may add inline bytes: they never fill more than half of the room, by the same rule. */
    boolean hasInlineRoom(PrincipalId owner) {
        return bytesOf(owner) < max / INLINE_SHARE - bytes();
    }

    void requireRoom(PrincipalId owner) {
        long own = bytesOf(owner);
        long bytes = bytes();
        CommandRefusal.refuseUnless(
                own < max - bytes,
                MetadataError.LIMIT_REACHED,
                "the metadata hold " + bytes + " of " + max + " bytes, " + own + " of them of " + owner);
    }

    /**
     * Returns whether a command adds to the state. Delete markers do, at most one for each name shown. They do not
     * count here, since a client that must make room must be able to delete; markers without a name count themselves.
     */
    static boolean isAddedBy(Command command) {
        return switch (command) {
            case Command.CreateVolume ignored -> true;
            case Command.CreateBucket ignored -> true;
            case Command.PutObject ignored -> true;
            case Command.RegisterPending ignored -> true;
            case Command.RenameObject ignored -> true;
            case Command.CopyObject ignored -> true;
            case Command.ComposeObject ignored -> true;
            case Command.BeginUpload ignored -> true;
            case Command.PutPart ignored -> true;
            case Command.CopyPart ignored -> true;
            case Command.CompleteUpload ignored -> true;
            case Command.AddPrincipal ignored -> true;
            case Command.RotateKey ignored -> true;
            case Command.InvitePrincipal ignored -> true;
            case Command.SetNode ignored -> true;
            case Command.ChangeReplicas ignored -> true;
            case Command.SetGrant ignored -> true;
            case Command.SetAccessKey ignored -> true;
            case Command.SetWebhook ignored -> true;
            case Command.PutDocument ignored -> true;
            case Command.SetTags ignored -> true;
            case Command.Lock ignored -> true;
            case Command.AbandonRanges abandon -> !abandon.ranges().isEmpty();
            case Command.SetRelease set -> set.allowed();
            case Command.SetActFor set -> !set.ceiling().isNone();
            case Command.RenewSession ignored -> false;
            case Command.CloseSession ignored -> false;
            case Command.DeleteVolume ignored -> false;
            case Command.DeleteBucket ignored -> false;
            case Command.DeleteObject ignored -> false;
            case Command.AbortUpload ignored -> false;
            case Command.ReportEvidence ignored -> false;
            case Command.ReportPoison ignored -> false;
            case Command.OfNodeFault ignored -> false;
            case Command.ChangeThreat change -> change.raises();
            case Command.SetThreatPolicy ignored -> false;
            case Command.LiftSuspension ignored -> false;
            case Command.ChangeHolder ignored -> false;
            case Command.AbortChange ignored -> false;
            case Command.ChangePolicy ignored -> false;
            case Command.SetVolumePolicy ignored -> true;
            case Command.RefillInode ignored -> true;
            case Command.SealEpoch ignored -> false;
            case Command.ConfirmEpoch ignored -> false;
            case Command.RemoveNode ignored -> false;
            case Command.RevokePrincipal ignored -> false;
            case Command.RemoveAccessKey ignored -> false;
            case Command.RemoveWebhook ignored -> false;
            case Command.ClaimEvents ignored -> false;
            case Command.SetGateways ignored -> false;
            case Command.UpdateBucket ignored -> false;
            case Command.RemoveDocument ignored -> false;
            case Command.SetRetention ignored -> false;
            case Command.SetLegalHold ignored -> false;
            case Command.Unlock ignored -> false;
            case Command.OpenRound ignored -> false;
        };
    }
}
