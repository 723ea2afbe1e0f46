package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHead;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.object.Composition;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.Retention;
import io.bulwark.protocol.object.Slice;
import io.bulwark.protocol.object.VersionState;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;

/** One of each submission, query and reply. */
@NullMarked
final class Samples {
    private static final PrincipalId OWNER = PrincipalId.client(5);
    private static final BlockRange RANGE = new BlockRange(1, OWNER, 2, 40, 2);
    private static final BlockId BLOCK = new BlockId(1, OWNER, 2, 41);
    private static final ObjectLayout LAYOUT =
            new ObjectLayout(1, 1 << 20, (1 << 20) + 5, List.of(RANGE), MetadataFixture.filled(64, 0xAB));

    /** The generator of P-256, and its negative. */
    static final PrincipalKey KEY = key("4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5");

    static final PrincipalKey OTHER_KEY = key("b01cbd1c01e58065711814b583f061e9d431cca994cea1313449bf97c840ae0a");

    private static final LogId LOG = new LogId(OWNER, 2, 40);

    private static final UploadName UPLOAD = new UploadName("films", "a/\u00fc", 17);

    private Samples() {}

    private static PrincipalKey key(String y) {
        return new PrincipalKey(Bytes.of(HexFormat.of()
                .parseHex("3059301306072a8648ce3d020106082a8648ce3d03010703420004"
                        + "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
                        + y)));
    }

    private static ObjectAttributes attributes() {
        TreeMap<String, String> tags = new TreeMap<>(Map.of("mtime", "17", "owner", "me"));
        return new ObjectAttributes("text/plain", tags, new TreeMap<>(Map.of("etag", "a9")));
    }

    private static VersionState state() {
        return new VersionState(
                true, attributes(), new ObjectLock(new Retention(Retention.Mode.GOVERNANCE, 1_800_000_000_000L), true));
    }

    private static Inode inode() {
        return new Inode(12, LAYOUT, 1_700_000_000_000L);
    }

    private static final PrincipalId PERSON = PrincipalId.client(8);
    private static final Webhook WEBHOOK =
            new Webhook("thumbnails", "https://hooks.example/events", "BWKSAMPLE23456789012");
    private static final ObjectEvent EVENT = new ObjectEvent(
            ObjectEvent.Kind.COMPLETE_UPLOAD, "a/\u00fc", 9, true, 1_000_005, "a9", PERSON, 1_700_000_000_000L);
    private static final Gateways GATEWAYS = new Gateways(List.of(OWNER), PrincipalId.client(0), PERSON);
    private static final AccessKey ACCESS_KEY = new AccessKey(
            "BWKSAMPLE23456789012",
            PERSON,
            "backup",
            List.of(new AccessKey.Limit("films", "a/"), new AccessKey.Limit("diary", "")),
            1_700_000_000_000L);
    private static final Member MEMBER = new Member(PrincipalId.replica(4), KEY.encoded(), "10.0.0.4:7600");

    static Map<String, Submission> submissions() {
        Map<String, Submission> all = new LinkedHashMap<>();
        all.put("open-session", new Submission.OpenSession(MetadataFixture.filled(16, 1), 1));
        all.putAll(ofLogServers());
        commands().forEach((name, command) -> all.put(name, new Submission.InSession(2, 9, 7, command)));
        all.put(
                "signed",
                new Submission.InSession(
                        2,
                        9,
                        7,
                        new Command.RevokePrincipal(OWNER),
                        Optional.empty(),
                        MetadataFixture.filled(64, 0x51)));
        all.put("on-behalf", new Submission.InSession(2, 9, 7, new Command.DeleteBucket("films")).onBehalfOf(PERSON));
        all.put(
                "signed-on-behalf",
                new Submission.InSession(
                        2,
                        9,
                        7,
                        new Command.RevokePrincipal(OWNER),
                        Optional.of(PERSON),
                        MetadataFixture.filled(64, 0x51)));
        all.put(
                "signed-report",
                new Submission.InSession(2, 9, 7, poison(), Optional.empty(), MetadataFixture.filled(64, 0x51)));
        return all;
    }

