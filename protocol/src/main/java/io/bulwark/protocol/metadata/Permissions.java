package io.bulwark.protocol.metadata;

import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.Grants.Right;
import java.util.List;
import java.util.Optional;

/** Required grant of each command and query. A principal without it gets that error before any about the state. */
final class Permissions {
    private final Tables tables;
    private final Volumes volumes;
    private final Grants grants;

    Permissions(Tables tables, Volumes volumes, Grants grants) {
        this.tables = tables;
        this.volumes = volumes;
        this.grants = grants;
    }

    void check(Authority by, Session session, Command command) {
        Grants.require(
                !tables.invitations.contains(by.sender()) || mayWhenInvited(by, command),
                by,
                "do anything before it has registered a key of its own");
        if (by.onBehalfOf().isPresent()) {
            ownCommand(command).ifPresent(action -> Grants.require(false, by, action + ", only for itself"));
        }
        switch (command) {
            case Command.RenewSession ignored -> {}
            case Command.CloseSession ignored -> {}
            case Command.OfVolume ignored -> requireVolumeChange(by);
            case Command.ReportEvidence ignored -> Grants.require(isNode(by), by, "report evidence");
            case Command.ReportPoison ignored -> Grants.require(isNode(by), by, "report poison");
            case Command.ReportPeers ignored -> Grants.require(isNode(by), by, "report on its peers");
            case Command.SetFaultPolicy ignored -> requireNodeChange(by);
            case Command.ForgiveNode ignored -> requireNodeChange(by);
            case Command.OfThreat threat -> checkThreat(by, threat);
            case Command.ChangeHolder ignored -> requireHolderChange(by);
            case Command.AbortChange ignored -> requireHolderChange(by);
            case Command.ChangePolicy ignored -> requireHolderChange(by);
            case Command.SetNode ignored -> requireNodeChange(by);
            case Command.RemoveNode ignored -> requireNodeChange(by);
            case Command.ChangeReplicas ignored -> Grants.require(mayAdminister(by), by, "change the set of replicas");
            case Command.SealEpoch ignored -> requireHolder(by);
            case Command.ConfirmEpoch ignored -> requireHolder(by);
            case Command.LiftSuspension ignored -> Grants.require(mayAdminister(by), by, "lift suspensions");
            case Command.CreateBucket create ->
                Grants.require(mayActOnVolume(by, create.volume(), Right.WRITE), by, "write");
            case Command.DeleteBucket delete -> require(by, delete.name(), Right.WRITE);
            case Command.OfSetting setting -> checkSetting(by, setting);
            case Command.PutObject put -> require(by, put.bucket(), Right.WRITE);
            case Command.DeleteObject delete -> {
                require(by, delete.bucket(), Right.WRITE);
                requireBypass(by, delete.bucket(), delete.mode() == Command.DeleteMode.BYPASS_GOVERNANCE);
            }
            case Command.RenameObject rename -> {
                require(by, rename.bucket(), Right.WRITE);
                require(by, rename.toBucket(), Right.WRITE);
            }
            case Command.CopyObject copy -> {
                require(by, copy.bucket(), Right.READ);
                require(by, copy.toBucket(), Right.WRITE);
            }
            case Command.OfUpload upload -> checkUpload(by, upload);
            case Command.RegisterPending ignored -> requireWrite(by, session);
            case Command.AbandonRanges ignored -> requireWrite(by, session);
            case Command.AddPrincipal ignored -> requirePrincipalChange(by);
            case Command.RevokePrincipal ignored -> requirePrincipalChange(by);
            case Command.InvitePrincipal ignored -> requirePrincipalChange(by);
            case Command.RotateKey rotate ->
                Grants.require(
                        mayAdminister(by) || by.principal().equals(rotate.principal()),
                        by,
                        "change the key of " + rotate.principal());
            case Command.SetRelease ignored -> Grants.require(mayAdminister(by), by, "allow releases");
            case Command.SetGrant set -> Grants.require(mayGrant(by, set.scope()), by, "give grants there");
            case Command.OfAccessKey ignored -> Grants.require(mayAdminister(by), by, "change access keys");
            case Command.OfEvents events -> checkEvents(by, events);
            case Command.SetActFor ignored -> Grants.require(mayAdminister(by), by, "let principals act for others");
            case Command.Lock lock ->
                lock.subtrees().stream()
                        .map(Subtree::bucket)
                        .distinct()
                        .forEach(bucket -> require(by, bucket, Right.WRITE));
            case Command.Unlock ignored -> {}
            case Command.OpenRound open -> require(by, open.subtree().bucket(), Right.READ);
        }
    }

