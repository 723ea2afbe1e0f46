package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.locking.LogHead;
import io.bulwark.protocol.metadata.Bucket.Link;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.object.Slice;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.state.KeyValueState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Comparator;
import java.util.List;

/**
 * Layout of the metadata state in a {@link KeyValueState}. Each thing has a small record, so that a command rewrites
 * little. Each order in which things are searched has further records. A key is the number of its table (1 byte) and
 * the fields shown. Numbers are big-endian and not negative, so that keys ascend as they do.
 *
 * <pre>
 *  1 totals     version of this layout (4)             times, last numbers, counts
 *  2 nodes      node (4)                               address
 *  3 grants     principal (5)                          what it may do
 *  4 accounts   principal (5)                          weight, last session, numbers of sessions and buckets
 *  5 volumes    volume (4)                             all but its groups
 *  6 groups     volume (4), first of 64 groups (4)     placement groups
 *  7 usages     volume (4)                             bytes and buckets
 *  8 sessions   owner (5), session (8)                 state and counts
 *  9 open       owner (5), session (8)                 -
 * 10 expiries   served time (8), owner, session        -
 * 11 results    owner, session, number (8)             digest of the command, reply
 * 12 used       owner, session, end of interval (8)    first counter
 * 13 freed      owner, session, end of interval (8)    first counter, sequence number of the change
 * 14 pendings   owner, session, pending upload (8)     -
 * 15 collapsed  owner, last session of interval (8)    first session, sequence number of the change
 * 16 changes    sequence number (8)                    what nodes are told
 * 17 inodes     inode or pending upload (8)            content, or ranges; never rewritten
 * 18 links      inode (8)                              number of links, if there are any
 * 19 dues       served time (8), inode (8)             -
 * 20 buckets    name                                   settings, bytes, names shown
 * 21 names      bucket, 0, key, 0, MAX - version (8)   link: the latest version of a name comes first
 * 22 reports    accusation (30), reporter (5)          number of the report, agreed time
 * 23 reportsOf  reporter (5), number of the report (8) key of 22
 * 24 recorded   accusation (30)                        number of the entry
 * 25 evidence   number (8)                             entry
 * 26 members    principal (5)                          keys, or that it is revoked
 * 27 keyOwners  public key (91)                        principal that has it or once had it
 * 28 registry   0 (4); 1 (4)                          number of changes of 26; of 31
 * 29 grants     volume (4), client (5)                 rights, numbers of buckets with rights
 * 30 grants     bucket, 0, client (5)                  rights
 * 31 releases   SHA-256 (32)                           -
 * 32 audit      number (8)                             entry; never rewritten
 * 33 audit      0 (4)                                  number and digest of the last entry, if there is one
 * 34 invited    principal (5)                          agreed time at which the invitation ends
 * 35 poison     client, volume (4), group (4), reporter  number of the report, agreed time, report
 * 36 poisonOf   reporter (5), number of the report (8) key of 35
 * 37 suspended  client (5)                             since when, whether it may not write, reports
 * 38 lifted     client (5)                             its last session when a suspension was lifted
 * 39 replicas   0 (4); 1 (4)                           who orders, if not the genesis's; who is to follow
 * 40 actFor     door (5), person (5)                   ceiling of the person's rights there
 * 41 uploads    bucket, 0, key, 0, upload (8)          owner, counts, attributes of the object to be
 * 42 parts      upload (8), number (4)                 part: its inode, length, attributes
 * 43 slices     composition (8), end of slices (8)     slices of inodes, at most 64
 * 44 completed  upload (8)                             digest of the completion, reply
 * 45 forget     served time (8), upload (8)            -
 * 51 nulls      bucket, 0, key, 0                      number of the null version, if a newer version is above it
 * 52 documents  bucket, 0, name                        number, owner, content
 * 53 eventLogs  bucket                                 counts, who delivers until when
 * 54 events     bucket, 0, position (8)                event
 * 55 webhooks   name                                   webhook
 * 61 accessKeys id                                     access key, and its secret for each reader
 * 62 keysOf     person (5), id                         -
 * 63 gateways   0 (4)                                  gateways, if any were named
 * 64 endedKeys  id                                     -
 * 70 locks      bucket, 0, inverted prefix, 0xFF       owner and session of the holder
 * 71 holders    owner (5), session (8)                 lock, key, subtrees, stage of the round
 * 72 logGrants  owner, session                         ids and room that the log may draw
 * 73 rounds     command that opened it (8), owner, session  -
 * 74 lockDues   served time (8), owner, session        -
 * 75 pieces     owner, session, number (8), hash (32)  hash before, bytes so far, entry
 * 76 fetches    owner, session, replica (5)            head of the log
 * 77 supplied   owner, session, replica (5)            entries and bytes of pieces
 * 78 outcomes   owner, session, number (8)             reply
 * 79 marks      key as of 70                           until when no lock is given, contended rounds
 * 80 markDues   served time (8), key as of 70          -
 * 81 pauses     volume (4), principal (5)              until when no lock is given
 * 82 arrivals   number of arrival (8)                  inode with blocks or pending upload, volume
 * 83 inline     inode (8)                              bytes of a small object; never rewritten
 * 90 suspicions node (4), kind (1), reporter (4)       score and counts
 * 91 suspicionsOf  reporter (5), node and kind (8)     key of 90
 * 92 nodeFaults node (4)                               who names it, progress of its removal
 * 93 faultPolicy  0 (4)                                policy, if one was set
 * 94 threatPolicy 0 (4)                                policy, if one was set
 * 95 threatLevel  0 (4)                                threat level, if it was ever changed
 * </pre>
 *
 * An interval's key has its end, so that the interval around or after a number is the first one from that number on.
 */