    private static void putAdministration(Map<String, Command> all) {
        all.put("report-evidence", new Command.ReportEvidence(3, BLOCK, Verdict.CORRUPT, "slot 1"));
        all.put("add-principal", new Command.AddPrincipal(OWNER, KEY));
        all.put("rotate-key", new Command.RotateKey(OWNER, List.of(KEY, OTHER_KEY)));
        all.put("revoke-principal", new Command.RevokePrincipal(OWNER));
        all.put("invite-principal", new Command.InvitePrincipal(OWNER, KEY, 1_700_000_000_000L));
        all.put("set-grant", new Command.SetGrant(OWNER, new Scope.All(), new Rights(true, true, false)));
        all.put(
                "set-grant-on-volume",
                new Command.SetGrant(OWNER, new Scope.OfVolume("main"), new Rights(false, false, true)));
        all.put(
                "set-grant-on-bucket",
                new Command.SetGrant(OWNER, new Scope.OfBucket("films"), new Rights(true, false, false)));
        all.put("set-release", new Command.SetRelease(MetadataFixture.filled(32, 0xAB), true));
        all.put("change-replicas", new Command.ChangeReplicas(1, List.of(PrincipalId.replica(2)), List.of(MEMBER)));
        all.put("report-poison", new Command.ReportPoison(OWNER, BLOCK, 2, "poisonous"));
        all.put("lift-suspension", new Command.LiftSuspension(OWNER));
        all.put(
                "report-peers",
                new Command.ReportPeers(List.of(
                        new PeerObservation(3, FaultKind.SILENT, 1, 2, 8, 7),
                        new PeerObservation(4, FaultKind.STALE, 1, 0, 1000, 0))));
        all.put("set-fault-policy", new Command.SetFaultPolicy(new FaultPolicy(true, 30, 2)));
        all.put("forgive-node", new Command.ForgiveNode(3));
        all.put("change-holder", new Command.ChangeHolder("main", 3, 5, 1, 7));
        all.put("abort-change", new Command.AbortChange("main", 3, 5));
        all.put("change-policy", new Command.ChangePolicy("main", 2, 3));
        all.put("set-volume-policy", new Command.SetVolumePolicy("main", new ProtectionPolicy(2, 3, 7, 512)));
        all.put("refill-inode", new Command.RefillInode(12, LAYOUT, List.of(new EpochClaim(4, 1)), List.of(8L, 9L)));
        all.put("change-threat", new Command.ChangeThreat(true, 2, "an alarm"));
        all.put(
                "set-threat-policy",
                new Command.SetThreatPolicy(new ThreatPolicy(List.of(MetadataFixture.BOB), 3_600)));
        all.put("seal-epoch", new Command.SealEpoch(1, 3, 5));
        all.put("confirm-epoch", new Command.ConfirmEpoch(1, 3, 6));
        all.put("set-node", new Command.SetNode(new NodeAddress(7, "storage-7.example", 7417)));
        all.put("remove-node", new Command.RemoveNode(7));
    }