    private void checkThreat(Authority by, Command.OfThreat command) {
        switch (command) {
            case Command.ChangeThreat change ->
                Grants.require(
                        mayAdminister(by) || (change.raises() && isFeed(by)),
                        by,
                        (change.raises() ? "raise" : "lower") + " the threat level");
            case Command.SetThreatPolicy ignored ->
                Grants.require(mayAdminister(by), by, "set the policy of the threat level");
        }
    }

    /** Returns whether alarms come from this client, or from a door for it that may write for it. */
    private boolean isFeed(Authority by) {
        return (by.onBehalfOf().isEmpty() || by.includes(Right.WRITE))
                && tables.threatPolicy
                        .get(0)
                        .filter(policy -> policy.feeds().contains(by.principal()))
                        .isPresent();
    }

    private void requireHolderChange(Authority by) {
        Grants.require(mayAdminister(by), by, "change the holders of slots");
    }

    private void requireNodeChange(Authority by) {
        Grants.require(mayAdminister(by), by, "change the set of nodes");
    }

    private void requireHolder(Authority by) {
        Grants.require(isNode(by), by, "speak for a slot");
    }

    private void requireVolumeChange(Authority by) {
        Grants.require(mayAdminister(by), by, "change volumes");
    }

    private void requirePrincipalChange(Authority by) {
        Grants.require(mayAdminister(by), by, "change the principals");
    }

    private void requireWrite(Authority by, Session session) {
        Grants.require(by.includes(Right.WRITE) && grants.mayWrite(by.principal(), session.volume), by, "write");
    }

    private static boolean mayWhenInvited(Authority by, Command command) {
        return switch (command) {
            case Command.RenewSession ignored -> true;
            case Command.CloseSession ignored -> true;
            case Command.RotateKey rotate -> rotate.principal().equals(by.principal());
            default -> false;
        };
    }

    /**
     * Returns the name of a command that nobody gives on behalf of another. Sessions are the sender's, and nodes report
     * what they saw themselves. Keys and replicas follow from the audit log alone ({@link OperatorAuthorization}), which
     * cannot show the rights that the person had then.
     */
    private static Optional<String> ownCommand(Command command) {
        return switch (command) {
            case Command.RenewSession ignored -> Optional.of("renew or close sessions");
            case Command.CloseSession ignored -> Optional.of("renew or close sessions");
            case Command.ReportEvidence ignored -> Optional.of("report as a node");
            case Command.ReportPoison ignored -> Optional.of("report as a node");
            case Command.ReportPeers ignored -> Optional.of("report as a node");
            case Command.SealEpoch ignored -> Optional.of("report as a node");
            case Command.ConfirmEpoch ignored -> Optional.of("report as a node");
            case Command.RotateKey ignored -> Optional.of("change keys");
            case Command.ChangeReplicas ignored -> Optional.of("change the set of replicas");
            default -> Optional.empty();
        };
    }

    private void checkSetting(Authority by, Command.OfSetting command) {
        switch (command) {
            case Command.UpdateBucket update -> {
                if (update.change().quotaBytes().isPresent()) {
                    Grants.require(mayActOnBucket(by, update.name(), Right.ADMINISTER), by, "change quotas");
                }
                requireKeeper(by, update.name());
            }
            case Command.PutDocument put -> requireKeeper(by, put.bucket());
            case Command.RemoveDocument remove -> requireKeeper(by, remove.bucket());
            case Command.SetTags set -> require(by, set.bucket(), Right.WRITE);
            case Command.SetRetention set -> {
                require(by, set.bucket(), Right.WRITE);
                requireBypass(by, set.bucket(), set.bypassGovernance());
            }
            case Command.SetLegalHold set -> {
                require(by, set.bucket(), Right.WRITE);
                if (!set.held()) {
                    requireKeeper(by, set.bucket());
                }
            }
        }
    }

    private void checkEvents(Authority by, Command.OfEvents command) {
        switch (command) {
            case Command.SetWebhook ignored -> Grants.require(mayAdminister(by), by, "change webhooks");
            case Command.RemoveWebhook ignored -> Grants.require(mayAdminister(by), by, "change webhooks");
            case Command.ClaimEvents claim -> requireKeeper(by, claim.bucket());
        }
    }

    private void checkUpload(Authority by, Command.OfUpload command) {
        switch (command) {
            case Command.ComposeObject compose -> {
                requireRead(by, compose.slices());
                require(by, compose.bucket(), Right.WRITE);
            }
            case Command.BeginUpload begin -> require(by, begin.bucket(), Right.WRITE);
            case Command.PutPart put -> require(by, put.upload().bucket(), Right.WRITE);
            case Command.CopyPart copy -> {
                requireRead(by, copy.slices());
                require(by, copy.upload().bucket(), Right.WRITE);
            }
            case Command.CompleteUpload complete ->
                require(by, complete.upload().bucket(), Right.WRITE);
            case Command.AbortUpload abort -> require(by, abort.upload().bucket(), Right.WRITE);
        }
    }