final class Tables extends TableSet {
    static final int VERSION = 1;
    static final int GROUPS_PER_RECORD = 64;

    private static final FieldFormat<Integer> ONLY_VERSION =
            new FieldFormat<>((version, out) -> out.i32(version), in -> in.i32(VERSION, VERSION));
    private static final FieldFormat<List<PlacementGroup>> GROUPS = new FieldFormat<>(
            (list, out) -> Lists.write(list, out, PlacementGroup::write),
            in -> Lists.read(in, GROUPS_PER_RECORD, PlacementGroup::read));
    private static final FieldFormat<String> BUCKET_NAME =
            new FieldFormat<>((name, out) -> out.raw(Names.utf8(name)), Tables::readName);
    private static final FieldFormat<Bytes> RELEASE =
            new FieldFormat<>((hash, out) -> out.raw(hash), in -> in.raw(Command.RELEASE_BYTES));
    private static final FieldFormat<List<Slice>> SLICES = new FieldFormat<>(
            (list, out) -> Lists.write(list, out, Slice::write),
            in -> Lists.read(in, Compositions.SLICES_PER_RECORD, Slice::read));
    private static final FieldFormat<Bytes> OUTCOME =
            new FieldFormat<>((reply, out) -> out.bytes(reply), in -> in.bytes(Submission.BYTES_MAX));
    private static final FieldFormat<PrincipalId> PRINCIPAL = new FieldFormat<>(PrincipalId::write, PrincipalId::read);
    private static final FieldFormat<Volumes.Usage> USAGE =
            new FieldFormat<>(Volumes.Usage::write, Volumes.Usage::read);
    private static final FieldFormat<SessionChange> CHANGE =
            new FieldFormat<>(ReplyCodec::writeChange, ReplyCodec::readChange);
    private static final FieldFormat<Uploads.Completion> COMPLETION =
            new FieldFormat<>(Uploads.Completion::write, Uploads.Completion::read);
    private static final FieldFormat<BucketDocuments.Document> DOCUMENT =
            new FieldFormat<>(BucketDocuments.Document::write, BucketDocuments.Document::read);
    private static final FieldFormat<String> KEY_ID =
            new FieldFormat<>((id, out) -> out.raw(Names.utf8(id)), Tables::readRest);

