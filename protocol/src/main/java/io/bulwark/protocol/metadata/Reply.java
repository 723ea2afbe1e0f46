package io.bulwark.protocol.metadata;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.BlockRange;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLayout;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.OwnContent;
import io.bulwark.protocol.object.Slice;
import io.bulwark.protocol.object.VersionState;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Optional;

/** Answer of the state machine. All times are agreed time in milliseconds since the epoch. */
public sealed interface Reply {
    /** Refused; nothing has changed. */
    record Failed(MetadataError error, String detail) implements Reply {
        static final int DETAIL_BYTES_MAX = 4096;

        /** Action that a principal that does not belong may not do. */
        static final String ANYTHING = "do anything";

        static final String ASK_ANYTHING = "ask anything";

        /** For people: the sentence of the error and the particulars, which say all where an argument cannot be. */
        public String message() {
            if (detail.isEmpty()) {
                return error.message();
            }
            if (isOfStranger()) {
                return detail + ": it was revoked or never registered";
            }
            return error == MetadataError.BAD_ARGUMENT ? detail : error.message() + ": " + detail;
        }

        /**
         * Returns whether the asker does not belong, as opposed to lacking a right. Nothing else in the reply shows
         * that.
         */
        public boolean isOfStranger() {
            return error == MetadataError.NOT_AUTHORISED
                    && (detail.endsWith(ANYTHING) || detail.endsWith(ASK_ANYTHING));
        }
    }

    /** Reply about uploads in parts, or compositions. */
    sealed interface OfUpload extends Reply {}

    /** Reply about the documents of a bucket. */
    sealed interface OfDocument extends Reply {}

    /** Reply about the access keys of gateways. */
    sealed interface OfAccessKey extends Reply {}

    /** Reply about event logs of buckets, and their receivers. */
    sealed interface OfEvents extends Reply {}

    /** Reply about locks on subtrees. */
    sealed interface OfLocking extends Reply {}

    record Done() implements Reply {}

    /**
     * The session is open, counted from 1 per owner.
     *
     * @param ttlMillis it expires when so much served time passes without a command; time in which nothing is served
     *     counts little
     */
    record SessionOpened(int volume, long session, long ttlMillis) implements Reply {}

    record VolumeCreated(int volume) implements Reply {}

    /** An inode has become visible, as an object or as a part of an upload. */
    sealed interface Stored extends Reply {
        long inode();
    }

    /**
     * A name links to the inode now.
     *
     * @param version grows over all names, is never reused
     * @param linkedMillis when the name got this version
     * @param isNull whether it is the null version
     */
    record ObjectStored(long inode, long version, long linkedMillis, boolean isNull, ObjectLock lock)
            implements Stored {}

    /**
     * An upload has this part now.
     *
     * @param inode its id: another part of the same number has another one
     */
    record PartStored(long inode, long length, long storedMillis) implements Stored, OfUpload {}

    /** The inode has other extents with the same bytes now. */
    record Refilled(long inode) implements Stored {}

    record UploadBegun(long upload, long begunMillis) implements OfUpload {}

    /**
     * A document of a bucket is there.
     *
     * @param number of this change, never reused
     */
    record DocumentStored(long number) implements OfDocument {}

    /**
     * A document of a bucket.
     *
     * @param number of its last change; 0 if there is none
     */
    record DocumentFound(long number, Bytes content) implements OfDocument {}

    /** One entry of a list of documents. */
    record DocumentEntry(String name, long number) {}

    record DocumentList(List<DocumentEntry> documents) implements OfDocument {
        public DocumentList {
            documents = List.copyOf(documents);
        }
    }

    record PendingRegistered(long pending) implements Reply {}

    /**
     * A name has lost its latest version, or one version.
     *
     * @param version the number of the delete marker, or of the version that is gone; 0 if there was none
     * @param marker whether it is a delete marker that was made or is gone
     * @param isNull whether it is the null version
     */
    record Deleted(long version, boolean marker, boolean isNull) implements Reply {}

    record Map(ClusterMap map) implements Reply {}

