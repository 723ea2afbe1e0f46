package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.Reply.ActForEntry;
import io.bulwark.protocol.metadata.Reply.ActForList;
import io.bulwark.protocol.metadata.Reply.AuditList;
import io.bulwark.protocol.metadata.Reply.BucketEntry;
import io.bulwark.protocol.metadata.Reply.BucketList;
import io.bulwark.protocol.metadata.Reply.Deleted;
import io.bulwark.protocol.metadata.Reply.Done;
import io.bulwark.protocol.metadata.Reply.EvidenceEntry;
import io.bulwark.protocol.metadata.Reply.EvidenceFound;
import io.bulwark.protocol.metadata.Reply.EvidenceList;
import io.bulwark.protocol.metadata.Reply.Failed;
import io.bulwark.protocol.metadata.Reply.GenesisTold;
import io.bulwark.protocol.metadata.Reply.GrantEntry;
import io.bulwark.protocol.metadata.Reply.GrantList;
import io.bulwark.protocol.metadata.Reply.Granted;
import io.bulwark.protocol.metadata.Reply.InodeFound;
import io.bulwark.protocol.metadata.Reply.ObjectEntry;
import io.bulwark.protocol.metadata.Reply.ObjectFound;
import io.bulwark.protocol.metadata.Reply.ObjectList;
import io.bulwark.protocol.metadata.Reply.ObjectStored;
import io.bulwark.protocol.metadata.Reply.PendingRegistered;
import io.bulwark.protocol.metadata.Reply.PoisonReport;
import io.bulwark.protocol.metadata.Reply.PrincipalEntry;
import io.bulwark.protocol.metadata.Reply.PrincipalList;
import io.bulwark.protocol.metadata.Reply.Reference;
import io.bulwark.protocol.metadata.Reply.References;
import io.bulwark.protocol.metadata.Reply.ReleaseList;
import io.bulwark.protocol.metadata.Reply.ReplicaList;
import io.bulwark.protocol.metadata.Reply.Session;
import io.bulwark.protocol.metadata.Reply.SessionChanges;
import io.bulwark.protocol.metadata.Reply.SessionOpened;
import io.bulwark.protocol.metadata.Reply.Status;
import io.bulwark.protocol.metadata.Reply.SuspensionEntry;
import io.bulwark.protocol.metadata.Reply.SuspensionList;
import io.bulwark.protocol.metadata.Reply.VersionEntry;
import io.bulwark.protocol.metadata.Reply.VersionList;
import io.bulwark.protocol.metadata.Reply.VolumeCreated;
import io.bulwark.protocol.metadata.Reply.Writers;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.VersionState;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.Optional;

/** Canonical bytes of replies: one byte of type, then the fields in their order. */
final class ReplyCodec {
    private static final SessionState[] STATES = SessionState.values();

    private ReplyCodec() {}