    private static Map<String, Command> commands() {
        Map<String, Command> all = new LinkedHashMap<>();
        all.put("renew-session", new Command.RenewSession());
        all.put("close-session", new Command.CloseSession());
        all.put(
                "create-volume",
                new Command.CreateVolume("main", VolumeKind.OBJECT, ProtectionPolicy.standard(), 0, 5, 1L << 40));
        all.put(
                "create-register-volume",
                new Command.CreateVolume("disk", VolumeKind.REGISTER, ProtectionPolicy.standard(), 1024, 0, 0));
        all.put("delete-volume", new Command.DeleteVolume("main"));
        all.put("create-bucket", new Command.CreateBucket("films", "main", Versioning.KEEP_ALL, 77, true));
        all.put("delete-bucket", new Command.DeleteBucket("films"));
        all.put(
                "put-object",
                new Command.PutObject(
                        "films",
                        "a/\u00fc",
                        Condition.ifVersion(3),
                        LAYOUT,
                        attributes(),
                        state().lock(),
                        List.of(new EpochClaim(4, 1), new EpochClaim(1, 2)),
                        List.of(8L, 9L)));
        all.put("register-pending", new Command.RegisterPending(List.of(RANGE)));
        all.put("abandon-ranges", new Command.AbandonRanges(List.of(RANGE), List.of(8L)));
        all.put("delete-object", new Command.DeleteObject("films", "a", 3));
        all.put(
                "delete-if",
                new Command.DeleteObject(
                        "films",
                        "a",
                        Versioning.NULL_VERSION,
                        Condition.ifProperty("etag", "a9"),
                        Command.DeleteMode.BYPASS_GOVERNANCE));
        all.put("rename-object", new Command.RenameObject("films", "a", "music", "b", Condition.IF_ABSENT));
        all.put("copy-object", new Command.CopyObject("films", "a", 3, "music", "b", Condition.NONE));
        all.put(
                "copy-with-attributes",
                new Command.CopyObject(
                        "films",
                        "a",
                        3,
                        "music",
                        "b",
                        Condition.IF_PRESENT,
                        Optional.of(attributes()),
                        new ObjectLock(new Retention(Retention.Mode.COMPLIANCE, 1_800_000_000_000L), false)));
        all.putAll(ofBuckets());
        putAdministration(all);
        putUploads(all);
        putLocking(all);
        all.put("set-act-for", new Command.SetActFor(OWNER, PERSON, new Rights(true, true, false)));
        all.put(
                "set-access-key",
                new Command.SetAccessKey(
                        ACCESS_KEY, List.of(new SealedSecret(OWNER, MetadataFixture.filled(139, 0x5E)))));
        all.put("remove-access-key", new Command.RemoveAccessKey("BWKSAMPLE23456789012"));
        all.put("set-gateways", new Command.SetGateways(GATEWAYS));
        all.put("set-webhook", new Command.SetWebhook(WEBHOOK));
        all.put("remove-webhook", new Command.RemoveWebhook("thumbnails"));
        all.put("claim-events", new Command.ClaimEvents("films", 7_000_000_000_001L, 41));
        return all;
    }

    private static void putLocking(Map<String, Command> all) {
        all.put("lock", new Command.Lock(List.of(new Subtree("films", "a/"), new Subtree("music", "")), KEY));
        all.put("unlock", new Command.Unlock());
        all.put("open-round", new Command.OpenRound(new Subtree("films", "a/")));
    }

    private static Map<String, Submission> ofLogServers() {
        Map<String, Submission> all = new LinkedHashMap<>();
        LogHead head = new LogHead(3, MetadataFixture.filled(32, 0xA3), MetadataFixture.filled(64, 0x51));
        LogHead empty = LogHead.empty(MetadataFixture.filled(32, 0xA0));
        all.put(
                "fetch",
                new Submission.Fetch(List.of(
                        new Submission.Fetched(LOG, head), new Submission.Fetched(new LogId(OWNER, 3, 41), empty))));
        LogEntry own = new LogEntry(1_700_000_000_000L, Optional.empty(), MetadataFixture.filled(3, 0xC0));
        LogEntry ofPerson = new LogEntry(1_700_000_000_001L, Optional.of(PERSON), MetadataFixture.filled(2, 0xC1));
        all.put("pieces", new Submission.Pieces(LOG, 2, MetadataFixture.filled(32, 0xA1), List.of(own, ofPerson)));
        return all;
    }