    /**
     * Counts of the state machine.
     *
     * @param objects names that are not hidden by a delete marker
     * @param logs those of holders of locks
     * @param older extents that are left in generations before the newest of their volume
     * @param digest SHA-256 over the chain of all submissions so far, with their times and replies: where it is equal,
     *     the resulting states are equal
     */
    record Status(
            long commands,
            long agreedMillis,
            int volumes,
            int buckets,
            long objects,
            long inodes,
            long bytes,
            int openSessions,
            OpenLogs logs,
            List<OlderExtents> older,
            Bytes digest)
            implements Reply {
        static final int DIGEST_BYTES = 32;
        static final int OLDER_MAX = ClusterMap.VOLUMES_MAX * Volume.GENERATIONS_MAX;

        public Status {
            older = List.copyOf(older);
        }
    }

    /**
     * Extents in an older generation of placement groups.
     *
     * @param extents blocks that inodes and pending uploads name
     */
    record OlderExtents(int volume, int generation, long extents) {}

    /**
     * Logs whose entries are not all executed yet.
     *
     * @param locks of all of them
     * @param oldestMillis served time since the lock of the oldest one; 0 if there is none
     */
    record OpenLogs(int logs, int locks, long oldestMillis) {}

    /** Closed for good if the session exists but is for another volume. */
    record Session(SessionState state) implements Reply {}

    record Granted(boolean mayRead, boolean mayWrite) implements Reply {}

    /** Number of clients. */
    record Writers(int count) implements Reply {}

    /**
     * A page.
     *
     * @param next the cursor for the next page
     * @param more whether it is worth asking at once
     * @param last arrival of the last of all references, of any volume: those that come meanwhile have later ones
     */
    record References(List<Reference> references, long next, boolean more, long last) implements Reply {
        public References {
            references = List.copyOf(references);
        }
    }

    /**
     * References of an inode.
     *
     * @param arrival number of the inode in the order in which nodes get references
     * @param layout empty for a pending upload, whose pins are not known yet
     * @param pendingRanges the ranges of a pending upload
     */
    record Reference(long arrival, long inode, Optional<ObjectLayout> layout, List<BlockRange> pendingRanges) {
        public Reference {
            pendingRanges = List.copyOf(pendingRanges);
            if (layout.isPresent() != pendingRanges.isEmpty()) {
                throw new IllegalArgumentException("a reference has either a layout or pending ranges");
            }
        }
    }

    /**
     * A page.
     *
     * @param next the cursor for the next page
     * @param more whether it is worth asking at once
     */
    record SessionChanges(List<SessionChange> changes, long next, boolean more) implements Reply {
        public SessionChanges {
            changes = List.copyOf(changes);
        }
    }

    /**
     * A version of an object; its inode tells the rest.
     *
     * @param linkedMillis when the name got this version
     */
    record ObjectFound(long version, long linkedMillis, VersionState state, Inode inode) implements Reply {
        public ObjectAttributes attributes() {
            return state.attributes();
        }
    }

    /**
     * Answer whether an inode exists. It has no layout: pins are told to readers of a version only.
     *
     * @param exists false once its ranges are freed
     * @param linked false if it ends with the grace
     * @param names whether it names the block still, and was not refilled since
     */
    record InodeFound(boolean exists, boolean linked, boolean names) implements Reply {
        /** Answer for an inode that is gone. */
        public static final InodeFound GONE = new InodeFound(false, false, false);
    }

    /**
     * A slice of a composition, with what leads to its bytes.
     *
     * @param start the offset of its first byte in the composition
     */
    record SliceEntry(long start, Slice slice, OwnContent content) {}

    /** A page: it ends before the composition does if there is more. */
    record SliceList(List<SliceEntry> slices) implements OfUpload {
        public SliceList {
            slices = List.copyOf(slices);
        }
    }

    /**
     * An upload that was neither completed nor aborted.
     *
     * @param parts their number
     * @param bytes of all parts
     * @param attributes of the object to be
     * @param lock of the object to be
     */
    record UploadEntry(
            String key,
            long upload,
            long begunMillis,
            int parts,
            long bytes,
            ObjectAttributes attributes,
            ObjectLock lock) {}

    record UploadFound(UploadEntry upload) implements OfUpload {}