    final Table<Integer, NodeAddress> nodes;
    final Table<PrincipalId, Genesis.Grant> grants;
    final Table<Integer, Volumes.Definition> volumes;
    final Table<GroupsKey, List<PlacementGroup>> groups;
    final Table<OwnedKey, Boolean> open;
    final Table<TimedSession, Boolean> expiries;
    final Table<InSession, Session.Result> results;
    final Table<InSession, Long> used;
    final Table<InSession, Interval> freed;
    final Table<InSession, Boolean> pendings;
    final Table<OwnedKey, Interval> collapsed;
    final Table<Long, SessionChange> changes;
    final Table<Long, Inodes.Entry> inodes;
    final Table<Long, Integer> links;
    final Table<DueInode, Boolean> dues;
    final Table<String, Bucket> bucketsByName;
    final Table<Name, Link> names;
    final Table<Report, NodeReports.FiledReport> reports;
    final Table<OwnedKey, Report> reportsOf;
    final Table<Accusation, Long> recorded;
    final Table<Long, Evidence> evidence;
    final Table<PrincipalId, Registry.Entry> members;
    final Table<PrincipalKey, PrincipalId> keyOwners;
    final Table<Integer, Long> registryVersion;
    final Table<VolumeGrant, Grants.OnVolume> volumeGrants;
    final Table<BucketGrant, Rights> bucketGrants;
    final Table<Bytes, Boolean> releases;
    final Table<Long, AuditEntry> audit;
    final Table<Integer, AuditLog.Head> auditHead;
    final Table<PrincipalId, Long> invitations;
    final Table<Poisoner, NodeReports.FiledReport> poison;
    final Table<OwnedKey, Poisoner> poisonOf;
    final Table<PrincipalId, Reply.SuspensionEntry> suspended;
    final Table<PrincipalId, Long> lifted;
    final Table<Integer, Configuration> replicas;
    final Table<ActForKey, Rights> actFor;
    final Table<UploadKey, Uploads.Upload> uploads;
    final Table<PartKey, Uploads.Part> parts;
    final Table<SliceKey, List<Slice>> slices;
    final Table<Long, Uploads.Completion> completions;
    final Table<TimedUpload, Boolean> completionDues;
    final Table<NullKey, Long> nulls = table(51, NullKey.FORM, FieldFormat.LONG_NUMBER);
    final Table<DocumentKey, BucketDocuments.Document> documents = table(52, DocumentKey.FORM, DOCUMENT);
    final Table<String, BucketEvents.Log> eventLogsByName =
            table(53, BUCKET_NAME, new FieldFormat<>(BucketEvents.Log::write, BucketEvents.Log::read));
    final Table<EventKey, ObjectEvent> events =
            table(54, EventKey.FORM, new FieldFormat<>(ObjectEvent::write, ObjectEvent::read));
    final Table<String, Webhook> webhooks = table(55, BUCKET_NAME, new FieldFormat<>(Webhook::write, Webhook::read));
    final Table<String, AccessKeys.Entry> accessKeys =
            table(61, KEY_ID, new FieldFormat<>(AccessKeys.Entry::write, AccessKeys.Entry::read));
    final Table<PersonsKey, Boolean> accessKeysOf = table(62, PersonsKey.FORM, FieldFormat.NOTHING);
    final Table<Integer, Gateways> gateways =
            table(63, FieldFormat.NUMBER, new FieldFormat<>(Gateways::write, Gateways::read));
    final Table<String, Boolean> endedKeys = table(64, KEY_ID, FieldFormat.NOTHING);
    final Table<SubtreeKey, OwnedKey> locks;
    final Table<OwnedKey, Grant> logGrants;
    final Table<TimedSession, Boolean> rounds;
    final Table<TimedSession, Boolean> lockDues;
    final Table<PieceKey, Rounds.Piece> pieces;
    final Table<Supplier, LogHead> fetches;
    final Table<Supplier, Rounds.Supplied> supplied;
    final Table<InSession, Bytes> outcomes;
    final Table<SubtreeKey, Contention.Mark> marks;
    final Table<DueSubtree, Boolean> markDues;
    final Table<Pause, Long> pauses;
    final Table<Long, Arrival> arrivals;
    final Table<Long, Bytes> inlineBytes = table(
            83,
            FieldFormat.LONG_NUMBER,
            new FieldFormat<>((bytes, out) -> out.bytes(bytes), in -> in.bytes(InlineContent.BYTES_MAX)));
    final Table<SuspicionKey, Suspicion> suspicions =
            table(90, SuspicionKey.FORM, new FieldFormat<>(Suspicion::write, Suspicion::read));
    final Table<OwnedKey, SuspicionKey> suspicionsOf = table(91, OwnedKey.FORM, SuspicionKey.FORM);
    final Table<Integer, NodeFault> nodeFaults =
            table(92, FieldFormat.NUMBER, new FieldFormat<>(NodeFault::write, NodeFault::read));
    final Table<Integer, FaultPolicy> faultPolicy =
            table(93, FieldFormat.NUMBER, new FieldFormat<>(FaultPolicy::write, FaultPolicy::read));
    final Table<Integer, ThreatPolicy> threatPolicy =
            table(94, FieldFormat.NUMBER, new FieldFormat<>(ThreatPolicy::write, ThreatPolicy::read));
    final Table<Integer, ThreatLevel> threatLevel =
            table(95, FieldFormat.NUMBER, new FieldFormat<>(ThreatLevel::write, ThreatLevel::read));

