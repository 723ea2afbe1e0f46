package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.Command.AbandonRanges;
import io.bulwark.protocol.metadata.Command.AbortChange;
import io.bulwark.protocol.metadata.Command.AddPrincipal;
import io.bulwark.protocol.metadata.Command.ChangeHolder;
import io.bulwark.protocol.metadata.Command.ChangePolicy;
import io.bulwark.protocol.metadata.Command.ChangeReplicas;
import io.bulwark.protocol.metadata.Command.CloseSession;
import io.bulwark.protocol.metadata.Command.ConfirmEpoch;
import io.bulwark.protocol.metadata.Command.CopyObject;
import io.bulwark.protocol.metadata.Command.CreateBucket;
import io.bulwark.protocol.metadata.Command.CreateVolume;
import io.bulwark.protocol.metadata.Command.DeleteBucket;
import io.bulwark.protocol.metadata.Command.DeleteObject;
import io.bulwark.protocol.metadata.Command.DeleteVolume;
import io.bulwark.protocol.metadata.Command.InvitePrincipal;
import io.bulwark.protocol.metadata.Command.LiftSuspension;
import io.bulwark.protocol.metadata.Command.PutObject;
import io.bulwark.protocol.metadata.Command.RefillInode;
import io.bulwark.protocol.metadata.Command.RegisterPending;
import io.bulwark.protocol.metadata.Command.RemoveNode;
import io.bulwark.protocol.metadata.Command.RenameObject;
import io.bulwark.protocol.metadata.Command.RenewSession;
import io.bulwark.protocol.metadata.Command.ReportEvidence;
import io.bulwark.protocol.metadata.Command.ReportPoison;
import io.bulwark.protocol.metadata.Command.RevokePrincipal;
import io.bulwark.protocol.metadata.Command.RotateKey;
import io.bulwark.protocol.metadata.Command.SealEpoch;
import io.bulwark.protocol.metadata.Command.SetActFor;
import io.bulwark.protocol.metadata.Command.SetGrant;
import io.bulwark.protocol.metadata.Command.SetNode;
import io.bulwark.protocol.metadata.Command.SetRelease;
import io.bulwark.protocol.metadata.Command.SetVolumePolicy;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectContent;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.OwnContent;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Optional;

/** Canonical bytes of commands: one byte of type, then the fields in their order. */
final class CommandCodec {
    private static final Verdict[] VERDICTS = Verdict.values();
    private static final Command.DeleteMode[] DELETE_MODES = Command.DeleteMode.values();

    private CommandCodec() {}

    static void write(Command command, WireWriter out) {
        switch (command) {
            case RenewSession ignored -> out.u8(1);
            case CloseSession ignored -> out.u8(2);
            case CreateVolume create -> {
                out.u8(3).string(create.name()).u8(create.kind().ordinal());
                create.policy().write(out);
                out.i64(create.blocks()).i32(create.groups()).i64(create.quotaBytes());
            }
            case DeleteVolume delete -> out.u8(4).string(delete.name());
            case CreateBucket create -> BucketCodec.write(create, out.u8(5));
            case DeleteBucket delete -> out.u8(6).string(delete.name());
            case PutObject put -> writePut(put, out.u8(7));
            case RegisterPending pending -> Lists.write(pending.ranges(), out.u8(8), BlockRange::write);
            case AbandonRanges abandon -> {
                Lists.write(abandon.ranges(), out.u8(9), BlockRange::write);
                Lists.write(abandon.pending(), out, (id, to) -> to.i64(id));
            }
            case DeleteObject delete -> {
                out.u8(10).string(delete.bucket()).string(delete.key()).i64(delete.version());
                delete.condition().write(out);
                out.u8(delete.mode().ordinal());
            }
            case RenameObject rename -> writeRename(rename, out.u8(11));
            case CopyObject copy -> writeCopy(copy, out.u8(12));
            case ReportEvidence report -> writeReport(report, out.u8(13));
            case AddPrincipal add -> writeAddition(add, out.u8(14));
            case RotateKey rotate -> writeRotation(rotate, out.u8(15));
            case RevokePrincipal revoke -> revoke.principal().write(out.u8(16));
            case SetGrant set -> writeGrant(set, out.u8(17));
            case SetRelease set -> out.u8(18).raw(set.hash()).bool(set.allowed());
            case InvitePrincipal invite -> writeInvitation(invite, out);
            case ReportPoison report -> {
                report.client().write(out.u8(20));
                report.block().write(out);
                out.i64(report.session()).string(report.detail());
            }
            case LiftSuspension lift -> lift.client().write(out.u8(21));
            case ChangeHolder ignored -> writeOfEpoch(command, out);
            case AbortChange ignored -> writeOfEpoch(command, out);
            case ChangePolicy change ->
                out.u8(30).string(change.volume()).i32(change.faults()).i32(change.faultsMax());
            case SetVolumePolicy set -> set.policy().write(out.u8(31).string(set.volume()));
            case RefillInode refill -> writeRefill(refill, out.u8(32));
            case SealEpoch ignored -> writeOfEpoch(command, out);
            case ConfirmEpoch ignored -> writeOfEpoch(command, out);
            case SetNode set -> set.address().write(out.u8(26));
            case RemoveNode remove -> out.u8(27).i32(remove.node());
            case ChangeReplicas change -> writeReplicas(change, out);
            case SetActFor set -> writeActFor(set, out.u8(29));
            case Command.OfSetting setting -> BucketCodec.write(setting, out);
            case Command.OfAccessKey ofKey -> AccessKeyCodec.write(ofKey, out);
            case Command.OfEvents events -> EventCodec.write(events, out);
            case Command.OfUpload upload -> UploadCodec.write(upload, out);
            case Command.OfLocking locking -> LockingCodec.write(locking, out);
            case Command.OfNodeFault fault -> FaultCodec.write(fault, out);
            case Command.OfThreat threat -> ThreatCodec.write(threat, out);
        }
    }