    /**
     * A page.
     *
     * @param more whether there is a next page, behind the last upload of this one
     */
    record UploadList(List<UploadEntry> uploads, boolean more) implements OfUpload {
        public UploadList {
            uploads = List.copyOf(uploads);
        }
    }

    /** A part of an upload; its inode is its id. */
    record PartEntry(int number, long inode, long length, long storedMillis, ObjectAttributes attributes) {}

    /**
     * A page.
     *
     * @param more whether there is a next page, behind the last part of this one
     */
    record PartList(List<PartEntry> parts, boolean more) implements OfUpload {
        public PartList {
            parts = List.copyOf(parts);
        }
    }

    /** One entry of a list of objects. */
    record ObjectEntry(String key, long version, long inode, long length, long linkedMillis, VersionState state) {
        public ObjectAttributes attributes() {
            return state.attributes();
        }
    }

    /**
     * A page.
     *
     * @param next where the next page begins; empty if there is none
     */
    record ObjectList(List<ObjectEntry> objects, List<String> commonPrefixes, Bytes next) implements Reply {
        public ObjectList {
            objects = List.copyOf(objects);
            commonPrefixes = List.copyOf(commonPrefixes);
        }
    }

    /**
     * One entry of a list of versions.
     *
     * @param inode 0 for a delete marker, whose length is 0
     */
    record VersionEntry(
            String key, long version, boolean latest, long inode, long length, long linkedMillis, VersionState state) {
        public boolean deleteMarker() {
            return inode == 0;
        }
    }

    /**
     * A page.
     *
     * @param more whether there is a next page, from {@code nextKey} and {@code nextVersion}
     */
    record VersionList(
            List<VersionEntry> versions, List<String> commonPrefixes, boolean more, String nextKey, long nextVersion)
            implements Reply {
        public VersionList {
            versions = List.copyOf(versions);
            commonPrefixes = List.copyOf(commonPrefixes);
        }
    }

    /**
     * One entry of a list of buckets.
     *
     * @param creator by whose rights it was made
     * @param objects names with at least one version
     * @param bytes of all versions
     */
    record BucketEntry(
            String name,
            PrincipalId creator,
            int volume,
            BucketSettings settings,
            long objects,
            long bytes,
            long createdMillis) {}

    /**
     * A page.
     *
     * @param next where the next page begins; empty if there is none
     */
    record BucketList(List<BucketEntry> buckets, String next) implements Reply {
        public BucketList {
            buckets = List.copyOf(buckets);
        }
    }

    /**
     * Recorded fault, without the reports of its reporters, see {@link Evidence}.
     *
     * @param number counted from 1 in the order in which f+1 was reached
     * @param detail of the first report
     */
    record EvidenceEntry(
            long number,
            PrincipalId about,
            BlockId block,
            Verdict verdict,
            List<PrincipalId> reporters,
            long agreedMillis,
            String detail) {
        public EvidenceEntry {
            reporters = List.copyOf(reporters);
        }
    }

    /**
     * A page.
     *
     * @param next the cursor for the next page
     */
    record EvidenceList(List<EvidenceEntry> entries, long next, boolean more) implements Reply {
        public EvidenceList {
            entries = List.copyOf(entries);
        }
    }

    /**
     * A recorded fault with the reports.
     *
     * @param evidence empty if there is none of this number, or no longer
     */
    record EvidenceFound(Optional<Evidence> evidence) implements Reply {}

    /**
     * One entry of the registry.
     *
     * @param keys the newest first; none if it is revoked
     * @param invitedUntilMillis end of its invitation, in agreed time; 0 once it has a key of its own
     */
    record PrincipalEntry(PrincipalId principal, List<PrincipalKey> keys, long invitedUntilMillis) {
        public PrincipalEntry {
            keys = List.copyOf(keys);
            if (keys.size() > Command.KEYS_MAX || (keys.isEmpty() && invitedUntilMillis != 0)) {
                throw new IllegalArgumentException(keys.size() + " keys of " + principal);
            }
        }

        public boolean revoked() {
            return keys.isEmpty();
        }
    }

    /**
     * Page of principals, ascending.
     *
     * @param version of the registry: the number of its changes
     * @param next start of the following page; {@link PrincipalId#NOBODY} if there is none
     */
    record PrincipalList(long version, List<PrincipalEntry> principals, PrincipalId next) implements Reply {
        public PrincipalList {
            principals = List.copyOf(principals);
        }
    }