    /** For the queries that read the namespace. */
    void check(Authority by, Query query) {
        switch (query) {
            case Query.FindObject find -> require(by, find.bucket(), Right.READ);
            case Query.ListObjects list -> require(by, list.bucket(), Right.READ);
            case Query.ListVersions list -> require(by, list.bucket(), Right.READ);
            case Query.FindSlices find -> require(by, find.bucket(), Right.READ);
            case Query.FindUpload find -> requireUse(by, find.upload().bucket());
            case Query.ListUploads list -> requireUse(by, list.bucket());
            case Query.ListParts list -> requireUse(by, list.upload().bucket());
            case Query.ListEvents list -> require(by, list.bucket(), Right.READ);
            case Query.FindDocument find ->
                Grants.require(
                        actsForCreator(by, find.bucket())
                                || mayActOnBucket(by, find.bucket(), Right.READ)
                                || isNode(by),
                        by,
                        "read");
            case Query.ListDocuments list -> require(by, list.bucket(), Right.READ);
            // Names of buckets, and whether an inode is there, are for everybody who may read anything.
            default ->
                Grants.require(
                        isNode(by) || (by.includes(Right.READ) && grants.mayReadSomewhere(by.principal())), by, "read");
        }
    }

    boolean mayAdminister(Authority by) {
        return allows(by, Right.ADMINISTER);
    }

    boolean isNode(Authority by) {
        return by.onBehalfOf().isEmpty() && grants.isNode(by.sender());
    }

    private boolean allows(Authority by, Right right) {
        return by.includes(right) && grants.allows(by.principal(), right);
    }

    private boolean mayGrant(Authority by, Scope scope) {
        return switch (scope) {
            case Scope.All ignored -> mayAdminister(by);
            case Scope.OfVolume of -> mayActOnVolume(by, of.name(), Right.ADMINISTER);
            case Scope.OfBucket of -> mayActOnBucket(by, of.name(), Right.ADMINISTER);
        };
    }

    private void require(Authority by, String bucket, Right right) {
        Grants.require(
                mayActOnBucket(by, bucket, right) || (right == Right.READ && isNode(by)),
                by,
                right == Right.READ ? "read" : "write");
    }

    private void requireRead(Authority by, List<ObjectRange> slices) {
        slices.stream().map(ObjectRange::bucket).distinct().forEach(bucket -> require(by, bucket, Right.READ));
    }

    /**
     * Returns whether a door may read for the creator of a bucket. It could ask on behalf of him, but does not know who he
     * is before it has the rules for those who have not signed in.
     */
    private boolean actsForCreator(Authority by, String name) {
        return by.onBehalfOf().isEmpty()
                && bucket(name)
                        .flatMap(bucket -> tables.actFor.get(new Tables.ActForKey(by.sender(), bucket.creator)))
                        .filter(Right.READ::in)
                        .isPresent();
    }

    /** Uploads are for those who read the bucket, and for those who only write to it. */
    private void requireUse(Authority by, String bucket) {
        if (!mayActOnBucket(by, bucket, Right.WRITE)) {
            require(by, bucket, Right.READ);
        }
    }

    /** Requires the creator of a bucket, as long as it may write there, or the right to administer the bucket. */
    private void requireKeeper(Authority by, String name) {
        boolean creator = bucket(name)
                        .filter(bucket -> bucket.creator.equals(by.principal()))
                        .isPresent()
                && mayActOnBucket(by, name, Right.WRITE);
        Grants.require(creator || mayActOnBucket(by, name, Right.ADMINISTER), by, "change settings of bucket " + name);
    }

    private void requireBypass(Authority by, String bucket, boolean bypass) {
        Grants.require(!bypass || mayActOnBucket(by, bucket, Right.ADMINISTER), by, "bypass governance");
    }

    private boolean mayActOnVolume(Authority by, String name, Right right) {
        if (allows(by, right)) {
            return true;
        }
        Optional<Integer> id = volumes.idOf(name);
        return id.isPresent() && by.includes(right) && grants.mayActOnVolume(by.principal(), id.get(), right);
    }

    private boolean mayActOnBucket(Authority by, String name, Right right) {
        if (allows(by, right)) {
            return true;
        }
        Optional<Bucket> bucket = bucket(name);
        return bucket.isPresent() && by.includes(right) && grants.mayActOnBucket(by.principal(), bucket.get(), right);
    }

    private Optional<Bucket> bucket(String name) {
        return Names.problemOfName(name).isPresent() ? Optional.empty() : tables.buckets.find(name);
    }
}