    private static void putLockReplies(Map<String, Reply> all) {
        all.put("locked", new Reply.Locked(LOG, 1_700_000_000_000L, 100, 200, 1 << 30, 5_000));
        all.put(
                "lock-list",
                new Reply.LockList(
                        List.of(
                                new Reply.LockEntry(
                                        new Subtree("films", "a/"), LOG, 61_000, Optional.of(RoundReason.CONTENDED)),
                                new Reply.LockEntry(new Subtree("music", ""), LOG, 0, Optional.empty())),
                        true));
        all.put(
                "log-outcome",
                new Reply.LogOutcome(9, 8, List.of(MetadataFixture.filled(3, 0xC0), MetadataFixture.filled(2, 0xC1))));
    }

    private static void putUploads(Map<String, Command> all) {
        List<ObjectRange> slices = List.of(
                new ObjectRange("films", "a/\u00fc", 3, 100, 7),
                new ObjectRange("music", "b", 0, 0, ObjectRange.TO_END));
        all.put(
                "compose-object",
                new Command.ComposeObject("films", "c", Condition.ifVersion(3), slices, attributes(), state().lock()));
        all.put("begin-upload", new Command.BeginUpload("films", "a/\u00fc", attributes(), state().lock()));
        all.put(
                "put-part",
                new Command.PutPart(
                        UPLOAD, 10_000, LAYOUT, attributes(), List.of(new EpochClaim(4, 1)), List.of(8L, 9L)));
        all.put("copy-part", new Command.CopyPart(UPLOAD, 2, slices, attributes()));
        all.put(
                "complete-upload",
                new Command.CompleteUpload(
                        UPLOAD,
                        PartSelection.of(List.of(
                                new PartSelection.Part(1, 20),
                                new PartSelection.Part(2, 22),
                                new PartSelection.Part(5, 21))),
                        Condition.IF_ABSENT,
                        attributes()));
        all.put("abort-upload", new Command.AbortUpload(UPLOAD));
    }

    private static Map<String, Command> ofBuckets() {
        Map<String, Command> all = new LinkedHashMap<>();
        DefaultRetention years = new DefaultRetention(Retention.Mode.COMPLIANCE, 7, true);
        all.put(
                "update-bucket",
                new Command.UpdateBucket(
                        "films",
                        BucketChange.NONE
                                .withVersioning(Versioning.SUSPENDED)
                                .withQuota(77)
                                .withObjectLock()
                                .withRetention(years)));
        all.put("update-nothing", new Command.UpdateBucket("films", BucketChange.NONE));
        Bytes content = MetadataFixture.filled(5, 0xD0);
        all.put(
                "create-bucket-with-document",
                new Command.CreateBucket(
                        "films",
                        "main",
                        Versioning.LATEST_ONLY,
                        0,
                        false,
                        Optional.of(new Command.NewDocument("s3-access", Bytes.of((byte) 7)))));
        all.put("put-document", new Command.PutDocument("films", "cors", Condition.ifVersion(9), content));
        all.put("remove-document", new Command.RemoveDocument("films", "cors", Condition.NONE));
        all.put(
                "replace-tags",
                new Command.SetTags(
                        "films", "a", 3, attributes().tags(), Optional.of(new TreeMap<>(Map.of("a", "b")))));
        all.put("set-tags", new Command.SetTags("films", "a", 3, attributes().tags()));
        Retention retention = new Retention(Retention.Mode.GOVERNANCE, 1_800_000_000_000L);
        all.put("set-retention", new Command.SetRetention("films", "a", 3, retention, true));
        all.put("end-retention", new Command.SetRetention("films", "a", 3, Retention.NONE, false));
        all.put("set-legal-hold", new Command.SetLegalHold("films", "a", 3, true));
        return all;
    }

