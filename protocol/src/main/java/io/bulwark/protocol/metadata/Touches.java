package io.bulwark.protocol.metadata;

import io.bulwark.protocol.locking.Subtree;
import java.util.ArrayList;
import java.util.List;

/**
 * Parts of the state that each command and query touches. Nothing of a log's rights, placement and settings is copied
 * when it begins. So a command that would change one of them touches it, and waits for the round.
 */
final class Touches {
    private Touches() {}

    static List<Touch> of(Command command) {
        return switch (command) {
            case Command.PutObject put -> List.of(new Touch.OfKey(put.bucket(), put.key()));
            case Command.DeleteObject delete -> List.of(new Touch.OfKey(delete.bucket(), delete.key()));
            case Command.RenameObject rename ->
                List.of(
                        new Touch.OfKey(rename.bucket(), rename.key()),
                        new Touch.OfKey(rename.toBucket(), rename.toKey()));
            case Command.CopyObject copy ->
                List.of(new Touch.OfKey(copy.bucket(), copy.key()), new Touch.OfKey(copy.toBucket(), copy.toKey()));
            case Command.SetTags set -> List.of(new Touch.OfKey(set.bucket(), set.key()));
            case Command.SetRetention set -> List.of(new Touch.OfKey(set.bucket(), set.key()));
            case Command.SetLegalHold set -> List.of(new Touch.OfKey(set.bucket(), set.key()));
            case Command.OfUpload upload -> ofUpload(upload);
            case Command.DeleteBucket delete -> List.of(new Touch.OfBucket(delete.name()));
            case Command.UpdateBucket update -> List.of(new Touch.OfBucket(update.name()));
            case Command.DeleteVolume delete -> List.of(new Touch.OfVolume(delete.name()));
            case Command.ChangeHolder change -> List.of(new Touch.OfVolume(change.volume()));
            case Command.AbortChange abort -> List.of(new Touch.OfVolume(abort.volume()));
            case Command.ChangePolicy change -> List.of(new Touch.OfVolume(change.volume()));
            case Command.SetVolumePolicy set -> List.of(new Touch.OfVolume(set.volume()));
            case Command.LiftSuspension lift -> List.of(new Touch.OfPrincipal(lift.client()));
            case Command.RotateKey rotate -> List.of(new Touch.OfPrincipal(rotate.principal()));
            case Command.RevokePrincipal revoke -> List.of(new Touch.OfPrincipal(revoke.principal()));
            case Command.SetGrant set -> List.of(new Touch.OfPrincipal(set.client()));
            case Command.SetActFor set -> List.of(new Touch.OfPrincipal(set.door()));
            case Command.ChangeReplicas ignored -> List.of(new Touch.Everything());
            // No log reads the following. New principals have no rights yet, and nodes hold no logs.
            case Command.RenewSession ignored -> List.of();
            case Command.CloseSession ignored -> List.of();
            case Command.CreateVolume ignored -> List.of();
            case Command.CreateBucket ignored -> List.of();
            case Command.PutDocument ignored -> List.of();
            case Command.RemoveDocument ignored -> List.of();
            case Command.RegisterPending ignored -> List.of();
            // Names keep their inode, and it its bytes.
            case Command.RefillInode ignored -> List.of();
            case Command.AbandonRanges ignored -> List.of();
            case Command.AddPrincipal ignored -> List.of();
            case Command.InvitePrincipal ignored -> List.of();
            case Command.SetNode ignored -> List.of();
            case Command.RemoveNode ignored -> List.of();
            case Command.SetRelease ignored -> List.of();
            case Command.OfAccessKey ignored -> List.of();
            // No reply to a change depends on the event log of its bucket.
            case Command.OfEvents ignored -> List.of();
            // No group of a volume with locks has an announced change that they could open.
            case Command.SealEpoch ignored -> List.of();
            case Command.ConfirmEpoch ignored -> List.of();
            // These change the lock table themselves.
            case Command.OfLocking ignored -> List.of();
            case Command.ReportEvidence ignored -> List.of();
            // Only a removal touches volumes, see NodeRemovals.
            case Command.OfNodeFault ignored -> List.of();
            case Command.OfThreat ignored -> List.of();
            // Only the report that suspends touches its client, see Suspensions.
            case Command.ReportPoison ignored -> List.of();
        };
    }

    /** Uploads are in no log: only the objects that they read and make are. */
    private static List<Touch> ofUpload(Command.OfUpload command) {
        return switch (command) {
            case Command.ComposeObject compose -> {
                List<Touch> touches = sources(compose.slices());
                touches.add(new Touch.OfKey(compose.bucket(), compose.key()));
                yield touches;
            }
            case Command.CopyPart copy -> sources(copy.slices());
            case Command.CompleteUpload complete ->
                List.of(new Touch.OfKey(
                        complete.upload().bucket(), complete.upload().key()));
            case Command.BeginUpload ignored -> List.of();
            case Command.PutPart ignored -> List.of();
            case Command.AbortUpload ignored -> List.of();
        };
    }

    private static List<Touch> sources(List<ObjectRange> slices) {
        List<Touch> touches = new ArrayList<>();
        slices.stream()
                .map(slice -> new Touch.OfKey(slice.bucket(), slice.key()))
                .distinct()
                .forEach(touches::add);
        return touches;
    }

    static List<Touch> of(Query query) {
        return switch (query) {
            case Query.FindObject find -> List.of(new Touch.OfKey(find.bucket(), find.key()));
            case Query.FindSlices find -> List.of(new Touch.OfKey(find.bucket(), find.key()));
            case Query.ListObjects list -> List.of(new Touch.OfSubtree(new Subtree(list.bucket(), list.prefix())));
            // The place where a list goes on is looked up among the versions, even outside of the prefix.
            case Query.ListVersions list ->
                List.of(
                        new Touch.OfSubtree(new Subtree(list.bucket(), list.prefix())),
                        new Touch.OfKey(list.bucket(), list.afterKey()));
            case Query.OnBehalf on -> of(on.query());
            // These read no names. Counts of buckets and of the cluster leave out what logs hold.
            case Query.GetMap ignored -> List.of();
            case Query.GetStatus ignored -> List.of();
            case Query.SessionOf ignored -> List.of();
            case Query.GrantOf ignored -> List.of();
            case Query.References ignored -> List.of();
            case Query.SessionChanges ignored -> List.of();
            case Query.FindInode ignored -> List.of();
            case Query.OfDocument ignored -> List.of();
            case Query.FindUpload ignored -> List.of();
            case Query.ListUploads ignored -> List.of();
            case Query.ListParts ignored -> List.of();
            case Query.ListBuckets ignored -> List.of();
            case Query.ListEvidence ignored -> List.of();
            case Query.FindEvidence ignored -> List.of();
            case Query.ListNodeFaults ignored -> List.of();
            case Query.GetThreat ignored -> List.of();
            case Query.ListPrincipals ignored -> List.of();
            case Query.CountWriters ignored -> List.of();
            case Query.ListGrants ignored -> List.of();
            case Query.ListActFor ignored -> List.of();
            case Query.OfAccessKey ignored -> List.of();
            // Events that logs hold appear when these are closed.
            case Query.OfEvents ignored -> List.of();
            case Query.ListReleases ignored -> List.of();
            case Query.ListAudit ignored -> List.of();
            case Query.ListSuspensions ignored -> List.of();
            case Query.GetGenesis ignored -> List.of();
            case Query.ListReplicas ignored -> List.of();
            case Query.OfLocking ignored -> List.of();
        };
    }
}