    static Bytes encode(Reply reply) {
        WireWriter out = new WireWriter();
        switch (reply) {
            case Failed failed -> out.u8(1).u8(failed.error().ordinal()).string(failed.detail());
            case Done ignored -> out.u8(2);
            case SessionOpened opened ->
                out.u8(3).i32(opened.volume()).i64(opened.session()).i64(opened.ttlMillis());
            case VolumeCreated created -> out.u8(4).i32(created.volume());
            case ObjectStored stored -> writeStored(stored, out.u8(5));
            case Reply.Refilled refilled -> out.u8(30).i64(refilled.inode());
            case PendingRegistered registered -> out.u8(6).i64(registered.pending());
            case Deleted deleted ->
                out.u8(7).i64(deleted.version()).bool(deleted.marker()).bool(deleted.isNull());
            case Reply.Map map -> map.map().write(out.u8(8));
            case Status status -> writeStatus(status, out.u8(9));
            case Session session -> out.u8(10).i32(session.state().ordinal());
            case Granted granted -> out.u8(11).bool(granted.mayRead()).bool(granted.mayWrite());
            case References page -> writeReferences(page, out.u8(12));
            case SessionChanges page -> {
                Lists.write(page.changes(), out.u8(13), ReplyCodec::writeChange);
                out.i64(page.next()).bool(page.more());
            }
            case ObjectFound found -> {
                found.state().write(out.u8(14).i64(found.version()).i64(found.linkedMillis()));
                found.inode().write(out);
            }
            case InodeFound found ->
                out.u8(15).bool(found.exists()).bool(found.linked()).bool(found.names());
            case ObjectList list -> writeObjects(list, out.u8(16));
            case VersionList list -> writeVersions(list, out.u8(17));
            case Reply.OfDocument document -> BucketCodec.write(document, out);
            case BucketList list -> {
                Lists.write(list.buckets(), out.u8(18), ReplyCodec::writeBucket);
                out.string(list.next());
            }
            case EvidenceList list -> {
                Lists.write(list.entries(), out.u8(19), ReplyCodec::writeEvidence);
                out.i64(list.next()).bool(list.more());
            }
            case EvidenceFound found -> writeFound(found, out.u8(29));
            case PrincipalList list -> {
                Lists.write(list.principals(), out.u8(20).i64(list.version()), ReplyCodec::writePrincipal);
                list.next().write(out);
            }
            case GrantList list -> Lists.write(list.grants(), out.u8(21), ReplyCodec::writeGrant);
            case ReleaseList list ->
                Lists.write(list.hashes(), out.u8(22).i64(list.version()), (hash, to) -> to.raw(hash));
            case Reply.OfAccessKey ofKey -> AccessKeyCodec.write(ofKey, out);
            case Reply.OfEvents events -> EventCodec.write(events, out);
            case GenesisTold told -> told.genesis().write(out.u8(24));
            case Writers writers -> out.u8(26).i32(writers.count());
            case ReplicaList list -> writeReplicas(list, out.u8(27));
            case SuspensionList list -> {
                Lists.write(list.entries(), out.u8(25), ReplyCodec::writeSuspension);
                list.next().write(out);
            }
            case ActForList list -> {
                Lists.write(list.entries(), out.u8(28), ReplyCodec::writeActFor);
                list.next().write(out);
            }
            case Reply.OfUpload upload -> UploadCodec.write(upload, out);
            case Reply.OfLocking locking -> LockingCodec.write(locking, out);
            case Reply.NodeFaultList list -> FaultCodec.write(list, out);
            case Reply.ThreatState state -> ThreatCodec.write(state, out);
            case AuditList list -> writeAudit(list, out.u8(23));
        }
        return out.toBytes();
    }

    private static void writeReferences(References page, WireWriter out) {
        Lists.write(page.references(), out, ReplyCodec::writeReference);
        out.i64(page.next()).bool(page.more()).i64(page.last());
    }

    private static void writeStored(ObjectStored stored, WireWriter out) {
        out.i64(stored.inode()).i64(stored.version()).i64(stored.linkedMillis()).bool(stored.isNull());
        stored.lock().write(out);
    }

    private static void writeObjects(ObjectList list, WireWriter out) {
        Lists.write(list.objects(), out, ReplyCodec::writeObject);
        Lists.write(list.commonPrefixes(), out, (prefix, to) -> to.string(prefix));
        out.bytes(list.next());
    }

    private static void writeVersions(VersionList list, WireWriter out) {
        Lists.write(list.versions(), out, ReplyCodec::writeVersion);
        Lists.write(list.commonPrefixes(), out, (prefix, to) -> to.string(prefix));
        out.bool(list.more()).string(list.nextKey()).i64(list.nextVersion());
    }

    private static void writeAudit(AuditList list, WireWriter out) {
        Lists.write(list.entries(), out, AuditEntry::write);
        out.i64(list.count()).raw(list.head());
    }

    private static void writeFound(EvidenceFound found, WireWriter out) {
        out.bool(found.evidence().isPresent());
        found.evidence().ifPresent(evidence -> evidence.write(out));
    }

    private static void writeReplicas(ReplicaList list, WireWriter out) {
        list.now().write(out);
        out.bool(list.next().isPresent());
        list.next().ifPresent(next -> next.write(out));
    }

    static Reply decode(Bytes bytes) {
        WireReader in = new WireReader(bytes);
        try {
            Reply reply = read(in.u8(), in);
            in.end();
            return reply;
        } catch (IllegalArgumentException e) {
            throw new MalformedException(e);
        }
    }