    final RecordCache<PrincipalId, Account> accounts;
    final RecordCache<Integer, Volumes.Usage> usages;
    final RecordCache<OwnedKey, Session> sessions;
    final RecordCache<String, Bucket> buckets;
    final RecordCache<OwnedKey, Holder> holders;
    final RecordCache<OwnedKey, Grant> grantsOfLogs;
    final RecordCache<String, BucketEvents.Log> eventLogs = new RecordCache<>(eventLogsByName);
    final Weight weight;
    private final Supply ordered = new OrderedSupply(this);
    private Supply supply = ordered;
    private final Table<Integer, Totals> all;
    private final RecordCache<Integer, Totals> total;

    record GroupsKey(int volume, int first) {
        private static final FieldFormat<GroupsKey> FORM = new FieldFormat<>(
                (key, out) -> out.i32(key.volume).i32(key.first),
                in -> new GroupsKey(in.i32(0, Integer.MAX_VALUE), in.i32(0, Integer.MAX_VALUE)));
    }

    /** Something of a principal. */
    record OwnedKey(PrincipalId owner, long number) implements Comparable<OwnedKey> {
        private static final Comparator<OwnedKey> ORDER =
                Comparator.comparing(OwnedKey::owner).thenComparingLong(OwnedKey::number);

        private static final FieldFormat<OwnedKey> FORM = new FieldFormat<>(
                (key, out) -> write(key.owner, out).i64(key.number),
                in -> new OwnedKey(PrincipalId.read(in), in.nonNegative64()));

        @Override
        public int compareTo(OwnedKey other) {
            return ORDER.compare(this, other);
        }
    }

    /** Misbehaviour of a node, as one of its peers counts it. */
    record SuspicionKey(int node, FaultKind kind, int reporter) {
        private static final FieldFormat<SuspicionKey> FORM = new FieldFormat<>(
                (key, out) -> {
                    key.kind.write(out.i32(key.node));
                    out.i32(key.reporter);
                },
                in -> new SuspicionKey(in.i32(0, Integer.MAX_VALUE), FaultKind.read(in), in.i32(0, Integer.MAX_VALUE)));

        /** Returns a key before all others about a node. */
        static SuspicionKey firstOf(int node) {
            return new SuspicionKey(node, FaultKind.WRONG, 0);
        }
    }

    /** Entry of a log that is being closed. */
    record PieceKey(OwnedKey holder, long number, Bytes hash) {
        private static final Bytes LOWEST = Bytes.of(new byte[Hashes.LENGTH]);
        private static final FieldFormat<PieceKey> FORM = new FieldFormat<>(
                (key, out) -> {
                    OwnedKey.FORM.writer().accept(key.holder, out);
                    out.i64(key.number).raw(key.hash);
                },
                in -> new PieceKey(OwnedKey.FORM.reader().apply(in), in.nonNegative64(), in.raw(Hashes.LENGTH)));

        /** Returns a place before all entries of a number. */
        static PieceKey firstOf(OwnedKey holder, long number) {
            return new PieceKey(holder, number, LOWEST);
        }
    }

    /** Log server that takes part in a round. */
    record Supplier(OwnedKey holder, PrincipalId server) {
        private static final FieldFormat<Supplier> FORM = new FieldFormat<>(
                (key, out) -> {
                    OwnedKey.FORM.writer().accept(key.holder, out);
                    key.server.write(out);
                },
                in -> new Supplier(OwnedKey.FORM.reader().apply(in), PrincipalId.read(in)));

        static Supplier firstOf(OwnedKey holder) {
            return new Supplier(holder, PrincipalId.NOBODY);
        }

        /** Returns a key behind those of all servers. */
        static Supplier lastOf(OwnedKey holder) {
            return new Supplier(new OwnedKey(holder.owner, holder.number + 1), PrincipalId.NOBODY);
        }
    }

    /** Inode or pending upload in the order in which they were stored. */
    record Arrival(long inode, int volume) {
        private static final FieldFormat<Arrival> FORM = new FieldFormat<>(
                (arrival, out) -> out.i64(arrival.inode).i32(arrival.volume),
                in -> new Arrival(in.nonNegative64(), in.i32(0, Integer.MAX_VALUE)));
    }

    record DueSubtree(long atMillis, SubtreeKey subtree) {
        private static final FieldFormat<DueSubtree> FORM = new FieldFormat<>(
                (due, out) -> SubtreeKey.FORM.writer().accept(due.subtree, out.i64(due.atMillis)),
                in -> new DueSubtree(
                        in.nonNegative64(), SubtreeKey.FORM.reader().apply(in)));
    }