    private static void writeRename(RenameObject rename, WireWriter out) {
        out.string(rename.bucket()).string(rename.key());
        out.string(rename.toBucket()).string(rename.toKey());
        rename.condition().write(out);
    }

    private static void writeCopy(CopyObject copy, WireWriter out) {
        out.string(copy.bucket()).string(copy.key()).i64(copy.version());
        out.string(copy.toBucket()).string(copy.toKey());
        copy.condition().write(out);
        out.bool(copy.attributes().isPresent());
        copy.attributes().ifPresent(attributes -> attributes.write(out));
        copy.lock().write(out);
    }

    private static void writeAddition(AddPrincipal add, WireWriter out) {
        add.principal().write(out);
        add.key().write(out);
    }

    private static void writeRotation(RotateKey rotate, WireWriter out) {
        rotate.principal().write(out);
        Lists.write(rotate.keys(), out, PrincipalKey::write);
    }

    private static void writeGrant(SetGrant set, WireWriter out) {
        set.client().write(out);
        set.scope().write(out);
        set.rights().write(out);
    }

    private static void writeReport(ReportEvidence report, WireWriter out) {
        report.block().write(out.i32(report.node()));
        writeVerdict(report.verdict(), out);
        out.string(report.detail());
    }

    private static void writeActFor(SetActFor set, WireWriter out) {
        set.door().write(out);
        set.person().write(out);
        set.ceiling().write(out);
    }

    private static void writeReplicas(ChangeReplicas change, WireWriter out) {
        Lists.write(change.leaving(), out.u8(28).i64(change.number()), PrincipalId::write);
        Lists.write(change.coming(), out, Member::write);
    }

    private static void writeInvitation(InvitePrincipal invite, WireWriter out) {
        invite.principal().write(out.u8(19));
        invite.key().write(out);
        out.i64(invite.expiresMillis());
    }

    private static void writeOfEpoch(Command command, WireWriter out) {
        switch (command) {
            case ChangeHolder change ->
                out.u8(22)
                        .string(change.volume())
                        .i32(change.group())
                        .i64(change.epoch())
                        .i32(change.from())
                        .i32(change.to());
            case AbortChange abort ->
                out.u8(23).string(abort.volume()).i32(abort.group()).i64(abort.epoch());
            case SealEpoch seal ->
                out.u8(24).i32(seal.volume()).i32(seal.group()).i64(seal.epoch());
            case ConfirmEpoch confirm ->
                out.u8(25).i32(confirm.volume()).i32(confirm.group()).i64(confirm.epoch());
            default -> throw new IllegalStateException("unexpected command " + command);
        }
    }

