package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Grants.Right;
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

    void check(PrincipalId by, Session session, Command command) {
        Grants.require(
                !tables.invitations.contains(by) || mayWhenInvited(by, command),
                by,
                "do anything before it has registered a key of its own");
        switch (command) {
            case Command.RenewSession _, Command.CloseSession _ -> {}
            case Command.CreateVolume _, Command.DeleteVolume _ ->
                Grants.require(grants.mayAdminister(by), by, "change volumes");
            case Command.ReportEvidence _ -> Grants.require(grants.isNode(by), by, "report evidence");
            case Command.ReportPoison _ -> Grants.require(grants.isNode(by), by, "report poison");
            case Command.ChangeHolder _, Command.AbortChange _ ->
                Grants.require(grants.mayAdminister(by), by, "change the holders of slots");
            case Command.SetNode _, Command.RemoveNode _ ->
                Grants.require(grants.mayAdminister(by), by, "change the set of nodes");
            case Command.ChangeReplicas _ -> Grants.require(grants.mayAdminister(by), by, "change the set of replicas");
            case Command.SealEpoch _, Command.ConfirmEpoch _ ->
                Grants.require(grants.isNode(by), by, "speak for a slot");
            case Command.LiftSuspension _ -> Grants.require(grants.mayAdminister(by), by, "lift suspensions");
            case Command.CreateBucket create ->
                Grants.require(mayActOnVolume(by, create.volume(), Right.WRITE), by, "write");
            case Command.DeleteBucket delete -> require(by, delete.name(), Right.WRITE);
            case Command.PutObject put -> require(by, put.bucket(), Right.WRITE);
            case Command.DeleteObject delete -> require(by, delete.bucket(), Right.WRITE);
            case Command.RenameObject rename -> {
                require(by, rename.bucket(), Right.WRITE);
                require(by, rename.toBucket(), Right.WRITE);
            }
            case Command.CopyObject copy -> {
                require(by, copy.bucket(), Right.READ);
                require(by, copy.toBucket(), Right.WRITE);
            }
            case Command.RegisterPending _, Command.AbandonRanges _ ->
                Grants.require(grants.mayWrite(by, session.volume), by, "write");
            case Command.AddPrincipal _, Command.RevokePrincipal _, Command.InvitePrincipal _ ->
                Grants.require(grants.mayAdminister(by), by, "change the principals");
            case Command.RotateKey rotate ->
                Grants.require(
                        grants.mayAdminister(by) || by.equals(rotate.principal()),
                        by,
                        "change the key of " + rotate.principal());
            case Command.SetRelease _ -> Grants.require(grants.mayAdminister(by), by, "allow releases");
            case Command.SetGrant set -> Grants.require(mayGrant(by, set.scope()), by, "give grants there");
        }
    }

    private static boolean mayWhenInvited(PrincipalId by, Command command) {
        return switch (command) {
            case Command.RenewSession _, Command.CloseSession _ -> true;
            case Command.RotateKey rotate -> rotate.principal().equals(by);
            default -> false;
        };
    }

    /** For the queries that read the namespace. */
    void check(PrincipalId by, Query query) {
        switch (query) {
            case Query.FindObject find -> require(by, find.bucket(), Right.READ);
            case Query.ListObjects list -> require(by, list.bucket(), Right.READ);
            case Query.ListVersions list -> require(by, list.bucket(), Right.READ);
            // Names of buckets, and whether an inode is there, are for everybody who may read anything.
            default -> Grants.require(grants.isNode(by) || grants.mayReadSomewhere(by), by, "read");
        }
    }

    private boolean mayGrant(PrincipalId by, Scope scope) {
        return switch (scope) {
            case Scope.All _ -> grants.mayAdminister(by);
            case Scope.OfVolume of -> mayActOnVolume(by, of.name(), Right.ADMINISTER);
            case Scope.OfBucket of -> mayActOnBucket(by, of.name(), Right.ADMINISTER);
        };
    }

    private void require(PrincipalId by, String bucket, Right right) {
        Grants.require(
                mayActOnBucket(by, bucket, right) || (right == Right.READ && grants.isNode(by)),
                by,
                right == Right.READ ? "read" : "write");
    }

    private boolean mayActOnVolume(PrincipalId by, String name, Right right) {
        if (grants.allows(by, right)) {
            return true;
        }
        Optional<Integer> id = volumes.idOf(name);
        return id.isPresent() && grants.mayActOnVolume(by, id.get(), right);
    }

    private boolean mayActOnBucket(PrincipalId by, String name, Right right) {
        if (grants.allows(by, right)) {
            return true;
        }
        Optional<Bucket> bucket = Names.problemOfName(name).isPresent() ? Optional.empty() : tables.buckets.find(name);
        return bucket.isPresent() && grants.mayActOnBucket(by, bucket.get(), right);
    }
}