    private static Reply read(int type, WireReader in) {
        return switch (type) {
            case 1 -> new Failed(MetadataError.of(in.u8()), in.string(Failed.DETAIL_BYTES_MAX));
            case 2 -> new Done();
            case 3 -> new SessionOpened(in.i32(0, Integer.MAX_VALUE), in.nonNegative64(), in.nonNegative64());
            case 4 -> new VolumeCreated(in.i32(0, Integer.MAX_VALUE));
            case 5 ->
                new ObjectStored(
                        in.nonNegative64(), in.nonNegative64(), in.nonNegative64(), in.bool(), ObjectLock.read(in));
            case 6 -> new PendingRegistered(in.nonNegative64());
            case 7 -> new Deleted(in.nonNegative64(), in.bool(), in.bool());
            case 8 -> new Reply.Map(ClusterMap.read(in));
            case 9 -> readStatus(in);
            case 10 -> new Session(STATES[in.i32(0, STATES.length - 1)]);
            case 11 -> new Granted(in.bool(), in.bool());
            case 12 -> readReferences(in);
            case 13 ->
                new SessionChanges(
                        Lists.read(in, Query.PAGE_MAX, ReplyCodec::readChange), in.nonNegative64(), in.bool());
            case 14 -> new ObjectFound(in.nonNegative64(), in.nonNegative64(), VersionState.read(in), Inode.read(in));
            case 15 -> new InodeFound(in.bool(), in.bool(), in.bool());
            case 16 ->
                new ObjectList(
                        Lists.read(in, Query.PAGE_MAX, ReplyCodec::readObject),
                        Lists.read(in, Query.PAGE_MAX, from -> from.string(Names.KEY_BYTES_MAX)),
                        in.bytes(Query.TOKEN_BYTES_MAX));
            case 17 ->
                new VersionList(
                        Lists.read(in, Query.PAGE_MAX, ReplyCodec::readVersion),
                        Lists.read(in, Query.PAGE_MAX, from -> from.string(Names.KEY_BYTES_MAX)),
                        in.bool(),
                        in.string(Names.KEY_BYTES_MAX),
                        in.nonNegative64());
            case 18 -> new BucketList(Lists.read(in, Query.PAGE_MAX, ReplyCodec::readBucket), name(in));
            case 19 ->
                new EvidenceList(
                        Lists.read(in, Query.PAGE_MAX, ReplyCodec::readEvidence), in.nonNegative64(), in.bool());
            case 20 -> readPrincipals(in);
            case 21 -> new GrantList(Lists.read(in, Query.PAGE_MAX, ReplyCodec::readGrant));
            case 22 ->
                new ReleaseList(
                        in.nonNegative64(),
                        Lists.read(in, Command.RELEASES_MAX, from -> from.raw(Command.RELEASE_BYTES)));
            case 23 ->
                new AuditList(
                        Lists.read(in, Query.PAGE_MAX, AuditEntry::read), in.nonNegative64(), in.raw(Hashes.LENGTH));
            case 24 -> new GenesisTold(GenesisKeys.read(in));
            case 25 ->
                new SuspensionList(Lists.read(in, Query.PAGE_MAX, ReplyCodec::readSuspension), PrincipalId.read(in));
            case 26 -> new Writers(in.i32(0, Integer.MAX_VALUE));
            case 27 ->
                new ReplicaList(
                        Configuration.read(in), in.bool() ? Optional.of(Configuration.read(in)) : Optional.empty());
            case 28 -> new ActForList(Lists.read(in, Query.PAGE_MAX, ReplyCodec::readActFor), PrincipalId.read(in));
            case 29 -> new EvidenceFound(in.bool() ? Optional.of(Evidence.read(in)) : Optional.empty());
            case 30 -> new Reply.Refilled(in.nonNegative64());
            case 90, 91, 92, 93 -> EventCodec.readReply(type, in);
            case 50, 51, 52 -> AccessKeyCodec.readReply(type, in);
            case 60, 61, 62 -> BucketCodec.readReply(type, in);
            case 70, 71, 72 -> LockingCodec.readReply(type, in);
            case 80 -> FaultCodec.readReply(in);
            case 81 -> ThreatCodec.readReply(in);
            default -> UploadCodec.readReply(type, in);
        };
    }

    private static References readReferences(WireReader in) {
        List<Reply.Reference> page = Lists.read(in, Query.PAGE_MAX, ReplyCodec::readReference);
        return new References(page, in.nonNegative64(), in.bool(), in.nonNegative64());
    }