    static Map<String, Query> queries() {
        Map<String, Query> all = new LinkedHashMap<>();
        all.put("get-map", new Query.GetMap());
        all.put("get-status", new Query.GetStatus());
        all.put("list-replicas", new Query.ListReplicas());
        all.put("session-of", new Query.SessionOf(1, OWNER, 2));
        all.put("grant-of", new Query.GrantOf(1, OWNER));
        all.put("references", new Query.References(1, 12, 100));
        all.put("session-changes", new Query.SessionChanges(99, 1000));
        all.put("find-object", new Query.FindObject("films", "a", 3));
        all.put("find-inode", new Query.FindInode(12, RANGE.at(0)));
        all.put("list-objects", new Query.ListObjects("films", "a/", "/", MetadataFixture.filled(3, 0xFF), 10, true));
        all.put("list-versions", new Query.ListVersions("films", "a", "/", "ab", 3, 10, true));
        all.put("find-document", new Query.FindDocument("films", "cors"));
        all.put("list-documents", new Query.ListDocuments("films"));
        all.put("list-buckets", new Query.ListBuckets("films", 10));
        all.put("list-evidence", new Query.ListEvidence(4, 10));
        all.put("find-evidence", new Query.FindEvidence(4));
        all.put("list-principals", new Query.ListPrincipals(-1, OWNER, 10));
        all.put("list-grants", new Query.ListGrants(OWNER));
        all.put("list-releases", new Query.ListReleases());
        all.put("list-audit", new Query.ListAudit(4, 10));
        all.put("get-genesis", new Query.GetGenesis());
        all.put("list-suspensions", new Query.ListSuspensions(OWNER, 10));
        all.put("list-node-faults", new Query.ListNodeFaults());
        all.put("get-threat", new Query.GetThreat());
        all.put("count-writers", new Query.CountWriters());
        all.put("list-act-for", new Query.ListActFor(OWNER, PERSON, 10));
        all.put("find-slices", new Query.FindSlices("films", "a", 3, 100, 10));
        all.put("find-upload", new Query.FindUpload(UPLOAD));
        all.put("list-uploads", new Query.ListUploads("films", "a", "ab", 17, 10));
        all.put("list-parts", new Query.ListParts(UPLOAD, 4, 10));
        all.put("find-access-key", new Query.FindAccessKey("BWKSAMPLE23456789012"));
        all.put("list-webhooks", new Query.ListWebhooks());
        all.put("list-events", new Query.ListEvents("films", 41, 10));
        all.put("list-event-logs", new Query.ListEventLogs("films", 10));
        all.put("list-access-keys", new Query.ListAccessKeys(PERSON, "BWKSAMPLE23456789012", 10));
        all.put("list-gateways", new Query.ListGateways());
        all.put("list-locks", new Query.ListLocks(Optional.of(new Subtree("films", "a/")), 10));
        all.put("list-first-locks", new Query.ListLocks(Optional.empty(), 10));
        all.put("log-outcome", new Query.LogOutcome(2, 40, 7));
        all.put("query-on-behalf", new Query.OnBehalf(PERSON, new Query.FindObject("films", "a", 3)));
        return all;
    }

    private static Reply changingMap() {
        return mapWith(new PlacementGroup(
                2, List.of(0, 1, 2, 3), List.of(1), List.of(1, 3), new PlacementGroup.Change(0, 9, List.of(2))));
    }

    private static Reply mapWith(PlacementGroup group) {
        Volume volume = new Volume(1, "main", VolumeKind.OBJECT, ProtectionPolicy.standard(), 0, List.of(group));
        return new Reply.Map(new ClusterMap(5, List.of(new NodeAddress(0, "::1", 4000)), List.of(volume)));
    }