    /**
     * Part of the state without locks for a while: a principal, or a volume, or everything.
     *
     * @param volume 0 for a principal, and for everything
     * @param principal {@link PrincipalId#NOBODY} for a volume, and for everything
     */
    record Pause(int volume, PrincipalId principal) {
        private static final FieldFormat<Pause> FORM = new FieldFormat<>(
                (pause, out) -> pause.principal.write(out.i32(pause.volume)),
                in -> new Pause(in.i32(0, Integer.MAX_VALUE), PrincipalId.read(in)));
    }

    /** Access key of a person. */
    record PersonsKey(PrincipalId person, String id) {
        private static final FieldFormat<PersonsKey> FORM = new FieldFormat<>(
                (key, out) -> write(key.person, out).raw(Names.utf8(key.id)),
                in -> new PersonsKey(PrincipalId.read(in), readRest(in)));
    }

    /** Something of a session. */
    record InSession(PrincipalId owner, long session, long number) {
        private static final FieldFormat<InSession> FORM = new FieldFormat<>(
                (key, out) -> write(key.owner, out).i64(key.session).i64(key.number),
                in -> new InSession(PrincipalId.read(in), in.nonNegative64(), in.nonNegative64()));
    }

    /** An interval that ends with its key. */
    record Interval(long first, long sequence) {
        private static final FieldFormat<Interval> FORM = new FieldFormat<>(
                (interval, out) -> out.i64(interval.first).i64(interval.sequence),
                in -> new Interval(in.nonNegative64(), in.nonNegative64()));
    }

    record TimedSession(long atMillis, PrincipalId owner, long session) {
        private static final FieldFormat<TimedSession> FORM = new FieldFormat<>(
                (key, out) -> write(key.owner, out.i64(key.atMillis)).i64(key.session),
                in -> new TimedSession(in.nonNegative64(), PrincipalId.read(in), in.nonNegative64()));
    }

    record DueInode(long atMillis, long inode) {
        private static final FieldFormat<DueInode> FORM = new FieldFormat<>(
                (due, out) -> out.i64(due.atMillis).i64(due.inode),
                in -> new DueInode(in.nonNegative64(), in.nonNegative64()));
    }

    record Name(String bucket, Bytes key, long version) {
        private static final FieldFormat<Name> FORM = new FieldFormat<>(
                (name, out) -> out.raw(Names.utf8(name.bucket))
                        .u8(0)
                        .raw(name.key)
                        .u8(0)
                        .i64(Long.MAX_VALUE - name.version),
                in -> new Name(Names.text(readUntilZero(in)), readUntilZero(in), Long.MAX_VALUE - in.nonNegative64()));
    }

    record Accusation(PrincipalId about, BlockId block, Verdict verdict) {
        private static final FieldFormat<Accusation> FORM = new FieldFormat<>(
                (accusation, out) -> {
                    accusation.block.write(write(accusation.about, out));
                    CommandCodec.writeVerdict(accusation.verdict, out);
                },
                in -> new Accusation(PrincipalId.read(in), BlockId.read(in), CommandCodec.readVerdict(in)));

        static Accusation firstOf(PrincipalId about) {
            return new Accusation(about, BlockId.register(0, 0), Verdict.values()[0]);
        }

        /** Returns a key that no accusation of this principal is behind. */
        static Accusation lastOf(PrincipalId about) {
            PrincipalId owner = PrincipalId.client(Integer.MAX_VALUE);
            BlockId block = new BlockId(Integer.MAX_VALUE, owner, Long.MAX_VALUE, Long.MAX_VALUE);
            return new Accusation(about, block, Verdict.values()[Verdict.values().length - 1]);
        }
    }

    record Report(Accusation accusation, PrincipalId reporter) implements NodeReports.Key {
        private static final FieldFormat<Report> FORM = new FieldFormat<>(
                (report, out) -> {
                    Accusation.FORM.writer().accept(report.accusation, out);
                    report.reporter.write(out);
                },
                in -> new Report(Accusation.FORM.reader().apply(in), PrincipalId.read(in)));

        @Override
        public boolean isOfGroup(Volume volume, int group) {
            BlockId block = accusation.block;
            return block.volume() == volume.id() && volume.groupIndex(block) == group;
        }
    }