    private static PrincipalList readPrincipals(WireReader in) {
        long version = in.nonNegative64();
        List<PrincipalEntry> page = Lists.read(in, Query.PAGE_MAX, ReplyCodec::readPrincipal);
        return new PrincipalList(version, page, PrincipalId.read(in));
    }

    static void writeSuspension(SuspensionEntry entry, WireWriter out) {
        entry.client().write(out);
        out.i64(entry.sinceMillis()).bool(entry.enforced()).i64(entry.evidence());
        Lists.write(entry.reports(), out, ReplyCodec::writePoison);
    }

    static SuspensionEntry readSuspension(WireReader in) {
        return new SuspensionEntry(
                PrincipalId.read(in),
                in.nonNegative64(),
                in.bool(),
                in.nonNegative64(),
                Lists.read(in, ClusterMap.NODES_MAX, ReplyCodec::readPoison));
    }

    private static void writePoison(PoisonReport report, WireWriter out) {
        report.reporter().write(out);
        report.block().write(out);
        out.i64(report.session()).string(report.detail());
    }

    private static PoisonReport readPoison(WireReader in) {
        return new PoisonReport(
                PrincipalId.read(in), BlockId.read(in), in.nonNegative64(), in.string(Command.DETAIL_BYTES_MAX));
    }

    private static void writePrincipal(PrincipalEntry entry, WireWriter out) {
        entry.principal().write(out);
        Lists.write(entry.keys(), out, PrincipalKey::write);
        out.i64(entry.invitedUntilMillis());
    }

    private static PrincipalEntry readPrincipal(WireReader in) {
        return new PrincipalEntry(
                PrincipalId.read(in), Lists.read(in, Command.KEYS_MAX, PrincipalKey::read), in.nonNegative64());
    }

    private static void writeGrant(GrantEntry entry, WireWriter out) {
        entry.scope().write(out);
        entry.rights().write(out);
    }

    private static GrantEntry readGrant(WireReader in) {
        return new GrantEntry(Scope.read(in), Rights.read(in));
    }

    private static void writeActFor(ActForEntry entry, WireWriter out) {
        entry.person().write(out);
        entry.ceiling().write(out);
    }

    private static ActForEntry readActFor(WireReader in) {
        return new ActForEntry(PrincipalId.read(in), Rights.read(in));
    }

    private static void writeStatus(Status status, WireWriter out) {
        out.i64(status.commands())
                .i64(status.agreedMillis())
                .i32(status.volumes())
                .i32(status.buckets());
        out.i64(status.objects()).i64(status.inodes()).i64(status.bytes());
        Reply.OpenLogs logs = status.logs();
        out.i32(status.openSessions()).i32(logs.logs()).i32(logs.locks()).i64(logs.oldestMillis());
        Lists.write(
                status.older(),
                out,
                (each, to) -> to.i32(each.volume()).u8(each.generation()).i64(each.extents()));
        out.raw(status.digest());
    }

    private static Status readStatus(WireReader in) {
        return new Status(
                in.nonNegative64(),
                in.nonNegative64(),
                in.i32(0, Integer.MAX_VALUE),
                in.i32(0, Integer.MAX_VALUE),
                in.nonNegative64(),
                in.nonNegative64(),
                in.nonNegative64(),
                in.i32(0, Integer.MAX_VALUE),
                new Reply.OpenLogs(in.i32(0, Integer.MAX_VALUE), in.i32(0, Integer.MAX_VALUE), in.nonNegative64()),
                Lists.read(
                        in,
                        Status.OLDER_MAX,
                        from -> new Reply.OlderExtents(
                                from.i32(0, Integer.MAX_VALUE), from.u8(), from.nonNegative64())),
                in.raw(Status.DIGEST_BYTES));
    }

    private static void writeReference(Reference reference, WireWriter out) {
        out.i64(reference.arrival())
                .i64(reference.inode())
                .bool(reference.layout().isPresent());
        reference
                .layout()
                .ifPresentOrElse(
                        layout -> layout.write(out),
                        () -> Lists.write(reference.pendingRanges(), out, BlockRange::write));
    }

    private static Reference readReference(WireReader in) {
        long arrival = in.nonNegative64();
        long inode = in.nonNegative64();
        return in.bool()
                ? new Reference(arrival, inode, Optional.of(ObjectLayout.read(in)), List.of())
                : new Reference(arrival, inode, Optional.empty(), Lists.read(in, Command.RANGES_MAX, BlockRange::read));
    }