    private static void putUploadReplies(Map<String, Reply> all) {
        all.put(
                "composition-found",
                new Reply.ObjectFound(
                        3, 1_700_000_000_001L, state(), new Inode(13, new Composition(1, 1 << 20, 3), 6)));
        all.put(
                "inline-found",
                new Reply.ObjectFound(
                        3,
                        1_700_000_000_001L,
                        state(),
                        new Inode(14, new InlineContent(1, Bytes.of((byte) 1, (byte) 2, (byte) 3)), 6)));
        all.put("refilled", new Reply.Refilled(20));
        all.put("part-stored", new Reply.PartStored(20, 700, 6));
        all.put("upload-begun", new Reply.UploadBegun(17, 6));
        all.put("slice-list", new Reply.SliceList(List.of(new Reply.SliceEntry(100, new Slice(12, 40, 50), LAYOUT))));
        Reply.UploadEntry upload = new Reply.UploadEntry("a/\u00fc", 17, 6, 3, 700, attributes(), state().lock());
        all.put("upload-found", new Reply.UploadFound(upload));
        all.put("upload-list", new Reply.UploadList(List.of(upload), true));
        all.put("part-list", new Reply.PartList(List.of(new Reply.PartEntry(5, 20, 700, 6, attributes())), true));
    }

    private static void putLists(Map<String, Reply> all) {
        all.put(
                "object-list",
                new Reply.ObjectList(
                        List.of(new Reply.ObjectEntry("a", 3, 12, 5, 6, state())),
                        List.of("b/"),
                        Bytes.of((byte) 'b', (byte) '/', (byte) 0xFF)));
        all.put(
                "version-list",
                new Reply.VersionList(
                        List.of(new Reply.VersionEntry("a", 3, true, 12, 5, 6, state())), List.of("b/"), true, "a", 3));
        all.put(
                "bucket-list",
                new Reply.BucketList(
                        List.of(new Reply.BucketEntry(
                                "films",
                                PrincipalId.client(3),
                                1,
                                new BucketSettings(Versioning.LATEST_ONLY, 0, false, DefaultRetention.NONE),
                                1,
                                5,
                                6)),
                        "films"));
        all.put(
                "evidence-list",
                new Reply.EvidenceList(
                        List.of(new Reply.EvidenceEntry(
                                1,
                                PrincipalId.node(3),
                                BLOCK,
                                Verdict.CORRUPT,
                                List.of(PrincipalId.node(0), PrincipalId.node(1)),
                                6,
                                "slot 1")),
                        1,
                        false));
    }

    static Map<String, Reply> replies() {
        Map<String, Reply> all = new LinkedHashMap<>();
        all.put("failed", new Reply.Failed(MetadataError.NO_SUCH_BUCKET, "films"));
        all.put("done", new Reply.Done());
        all.put("session-opened", new Reply.SessionOpened(1, 2, 600_000));
        all.put("volume-created", new Reply.VolumeCreated(1));
        all.put("object-stored", new Reply.ObjectStored(12, 3, 6, true, state().lock()));
        all.put("pending-registered", new Reply.PendingRegistered(13));
        all.put("deleted", new Reply.Deleted(4, true, false));
        all.put("map", mapWith(new PlacementGroup(2, List.of(0, 1, 2, 3))));
        all.put("changing-map", changingMap());
        all.put(
                "status",
                new Reply.Status(
                        1,
                        2,
                        3,
                        4,
                        5,
                        6,
                        7,
                        8,
                        new Reply.OpenLogs(9, 10, 11),
                        List.of(new Reply.OlderExtents(1, 2, 12)),
                        MetadataFixture.filled(32, 0xD1)));
        all.put("session", new Reply.Session(SessionState.CLOSED));
        all.put("granted", new Reply.Granted(true, false));
        all.put(
                "replica-list",
                new Reply.ReplicaList(
                        Configuration.fixed(1),
                        Optional.of(Configuration.fixed(1).replacing(2, MEMBER))));
        all.put(
                "references",
                new Reply.References(
                        List.of(
                                new Reply.Reference(7, 12, Optional.of(LAYOUT), List.of()),
                                new Reply.Reference(9, 13, Optional.empty(), List.of(RANGE))),
                        13,
                        true,
                        14));
        all.put(
                "session-changes",
                new Reply.SessionChanges(
                        List.of(
                                new SessionChange.Opened(1, OWNER, 2, 1),
                                new SessionChange.Closed(2, OWNER, 2, 1, List.of(RANGE)),
                                new SessionChange.Freed(3, RANGE),
                                new SessionChange.Collapsed(4, OWNER, 1, 2)),
                        4,
                        false));
        all.put("object-found", new Reply.ObjectFound(3, 1_700_000_000_001L, state(), inode()));
        putUploadReplies(all);
        all.put("inode-found", new Reply.InodeFound(true, true, false));
        all.put("inode-gone", Reply.InodeFound.GONE);
        putLists(all);
        putLockReplies(all);
        all.put("document-stored", new Reply.DocumentStored(9));
        all.put("document-found", new Reply.DocumentFound(9, MetadataFixture.filled(5, 0xD0)));
        all.put("document-list", new Reply.DocumentList(List.of(new Reply.DocumentEntry("cors", 9))));
        putPrincipals(all);
        return all;
    }