    /** Report of one node on a client in one placement group. */
    record Poisoner(PrincipalId client, int volume, int group, PrincipalId reporter) implements NodeReports.Key {
        private static final FieldFormat<Poisoner> FORM = new FieldFormat<>(
                (key, out) -> key.reporter.write(
                        write(key.client, out).i32(key.volume).i32(key.group)),
                in -> new Poisoner(
                        PrincipalId.read(in),
                        in.i32(0, Integer.MAX_VALUE),
                        in.i32(0, Integer.MAX_VALUE),
                        PrincipalId.read(in)));

        @Override
        public boolean isOfGroup(Volume of, int index) {
            return of.id() == volume && index == group;
        }
    }

    record VolumeGrant(int volume, PrincipalId client) {
        private static final FieldFormat<VolumeGrant> FORM = new FieldFormat<>(
                (key, out) -> key.client.write(out.i32(key.volume)),
                in -> new VolumeGrant(in.i32(0, Integer.MAX_VALUE), PrincipalId.read(in)));
    }

    record BucketGrant(String bucket, PrincipalId client) {
        private static final FieldFormat<BucketGrant> FORM = new FieldFormat<>(
                (key, out) -> key.client.write(out.raw(Names.utf8(key.bucket)).u8(0)),
                in -> new BucketGrant(Names.text(readUntilZero(in)), PrincipalId.read(in)));
    }

    /** Act-for grant of a door over a person. */
    record ActForKey(PrincipalId door, PrincipalId person) {
        private static final FieldFormat<ActForKey> FORM = new FieldFormat<>(
                (key, out) -> key.person.write(Tables.write(key.door, out)),
                in -> new ActForKey(PrincipalId.read(in), PrincipalId.read(in)));
    }

    record UploadKey(String bucket, Bytes key, long id) {
        private static final FieldFormat<UploadKey> FORM = new FieldFormat<>(
                (key, out) ->
                        out.raw(Names.utf8(key.bucket)).u8(0).raw(key.key).u8(0).i64(key.id),
                in -> new UploadKey(Names.text(readUntilZero(in)), readUntilZero(in), in.nonNegative64()));
    }

    record PartKey(long upload, int number) {
        private static final FieldFormat<PartKey> FORM = new FieldFormat<>(
                (key, out) -> out.i64(key.upload).i32(key.number),
                in -> new PartKey(in.nonNegative64(), in.i32(0, PartSelection.NUMBER_MAX)));
    }

    /** Some slices of a composition; the last of them ends here. */
    record SliceKey(long inode, long end) {
        private static final FieldFormat<SliceKey> FORM = new FieldFormat<>(
                (key, out) -> out.i64(key.inode).i64(key.end),
                in -> new SliceKey(in.nonNegative64(), in.nonNegative64()));
    }

    record TimedUpload(long atMillis, long upload) {
        private static final FieldFormat<TimedUpload> FORM = new FieldFormat<>(
                (key, out) -> out.i64(key.atMillis).i64(key.upload),
                in -> new TimedUpload(in.nonNegative64(), in.nonNegative64()));
    }

    /** Key that has a null version. */
    record NullKey(String bucket, Bytes key) {
        private static final FieldFormat<NullKey> FORM = new FieldFormat<>(
                (key, out) -> out.raw(Names.utf8(key.bucket)).u8(0).raw(key.key).u8(0),
                in -> new NullKey(Names.text(readUntilZero(in)), readUntilZero(in)));
    }

    record DocumentKey(String bucket, String name) {
        private static final FieldFormat<DocumentKey> FORM = new FieldFormat<>(
                (key, out) -> out.raw(Names.utf8(key.bucket)).u8(0).raw(Names.utf8(key.name)),
                in -> new DocumentKey(Names.text(readUntilZero(in)), readName(in)));
    }

    record EventKey(String bucket, long position) {
        private static final FieldFormat<EventKey> FORM = new FieldFormat<>(
                (key, out) -> out.raw(Names.utf8(key.bucket)).u8(0).i64(key.position),
                in -> new EventKey(Names.text(readUntilZero(in)), in.nonNegative64()));
    }