    record GrantEntry(Scope scope, Rights rights) {}

    /** At most a thousand of a client's grants. */
    record GrantList(List<GrantEntry> grants) implements Reply {
        public GrantList {
            grants = List.copyOf(grants);
        }
    }

    /** Person for whom a door acts, and the ceiling of that person's rights there. */
    record ActForEntry(PrincipalId person, Rights ceiling) {}

    /**
     * Page of the persons for whom a door acts, ascending.
     *
     * @param next start of the following page; {@link PrincipalId#NOBODY} if there is none
     */
    record ActForList(List<ActForEntry> entries, PrincipalId next) implements Reply {
        public ActForList {
            entries = List.copyOf(entries);
        }
    }

    /**
     * An access key.
     *
     * @param key empty if there is none that the asker may have
     * @param box its secret, sealed for the asker; empty if it is not
     */
    record AccessKeyFound(Optional<AccessKey> key, Bytes box) implements OfAccessKey {}

    /**
     * One entry of a list of access keys.
     *
     * @param readers for whom its secret is sealed
     */
    record AccessKeyEntry(AccessKey key, List<PrincipalId> readers) {
        public AccessKeyEntry {
            readers = List.copyOf(readers);
        }
    }

    /**
     * Page of access keys.
     *
     * @param next start of the following page; empty if there is none
     */
    record AccessKeyList(List<AccessKeyEntry> entries, String next) implements OfAccessKey {
        public AccessKeyList {
            entries = List.copyOf(entries);
        }
    }

    /** The gateways. */
    record GatewayList(Gateways gateways) implements OfAccessKey {}

    /** The webhooks, ascending by name. */
    record WebhookList(List<Webhook> webhooks) implements OfEvents {
        public WebhookList {
            webhooks = List.copyOf(webhooks);
        }
    }

    /**
     * Answer to a claim.
     *
     * @param held whether the claimant delivers; if not, nothing was acknowledged
     * @param pending number of events in the log
     * @param dropped number of events that were dropped because the log was full
     */
    record EventsClaimed(boolean held, int pending, long dropped) implements OfEvents {}

    /** One event of a list. Positions ascend with gaps, and are never reused. */
    record EventEntry(long position, ObjectEvent event) {}

    /** Page of events. */
    record EventList(List<EventEntry> events) implements OfEvents {
        public EventList {
            events = List.copyOf(events);
        }
    }

    /**
     * Event log of a bucket.
     *
     * @param pending number of events in it
     * @param dropped number of events that were dropped because it was full
     * @param oldestMillis time of the first event; 0 if there is none
     * @param claimant who delivers; 0 if nobody does
     */
    record EventLogEntry(
            String bucket,
            PrincipalId creator,
            int pending,
            long bytes,
            long dropped,
            long oldestMillis,
            long claimant) {}

    /**
     * Page of event logs.
     *
     * @param next name after which the following page begins; empty if there is none
     */
    record EventLogList(List<EventLogEntry> logs, String next) implements OfEvents {
        public EventLogList {
            logs = List.copyOf(logs);
        }
    }

    /**
     * The releases that are allowed, ascending by hash; none if nothing is checked.
     *
     * @param version the number of changes so far
     */
    record ReleaseList(long version, List<Bytes> hashes) implements Reply {
        public ReleaseList {
            hashes = List.copyOf(hashes);
        }
    }

    /**
     * A page of the audit log.
     *
     * @param count how many entries there are in all
     * @param head the digest of the last of all
     */
    record AuditList(List<AuditEntry> entries, long count, Bytes head) implements Reply {
        public AuditList {
            entries = List.copyOf(entries);
        }
    }

    /** Report of one node on a client: a poisonous version of this block, which came in this session. */
    record PoisonReport(PrincipalId reporter, BlockId block, long session, String detail) {
        static PoisonReport of(NodeReport report) {
            if (report.content() instanceof Command.ReportPoison poison) {
                return new PoisonReport(report.reporter(), poison.block(), poison.session(), poison.detail());
            }
            throw new IllegalArgumentException("no report about a client: " + report.content());
        }
    }