    static void writeChange(SessionChange change, WireWriter out) {
        switch (change) {
            case SessionChange.Opened opened -> {
                out.u8(1).i64(opened.sequence());
                opened.owner().write(out);
                out.i64(opened.session()).i32(opened.volume());
            }
            case SessionChange.Closed closed -> {
                out.u8(2).i64(closed.sequence());
                closed.owner().write(out);
                out.i64(closed.session()).i32(closed.volume());
                Lists.write(closed.used(), out, BlockRange::write);
            }
            case SessionChange.Freed freed -> freed.range().write(out.u8(3).i64(freed.sequence()));
            case SessionChange.Collapsed collapsed -> {
                out.u8(4).i64(collapsed.sequence());
                collapsed.owner().write(out);
                out.i64(collapsed.firstSession()).i64(collapsed.lastSession());
            }
        }
    }

    static SessionChange readChange(WireReader in) {
        int type = in.u8();
        long sequence = in.nonNegative64();
        return switch (type) {
            case 1 ->
                new SessionChange.Opened(
                        sequence, PrincipalId.read(in), in.nonNegative64(), in.i32(0, Integer.MAX_VALUE));
            case 2 ->
                new SessionChange.Closed(
                        sequence,
                        PrincipalId.read(in),
                        in.nonNegative64(),
                        in.i32(0, Integer.MAX_VALUE),
                        Lists.read(in, SessionChange.INTERVALS_MAX, BlockRange::read));
            case 3 -> new SessionChange.Freed(sequence, BlockRange.read(in));
            case 4 ->
                new SessionChange.Collapsed(sequence, PrincipalId.read(in), in.nonNegative64(), in.nonNegative64());
            default -> throw new MalformedException("unknown change " + type);
        };
    }

    private static void writeObject(ObjectEntry entry, WireWriter out) {
        out.string(entry.key()).i64(entry.version()).i64(entry.inode());
        out.i64(entry.length()).i64(entry.linkedMillis());
        entry.state().write(out);
    }

    private static ObjectEntry readObject(WireReader in) {
        return new ObjectEntry(
                in.string(Names.KEY_BYTES_MAX),
                in.nonNegative64(),
                in.nonNegative64(),
                in.nonNegative64(),
                in.nonNegative64(),
                VersionState.read(in));
    }

    private static void writeVersion(VersionEntry entry, WireWriter out) {
        out.string(entry.key()).i64(entry.version()).bool(entry.latest());
        out.i64(entry.inode()).i64(entry.length()).i64(entry.linkedMillis());
        entry.state().write(out);
    }

    private static VersionEntry readVersion(WireReader in) {
        return new VersionEntry(
                in.string(Names.KEY_BYTES_MAX),
                in.nonNegative64(),
                in.bool(),
                in.nonNegative64(),
                in.nonNegative64(),
                in.nonNegative64(),
                VersionState.read(in));
    }

    private static void writeBucket(BucketEntry entry, WireWriter out) {
        entry.creator().write(out.string(entry.name()));
        entry.settings().write(out.i32(entry.volume()));
        out.i64(entry.objects()).i64(entry.bytes()).i64(entry.createdMillis());
    }

    private static BucketEntry readBucket(WireReader in) {
        return new BucketEntry(
                name(in),
                PrincipalId.read(in),
                in.i32(0, Integer.MAX_VALUE),
                BucketSettings.read(in),
                in.nonNegative64(),
                in.nonNegative64(),
                in.nonNegative64());
    }

    private static void writeEvidence(EvidenceEntry entry, WireWriter out) {
        entry.about().write(out.i64(entry.number()));
        entry.block().write(out);
        CommandCodec.writeVerdict(entry.verdict(), out);
        Lists.write(entry.reporters(), out, PrincipalId::write);
        out.i64(entry.agreedMillis()).string(entry.detail());
    }

    private static EvidenceEntry readEvidence(WireReader in) {
        return new EvidenceEntry(
                in.nonNegative64(),
                PrincipalId.read(in),
                BlockId.read(in),
                CommandCodec.readVerdict(in),
                Lists.read(in, ClusterMap.NODES_MAX, PrincipalId::read),
                in.nonNegative64(),
                in.string(Command.DETAIL_BYTES_MAX));
    }

    private static String name(WireReader in) {
        return in.string(Names.WIRE_BYTES_MAX);
    }
}