    Tables(KeyValueState state, long weightMax) {
        super(state);
        weight = new Weight(this, weightMax);
        all = table(1, ONLY_VERSION, new FieldFormat<>(Totals::write, Totals::read));
        total = new RecordCache<>(all);
        nodes = table(2, FieldFormat.NUMBER, new FieldFormat<>(NodeAddress::write, NodeAddress::read));
        grants = table(3, PRINCIPAL, new FieldFormat<>(Genesis.Grant::write, Genesis.Grant::read));
        accounts = new RecordCache<>(table(4, PRINCIPAL, new FieldFormat<>(Account::write, Account::read)));
        volumes = table(5, FieldFormat.NUMBER, new FieldFormat<>(Volumes.Definition::write, Volumes.Definition::read));
        groups = table(6, GroupsKey.FORM, GROUPS);
        usages = new RecordCache<>(table(7, FieldFormat.NUMBER, USAGE));
        sessions = new RecordCache<>(
                table(8, OwnedKey.FORM, new FieldFormat<>(Session::write, in -> Session.read(this, in))));
        open = table(9, OwnedKey.FORM, FieldFormat.NOTHING);
        expiries = table(10, TimedSession.FORM, FieldFormat.NOTHING);
        results = table(11, InSession.FORM, new FieldFormat<>(Session.Result::write, Session.Result::read));
        used = table(12, InSession.FORM, FieldFormat.LONG_NUMBER);
        freed = table(13, InSession.FORM, Interval.FORM);
        pendings = table(14, InSession.FORM, FieldFormat.NOTHING);
        collapsed = table(15, OwnedKey.FORM, Interval.FORM);
        changes = table(16, FieldFormat.LONG_NUMBER, CHANGE);
        inodes = table(17, FieldFormat.LONG_NUMBER, new FieldFormat<>(Inodes.Entry::write, Inodes.Entry::read));
        links = table(18, FieldFormat.LONG_NUMBER, FieldFormat.NUMBER);
        dues = table(19, DueInode.FORM, FieldFormat.NOTHING);
        bucketsByName = table(20, BUCKET_NAME, new FieldFormat<>(Bucket::write, in -> Bucket.read(this, in)));
        buckets = new RecordCache<>(bucketsByName);
        names = table(21, Name.FORM, new FieldFormat<>(Link::write, Link::read));
        reports = table(22, Report.FORM, NodeReports.FiledReport.FORM);
        reportsOf = table(23, OwnedKey.FORM, Report.FORM);
        recorded = table(24, Accusation.FORM, FieldFormat.LONG_NUMBER);
        evidence = table(25, FieldFormat.LONG_NUMBER, new FieldFormat<>(Evidence::write, Evidence::read));
        members = table(26, PRINCIPAL, new FieldFormat<>(Registry.Entry::write, Registry.Entry::read));
        keyOwners = table(27, new FieldFormat<>(PrincipalKey::write, PrincipalKey::read), PRINCIPAL);
        registryVersion = table(28, FieldFormat.NUMBER, FieldFormat.LONG_NUMBER);
        volumeGrants = table(29, VolumeGrant.FORM, new FieldFormat<>(Grants.OnVolume::write, Grants.OnVolume::read));
        bucketGrants = table(30, BucketGrant.FORM, new FieldFormat<>(Rights::write, Rights::read));
        releases = table(31, RELEASE, FieldFormat.NOTHING);
        audit = table(32, FieldFormat.LONG_NUMBER, new FieldFormat<>(AuditEntry::write, AuditEntry::read));
        auditHead = table(33, FieldFormat.NUMBER, new FieldFormat<>(AuditLog.Head::write, AuditLog.Head::read));
        invitations = table(34, PRINCIPAL, FieldFormat.LONG_NUMBER);
        poison = table(35, Poisoner.FORM, NodeReports.FiledReport.FORM);
        poisonOf = table(36, OwnedKey.FORM, Poisoner.FORM);
        suspended = table(37, PRINCIPAL, new FieldFormat<>(ReplyCodec::writeSuspension, ReplyCodec::readSuspension));
        lifted = table(38, PRINCIPAL, FieldFormat.LONG_NUMBER);
        replicas = table(39, FieldFormat.NUMBER, new FieldFormat<>(Configuration::write, Configuration::read));
        actFor = table(40, ActForKey.FORM, new FieldFormat<>(Rights::write, Rights::read));
        uploads = table(41, UploadKey.FORM, new FieldFormat<>(Uploads.Upload::write, Uploads.Upload::read));
        parts = table(42, PartKey.FORM, new FieldFormat<>(Uploads.Part::write, Uploads.Part::read));
        slices = table(43, SliceKey.FORM, SLICES);
        completions = table(44, FieldFormat.LONG_NUMBER, COMPLETION);
        completionDues = table(45, TimedUpload.FORM, FieldFormat.NOTHING);
        locks = table(70, SubtreeKey.FORM, OwnedKey.FORM);
        holders = new RecordCache<>(table(71, OwnedKey.FORM, new FieldFormat<>(Holder::write, Holder::read)));
        logGrants = table(72, OwnedKey.FORM, new FieldFormat<>(Grant::write, Grant::read));
        grantsOfLogs = new RecordCache<>(logGrants);
        rounds = table(73, TimedSession.FORM, FieldFormat.NOTHING);
        lockDues = table(74, TimedSession.FORM, FieldFormat.NOTHING);
        pieces = table(75, PieceKey.FORM, new FieldFormat<>(Rounds.Piece::write, Rounds.Piece::read));
        fetches = table(76, Supplier.FORM, new FieldFormat<>(LogHead::write, LogHead::read));
        supplied = table(77, Supplier.FORM, new FieldFormat<>(Rounds.Supplied::write, Rounds.Supplied::read));
        outcomes = table(78, InSession.FORM, OUTCOME);
        marks = table(79, SubtreeKey.FORM, new FieldFormat<>(Contention.Mark::write, Contention.Mark::read));
        markDues = table(80, DueSubtree.FORM, FieldFormat.NOTHING);
        pauses = table(81, Pause.FORM, FieldFormat.LONG_NUMBER);
        arrivals = table(82, FieldFormat.LONG_NUMBER, Arrival.FORM);
    }