    /**
     * Client that b+1 or more nodes of a placement group have reported.
     *
     * @param sinceMillis agreed time
     * @param enforced whether it may not write; false for a client that may administer the volume, which is only listed
     * @param evidence number of the recorded fault, which has the reports with their signatures
     */
    record SuspensionEntry(
            PrincipalId client, long sinceMillis, boolean enforced, long evidence, List<PoisonReport> reports) {
        public SuspensionEntry {
            reports = List.copyOf(reports);
            if (reports.isEmpty()) {
                throw new IllegalArgumentException("no node has reported " + client);
            }
        }
    }

    /**
     * Page of suspensions, ascending by client.
     *
     * @param next start of the following page; {@link PrincipalId#NOBODY} if there is none
     */
    record SuspensionList(List<SuspensionEntry> entries, PrincipalId next) implements Reply {
        public SuspensionList {
            entries = List.copyOf(entries);
        }
    }

    /**
     * Nodes that their peers find faulty.
     *
     * @param faults ascending by node
     * @param suspicions of single peers, ascending by node; not more than a page
     */
    record NodeFaultList(FaultPolicy policy, List<NodeFault> faults, List<Suspicion> suspicions) implements Reply {
        public NodeFaultList {
            faults = List.copyOf(faults);
            suspicions = List.copyOf(suspicions);
        }
    }

    /** Bound on {@link VolumeAlarm#waitsFor}. */
    int WAIT_BYTES_MAX = 1_024;

    /**
     * A volume that follows the threat level.
     *
     * @param least faults that it tolerates at level 0
     * @param most faults that it tolerates at any level
     * @param faults that it tolerates now
     * @param announced that it is going to tolerate; 0 if no other number is announced
     * @param waitsFor the reason that its number does not follow yet; empty if it does
     */
    record VolumeAlarm(String volume, int least, int most, int faults, int announced, String waitsFor) {}

    /**
     * The threat level.
     *
     * @param volumes those that follow it, by rising id
     */
    record ThreatState(ThreatPolicy policy, ThreatLevel level, List<VolumeAlarm> volumes) implements Reply {
        public ThreatState {
            volumes = List.copyOf(volumes);
        }
    }

    /**
     * The replicas.
     *
     * @param now as the state has it; its number is that of the configuration that orders
     * @param next follows at the next checkpoint
     */
    record ReplicaList(Configuration now, Optional<Configuration> next) implements Reply {}

    record GenesisTold(GenesisKeys genesis) implements Reply {}

    /**
     * The session holds the locks; its log is empty.
     *
     * @param agreedMillis when, in agreed time: no entry of the log counts as earlier
     * @param firstInode of the block of ids that the log draws from
     * @param firstVersion of the block of version numbers that the log draws from
     * @param bytes that the log may add to the volume
     * @param weight that the log may add to the state
     */
    record Locked(LogId log, long agreedMillis, long firstInode, long firstVersion, long bytes, long weight)
            implements OfLocking {}

    /**
     * One lock.
     *
     * @param ageMillis served time since it was given
     * @param reason of the round that closes the log; empty while none is open
     */
    record LockEntry(Subtree subtree, LogId log, long ageMillis, Optional<RoundReason> reason) {}

    /**
     * A page.
     *
     * @param more whether there is a next page, behind the last lock of this one
     */
    record LockList(List<LockEntry> locks, boolean more) implements OfLocking {
        public LockList {
            locks = List.copyOf(locks);
        }
    }

    /**
     * Results of a closed log. An entry above the length was not executed, and never will be.
     *
     * @param length number of entries that were executed
     * @param first number of the entry with the first of these results
     * @param replies in canonical bytes, up to the one of entry {@code length}
     */
    record LogOutcome(long length, long first, List<Bytes> replies) implements OfLocking {
        public LogOutcome {
            replies = List.copyOf(replies);
        }
    }

    default Bytes encoded() {
        return ReplyCodec.encode(this);
    }

    /**
     * Reads one reply.
     *
     * @throws io.bulwark.protocol.wire.MalformedException unless these are its canonical bytes
     */
    static Reply decode(Bytes bytes) {
        return ReplyCodec.decode(bytes);
    }
}