    static Command read(WireReader in) {
        int type = in.u8();
        return switch (type) {
            case 1 -> new RenewSession();
            case 2 -> new CloseSession();
            case 3 ->
                new CreateVolume(
                        name(in),
                        in.bool() ? VolumeKind.REGISTER : VolumeKind.OBJECT,
                        ProtectionPolicy.read(in),
                        in.nonNegative64(),
                        in.i32(),
                        in.nonNegative64());
            case 4 -> new DeleteVolume(name(in));
            case 5 -> BucketCodec.readCreation(in);
            case 6 -> new DeleteBucket(name(in));
            case 7 -> readPut(in);
            case 8 -> new RegisterPending(Lists.read(in, Command.RANGES_MAX, BlockRange::read));
            case 9 -> readAbandon(in);
            case 10 -> new DeleteObject(name(in), name(in), in.nonNegative64(), Condition.read(in), readDeleteMode(in));
            case 11 -> new RenameObject(name(in), name(in), name(in), name(in), Condition.read(in));
            case 12 -> readCopy(in);
            case 13 ->
                new ReportEvidence(
                        in.i32(0, Integer.MAX_VALUE),
                        BlockId.read(in),
                        readVerdict(in),
                        in.string(Command.DETAIL_BYTES_MAX));
            case 14 -> new AddPrincipal(PrincipalId.read(in), PrincipalKey.read(in));
            case 15 -> new RotateKey(PrincipalId.read(in), Lists.read(in, Command.KEYS_MAX, PrincipalKey::read));
            case 16 -> new RevokePrincipal(PrincipalId.read(in));
            case 17 -> new SetGrant(PrincipalId.read(in), Scope.read(in), Rights.read(in));
            case 18 -> new SetRelease(in.raw(Command.RELEASE_BYTES), in.bool());
            case 19 -> new InvitePrincipal(PrincipalId.read(in), PrincipalKey.read(in), in.nonNegative64());
            case 20 ->
                new ReportPoison(
                        PrincipalId.read(in),
                        BlockId.read(in),
                        in.nonNegative64(),
                        in.string(Command.DETAIL_BYTES_MAX));
            case 21 -> new LiftSuspension(PrincipalId.read(in));
            case 22 -> new ChangeHolder(name(in), number(in), in.nonNegative64(), number(in), number(in));
            case 23 -> new AbortChange(name(in), number(in), in.nonNegative64());
            case 30 -> new ChangePolicy(name(in), number(in), number(in));
            case 31 -> new SetVolumePolicy(name(in), ProtectionPolicy.read(in));
            case 32 -> readRefill(in);
            case 24 -> new SealEpoch(number(in), number(in), in.nonNegative64());
            case 25 -> new ConfirmEpoch(number(in), number(in), in.nonNegative64());
            case 26 -> new SetNode(NodeAddress.read(in));
            case 27 -> new RemoveNode(number(in));
            case 28 ->
                new ChangeReplicas(
                        in.nonNegative64(),
                        Lists.read(in, Command.REPLICAS_CHANGED, PrincipalId::read),
                        Lists.read(in, Command.REPLICAS_CHANGED, Member::read));
            case 29 -> new SetActFor(PrincipalId.read(in), PrincipalId.read(in), Rights.read(in));
            case BucketCodec.UPDATE_BUCKET,
                    BucketCodec.PUT_DOCUMENT,
                    BucketCodec.REMOVE_DOCUMENT,
                    BucketCodec.SET_TAGS,
                    BucketCodec.SET_RETENTION,
                    BucketCodec.SET_LEGAL_HOLD -> BucketCodec.read(type, in);
            case 50, 51, 52 -> AccessKeyCodec.read(type, in);
            case 90, 91, 92 -> EventCodec.read(type, in);
            case 70, 71, 72 -> LockingCodec.read(type, in);
            case 80, 81, 82 -> FaultCodec.read(type, in);
            case 84, 85 -> ThreatCodec.read(type, in);
            default -> UploadCodec.read(type, in);
        };
    }

    private static AbandonRanges readAbandon(WireReader in) {
        return new AbandonRanges(
                Lists.read(in, Command.RANGES_MAX, BlockRange::read),
                Lists.read(in, Command.PENDING_MAX, WireReader::nonNegative64));
    }

    private static CopyObject readCopy(WireReader in) {
        return new CopyObject(
                name(in),
                name(in),
                in.nonNegative64(),
                name(in),
                name(in),
                Condition.read(in),
                in.bool() ? Optional.of(ObjectAttributes.read(in)) : Optional.empty(),
                ObjectLock.read(in));
    }

    private static Command.DeleteMode readDeleteMode(WireReader in) {
        int mode = in.u8();
        if (mode >= DELETE_MODES.length) {
            throw new MalformedException("unknown mode of deletion " + mode);
        }
        return DELETE_MODES[mode];
    }

    static void writeVerdict(Verdict verdict, WireWriter out) {
        out.u8(verdict.ordinal());
    }

    static Verdict readVerdict(WireReader in) {
        int code = in.u8();
        if (code >= VERDICTS.length) {
            throw new MalformedException("unknown verdict " + code);
        }
        return VERDICTS[code];
    }

    private static void writePut(PutObject put, WireWriter out) {
        out.string(put.bucket()).string(put.key());
        put.condition().write(out);
        ObjectContent.write(put.content(), out);
        put.attributes().write(out);
        put.lock().write(out);
        Lists.write(put.epochs(), out, EpochClaim::write);
        Lists.write(put.pending(), out, (id, to) -> to.i64(id));
    }

    private static PutObject readPut(WireReader in) {
        return new PutObject(
                name(in),
                name(in),
                Condition.read(in),
                OwnContent.read(in),
                ObjectAttributes.read(in),
                ObjectLock.read(in),
                Lists.read(in, Volume.GROUPS_MAX, EpochClaim::read),
                Lists.read(in, Command.PENDING_MAX, WireReader::nonNegative64));
    }

    private static void writeRefill(RefillInode refill, WireWriter out) {
        ObjectContent.write(refill.content(), out.i64(refill.inode()));
        Lists.write(refill.epochs(), out, EpochClaim::write);
        Lists.write(refill.pending(), out, (id, to) -> to.i64(id));
    }

    private static RefillInode readRefill(WireReader in) {
        return new RefillInode(
                in.nonNegative64(),
                OwnContent.read(in),
                Lists.read(in, Volume.GROUPS_MAX, EpochClaim::read),
                Lists.read(in, Command.PENDING_MAX, WireReader::nonNegative64));
    }

    private static int number(WireReader in) {
        return in.i32(0, Integer.MAX_VALUE);
    }

    private static String name(WireReader in) {
        return in.string(Names.WIRE_BYTES_MAX);
    }
}