    /** Returns what the present command draws from. */
    Supply supply() {
        return supply;
    }

    /** Has an entry of a log draw from its grant. */
    Reply drawingFrom(Grant grant, java.util.function.Supplier<Reply> entry) {
        supply = grant;
        try {
            return entry.get();
        } finally {
            supply = ordered;
        }
    }

    /** Begins a command or query: nothing is known but what is in the state. */
    void begin() {
        total.begin();
        accounts.begin();
        usages.begin();
        sessions.begin();
        buckets.begin();
        holders.begin();
        grantsOfLogs.begin();
        eventLogs.begin();
    }

    /** Ends a command: what it has changed is in the state. */
    void end() {
        total.end();
        accounts.end();
        usages.end();
        sessions.end();
        buckets.end();
        holders.end();
        grantsOfLogs.end();
        eventLogs.end();
    }

    Totals totals() {
        return total.find(VERSION).orElseThrow(() -> new IllegalStateException("there are no metadata in this state"));
    }

    /** Writes what an empty state begins with. */
    void create(Genesis genesis) {
        total.add(VERSION, new Totals());
        genesis.nodes().forEach(node -> nodes.put(node.node(), node));
        genesis.grants().forEach(grant -> grants.put(grant.client(), grant));
    }

    Account account(PrincipalId owner) {
        return accounts.find(owner).orElseGet(() -> accounts.add(owner, new Account()));
    }

    /** All entries in order, each a 16-bit length and the key, then a 32-bit length and the value. */
    void write(WireWriter out) {
        state.scan(Bytes.EMPTY, Bytes.of((byte) 0xFF), (key, value) -> {
            out.u16(key.length()).raw(key).bytes(value);
            return true;
        });
    }

    /** Reads all that is left into an empty state. */
    void read(WireReader in) {
        Bytes last = Bytes.EMPTY;
        while (in.remaining() > 0) {
            Bytes key = in.raw(in.count16(KeyValueState.KEY_BYTES_MAX));
            Bytes value = in.bytes(KeyValueState.VALUE_BYTES_MAX);
            Table<?, ?> table = key.isEmpty() ? null : byPrefix.get(key.get(0) & 0xFF);
            if (table == null || key.compareTo(last) <= 0) {
                throw new MalformedException("a key of no table, or out of order");
            }
            try {
                table.check(key, value);
            } catch (IllegalArgumentException e) {
                throw new MalformedException(e);
            }
            state.put(key, value);
            last = key;
        }
        if (!all.contains(VERSION)) {
            throw new MalformedException("no totals");
        }
    }

    private static WireWriter write(PrincipalId principal, WireWriter out) {
        principal.write(out);
        return out;
    }

    private static String readName(WireReader in) {
        String name = Names.text(in.raw(in.remaining()));
        if (Names.problemOfName(name).isPresent()) {
            throw new MalformedException("no bucket or document has this name");
        }
        return name;
    }

    private static String readRest(WireReader in) {
        return Names.text(in.raw(in.remaining()));
    }

    static Bytes readUntilZero(WireReader in) {
        WireWriter until = new WireWriter(64);
        for (int next = in.u8(); next != 0; next = in.u8()) {
            until.u8(next);
        }
        return until.toBytes();
    }
}