    private static Command.Report poison() {
        return new Command.ReportPoison(OWNER, BLOCK, 2, "poisonous");
    }

    private static NodeReport report(int node, Command.Report content) {
        return new NodeReport(
                PrincipalId.node(node),
                1_700_000_000_000L,
                4,
                6,
                content,
                node == 0
                        ? Optional.empty()
                        : Optional.of(new AuditEntry.Approval(KEY, MetadataFixture.filled(64, 0x51))));
    }

    static Map<String, EvidenceProof> proofs() {
        Evidence ofNode = new Evidence(
                7,
                1_700_000_000_001L,
                List.of(report(0, new Command.ReportEvidence(3, BLOCK, Verdict.CORRUPT, "slot 1"))));
        Evidence ofClient = new Evidence(8, 1_700_000_000_002L, List.of(report(0, poison()), report(1, poison())));
        AuditEntry volume = new AuditEntry(
                6,
                1_700_000_000_000L,
                OWNER,
                2,
                10,
                new Command.CreateVolume("main", VolumeKind.OBJECT, ProtectionPolicy.standard(), 0, 5, 1L << 40),
                Optional.of(new AuditEntry.Approval(KEY, MetadataFixture.filled(64, 0x51))));
        Map<String, EvidenceProof> all = new LinkedHashMap<>();
        all.put(
                "proof-of-node",
                new EvidenceProof(MetadataFixture.filled(16, 0xC1), ofNode, List.of(), Optional.empty()));
        all.put(
                "proof-of-client",
                new EvidenceProof(
                        MetadataFixture.filled(16, 0xC1),
                        ofClient,
                        List.of(auditEntry(Optional.empty())),
                        Optional.of(volume)));
        return all;
    }

    private static AuditEntry auditEntry(Optional<AuditEntry.Approval> approval) {
        return new AuditEntry(5, 1_700_000_000_000L, OWNER, 2, 9, new Command.RevokePrincipal(OWNER), approval);
    }

    private static void putEvents(Map<String, Reply> all) {
        all.put("webhook-list", new Reply.WebhookList(List.of(WEBHOOK)));
        all.put("events-claimed", new Reply.EventsClaimed(true, 3, 1));
        all.put("event-list", new Reply.EventList(List.of(new Reply.EventEntry(42, EVENT))));
        all.put(
                "event-log-list",
                new Reply.EventLogList(
                        List.of(new Reply.EventLogEntry("films", PERSON, 3, 300, 1, 1_700_000_000_000L, 7)), "films"));
    }

    private static void putPrincipals(Map<String, Reply> all) {
        proofs().forEach((name, proof) ->
                all.put(name.replace("proof", "evidence"), new Reply.EvidenceFound(Optional.of(proof.evidence()))));
        all.put("evidence-gone", new Reply.EvidenceFound(Optional.empty()));
        all.put(
                "act-for-list",
                new Reply.ActForList(List.of(new Reply.ActForEntry(PERSON, new Rights(true, false, true))), PERSON));
        all.put("access-key-found", new Reply.AccessKeyFound(Optional.of(ACCESS_KEY), MetadataFixture.filled(139, 1)));
        all.put("access-key-unknown", new Reply.AccessKeyFound(Optional.empty(), Bytes.EMPTY));
        all.put(
                "access-key-list",
                new Reply.AccessKeyList(List.of(new Reply.AccessKeyEntry(ACCESS_KEY, List.of(OWNER))), "BWKSAMPLE"));
        putEvents(all);
        all.put("gateway-list", new Reply.GatewayList(GATEWAYS));
        all.put(
                "genesis-told",
                new Reply.GenesisTold(
                        new GenesisKeys(MetadataFixture.filled(16, 0xC1), OWNER, new TreeMap<>(Map.of(OWNER, KEY)))));
        all.put(
                "audit-list",
                new Reply.AuditList(
                        List.of(
                                auditEntry(Optional.empty()),
                                auditEntry(Optional.of(new AuditEntry.Approval(KEY, MetadataFixture.filled(64, 0x51)))),
                                new AuditEntry(
                                        6,
                                        1_700_000_000_000L,
                                        OWNER,
                                        Optional.of(PERSON),
                                        2,
                                        10,
                                        new Command.RevokePrincipal(OWNER),
                                        Optional.of(new AuditEntry.Approval(KEY, MetadataFixture.filled(64, 0x52))))),
                        6,
                        MetadataFixture.filled(32, 0xD1)));
        all.put(
                "principal-list",
                new Reply.PrincipalList(
                        3,
                        List.of(
                                new Reply.PrincipalEntry(OWNER, List.of(KEY), 0),
                                new Reply.PrincipalEntry(PrincipalId.client(6), List.of(), 0)),
                        PrincipalId.client(6)));
        all.put(
                "grant-list",
                new Reply.GrantList(List.of(
                        new Reply.GrantEntry(new Scope.All(), new Rights(true, true, true)),
                        new Reply.GrantEntry(new Scope.OfBucket("films"), new Rights(true, true, false)))));
        Reply.PoisonReport poison = new Reply.PoisonReport(PrincipalId.node(0), BLOCK, 2, "slot 1");
        all.put(
                "suspension-list",
                new Reply.SuspensionList(
                        List.of(new Reply.SuspensionEntry(OWNER, 6, true, 8, List.of(poison))), OWNER));
        putFaults(all);
        all.put("writers", new Reply.Writers(300));
        all.put(
                "release-list",
                new Reply.ReleaseList(3, List.of(MetadataFixture.filled(32, 1), MetadataFixture.filled(32, 2))));
    }

    private static void putFaults(Map<String, Reply> all) {
        Suspicion suspicion =
                new Suspicion(0, 26_000, 5, new PeerObservation(3, FaultKind.SILENT, 1, 2, 8, 7), 40, 35, 9);
        all.put(
                "node-fault-list",
                new Reply.NodeFaultList(
                        FaultPolicy.DEFAULT,
                        List.of(
                                new NodeFault(
                                        3,
                                        FaultKind.SILENT,
                                        9,
                                        1,
                                        2,
                                        0,
                                        List.of(suspicion),
                                        NodeFault.Stage.LEAVING,
                                        10),
                                new NodeFault(4, FaultKind.WRONG, 9, 1, 2, 7, List.of(), NodeFault.Stage.NAMED, 0)),
                        List.of(suspicion)));
        all.put(
                "threat-state",
                new Reply.ThreatState(
                        new ThreatPolicy(List.of(MetadataFixture.BOB), 3_600),
                        new ThreatLevel(1, 9, MetadataFixture.ALICE, "an alarm"),
                        List.of(new Reply.VolumeAlarm("main", 1, 3, 1, 2, "seals"))));
    }
}
