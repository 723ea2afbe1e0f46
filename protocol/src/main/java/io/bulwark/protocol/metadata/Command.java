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
import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.OwnContent;
import io.bulwark.protocol.object.Retention;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/**
 * Change of the metadata, executed once in a session. Unless said otherwise the reply is {@link Reply.Done}, or {@link
 * Reply.Failed} and nothing has changed. The class {@link Names} checks names when the command is executed, so that a
 * bad one gets a typed error.
 */
public sealed interface Command {
    /** Command that its submitter signs, where principals have keys ({@link AuditEntry#signed}). */
    sealed interface Signed extends Command {}

    /**
     * Command that changes the cluster or the rights in it: an operator signs it, and the audit log keeps it
     * permanently ({@link AuditEntry}). All operators' commands, present and future, are of this kind.
     */
    sealed interface Administrative extends Signed {}

    /** Command about a volume as a whole. Requires the right to administer the cluster. */
    sealed interface OfVolume extends Command {}

    /** Change of the settings of a bucket, or of what a version may have changed. */
    sealed interface OfSetting extends Command {}

    /** Step of an upload in parts, or a composition. */
    sealed interface OfUpload extends Command {}

    /** Change of the access keys of gateways. */
    sealed interface OfAccessKey extends Administrative {}

    /** Command about event logs of buckets, and their receivers. */
    sealed interface OfEvents extends Command {}

    /** Command about locks on subtrees (docs/protocols/locking.md). */
    sealed interface OfLocking extends Command {}

    /** Command about nodes that their peers find faulty. */
    sealed interface OfNodeFault extends Command {}

    /** Command about the threat level, which moves the faults that volumes tolerate. */
    sealed interface OfThreat extends Administrative {}

    /**
     * Observation of a node about another node or a client. Once f+1 nodes of a placement group report the same, the
     * record keeps their reports with the signatures ({@link Evidence}).
     */
    sealed interface Report extends Signed {
        PrincipalId about();

        BlockId block();

        Verdict verdict();

        /** At most {@link #DETAIL_BYTES_MAX} bytes, for people. */
        String detail();
    }

    /** A put consumes at most so many pending uploads. */
    int PENDING_MAX = 256;

    /** A command registers or abandons at most so many ranges. */
    int RANGES_MAX = 256;

    /** A command names at most so many slices; the bound on its bytes may allow fewer. */
    int SLICES_MAX = 1_000;

    int DETAIL_BYTES_MAX = 256;

    /** A node reports at most so many counts at a time. */
    int OBSERVATIONS_MAX = 256;

    /** A principal has at most so many keys at a time: a new one, and the one before. */
    int KEYS_MAX = 2;

    /** A bucket has at most so many documents. */
    int DOCUMENTS_MAX = 16;

    int DOCUMENT_BYTES_MAX = 32 << 10;

    /** SHA-256 of a release. */
    int RELEASE_BYTES = 32;

    /** A door acts for at most so many persons. */
    int ACT_FOR_MAX = 1000;

    /** A person has at most so many access keys. */
    int ACCESS_KEYS_MAX = 16;

    /** Maximum number of releases allowed at a time. */
    int RELEASES_MAX = 16;

    /** Replicas come or go three at a time, or one in the place of another. */
    int REPLICAS_CHANGED = 3;

    /** An invitation is good for 30 days at most. */
    long INVITATION_MILLIS_MAX = 30L * 24 * 3_600_000;

    /**
     * Time for which a node's report waits for matching ones, in agreed time: served time hardly passes while few
     * commands arrive. Correct nodes find the same fault within less than a day. Repairing one node and losing another
     * takes longer.
     */
    long REPORT_TTL_MILLIS = 24 * 3_600_000L;

    /** Keeps the session open for another time to live, as every command does, and moves the agreed time. */
    record RenewSession() implements Command {}

    /**
     * Command that closes the session: its pending uploads end, and only those of its blocks stay that inodes name. The
     * reply is not kept: a repeated command gets {@link MetadataError#SESSION_CLOSED}.
     */
    record CloseSession() implements Command {}

    /**
     * Makes a volume over all nodes. Answered by {@link Reply.VolumeCreated}.
     *
     * @param blocks the number of blocks of a register volume; 0 for an object volume
     * @param groups the number of placement groups; 0 for one per node
     * @param quotaBytes limit of the bytes of all inodes; 0 for none
     */
    record CreateVolume(String name, VolumeKind kind, ProtectionPolicy policy, long blocks, int groups, long quotaBytes)
            implements Administrative, OfVolume {}

    /** Deletes a volume without buckets and linked inodes, and closes the sessions for it. */
    record DeleteVolume(String name) implements Administrative, OfVolume {}

    /**
     * Makes a bucket.
     *
     * @param quotaBytes limit of the bytes of all its versions; 0 for none
     * @param objectLock whether versions may have a lock; only with {@link Versioning#KEEP_ALL}
     * @param document a document that the bucket has from the start, so that it never exists without
     */
    record CreateBucket(
            String name,
            String volume,
            Versioning versioning,
            long quotaBytes,
            boolean objectLock,
            Optional<NewDocument> document)
            implements Command {
        public CreateBucket(String name, String volume, Versioning versioning, long quotaBytes, boolean objectLock) {
            this(name, volume, versioning, quotaBytes, objectLock, Optional.empty());
        }

        public CreateBucket(String name, String volume, Versioning versioning, long quotaBytes) {
            this(name, volume, versioning, quotaBytes, false);
        }
    }

    /**
     * First document of a bucket.
     *
     * @param name as {@link Names} has it for buckets
     */
    record NewDocument(String name, Bytes content) {
        public NewDocument {
            if (content.length() > DOCUMENT_BYTES_MAX) {
                throw new IllegalArgumentException("a document of " + content.length() + " bytes");
            }
        }
    }

    /** Deletes an empty bucket, with its documents. */
    record DeleteBucket(String name) implements Command {}

    /**
     * Changes settings of a bucket. For its creator, and for who may administer it; the quota for the latter alone.
     */
    record UpdateBucket(String name, BucketChange change) implements OfSetting {}

    /**
     * Puts a document of a bucket in the place of the one with its name. Answered by {@link Reply.DocumentStored}. For
     * the bucket's creator, and for who may administer it.
     *
     * @param name as {@link Names} has it for buckets
     * @param condition on the document that it replaces, whose number counts as the version
     */
    record PutDocument(String bucket, String name, Condition condition, Bytes content) implements OfSetting {
        public PutDocument {
            if (content.length() > DOCUMENT_BYTES_MAX) {
                throw new IllegalArgumentException("a document of " + content.length() + " bytes");
            }
        }
    }

    /** Removes a document of a bucket, if there is one. For whom {@link PutDocument} is. */
    record RemoveDocument(String bucket, String name, Condition condition) implements OfSetting {}

    /**
     * Makes an object visible, after all its extents are complete. Answered by {@link Reply.ObjectStored}. Refused, it
     * leaves the ranges to the submitter.
     *
     * @param content inline bytes, or ranges of this session, not used or abandoned before
     * @param lock if it names no retention, the bucket's default applies
     * @param epochs see {@link EpochClaim}; empty without extents
     * @param pending ids of the pending uploads whose ranges the content uses; what it does not use of them is freed
     */
    record PutObject(
            String bucket,
            String key,
            Condition condition,
            OwnContent content,
            ObjectAttributes attributes,
            ObjectLock lock,
            List<EpochClaim> epochs,
            List<Long> pending)
            implements Command {
        /** Creates a put of a version without a lock of its own. */
        public PutObject(
                String bucket,
                String key,
                Condition condition,
                OwnContent content,
                ObjectAttributes attributes,
                List<EpochClaim> epochs,
                List<Long> pending) {
            this(bucket, key, condition, content, attributes, ObjectLock.NONE, epochs, pending);
        }

        public PutObject {
            epochs = List.copyOf(epochs);
            pending = List.copyOf(pending);
            if (epochs.size() > Volume.GROUPS_MAX || pending.size() > PENDING_MAX) {
                throw new IllegalArgumentException(epochs.size() + " epochs, " + pending.size() + " pending uploads");
            }
        }
    }

    /**
     * Registers ranges of this session for a long upload, in a hidden inode that ends with the session, so that nodes
     * count them as referenced. Answered by {@link Reply.PendingRegistered}.
     */
    record RegisterPending(List<BlockRange> ranges) implements Command {
        public RegisterPending {
            ranges = List.copyOf(ranges);
            checkRanges(ranges);
        }
    }

    /**
     * Gives ranges of this session up for good: unused ones, and all ranges of the pending uploads named.
     *
     * @param pending ids of pending uploads of this session
     */
    record AbandonRanges(List<BlockRange> ranges, List<Long> pending) implements Command {
        public AbandonRanges {
            ranges = List.copyOf(ranges);
            pending = List.copyOf(pending);
            if (ranges.size() > RANGES_MAX || pending.size() > PENDING_MAX) {
                throw new IllegalArgumentException(ranges.size() + " ranges, " + pending.size() + " pending uploads");
            }
        }
    }

    /**
     * Deletes an object: in a bucket that keeps versions by a delete marker on top. Answered by {@link Reply.Deleted}.
     *
     * @param version if not 0, removes just this version, for good, unless it is locked
     * @param condition on the latest version, or on the one with this number
     * @param mode changes the treatment of locks and of missing objects
     */
    record DeleteObject(String bucket, String key, long version, Condition condition, DeleteMode mode)
            implements Command {
        public DeleteObject(String bucket, String key, long version) {
            this(bucket, key, version, Condition.NONE, DeleteMode.STRICT);
        }
    }

    /** Treatment of locks and of missing objects by a deletion. The order is on the wire. */
    enum DeleteMode {
        /** Locks count, and there must be an object. */
        STRICT,
        /** Retention under governance does not count. For who may administer the bucket. */
        BYPASS_GOVERNANCE,
        /** As in S3, a deletion without an object succeeds, and makes a delete marker where the bucket keeps versions. */
        EVEN_IF_ABSENT
    }

    /**
     * Replaces the tags of a version. Answered by {@link Reply.ObjectStored}.
     *
     * @param before tags that the version must have now; empty for any
     */
    record SetTags(
            String bucket,
            String key,
            long version,
            SortedMap<String, String> tags,
            Optional<SortedMap<String, String>> before)
            implements OfSetting {
        /** Creates a replacement of any tags. */
        public SetTags(String bucket, String key, long version, SortedMap<String, String> tags) {
            this(bucket, key, version, tags, Optional.empty());
        }

        public SetTags {
            tags = ObjectAttributes.NONE.withTags(tags).tags();
            before = before.map(map -> ObjectAttributes.NONE.withTags(map).tags());
        }
    }

    /**
     * Replaces the retention of a version. One in force may only be prolonged. Answered by {@link Reply.ObjectStored}.
     *
     * @param bypassGovernance allows anything in the place of governance, for who may administer the bucket
     */
    record SetRetention(String bucket, String key, long version, Retention retention, boolean bypassGovernance)
            implements OfSetting {}

    /**
     * Places or lifts the legal hold of a version. Lifting is for the bucket's creator, and for who may administer it.
     * Answered by {@link Reply.ObjectStored}.
     */
    record SetLegalHold(String bucket, String key, long version, boolean held) implements OfSetting {}

    /**
     * Moves the latest version to another name in the same volume, without copying bytes; the condition is about the
     * target. In a bucket that keeps versions a delete marker takes its place. Answered by {@link Reply.ObjectStored}.
     */
    record RenameObject(String bucket, String key, String toBucket, String toKey, Condition condition)
            implements Command {}

    /**
     * Adds a link to an object's inode in the same volume, without copying bytes. Answered by
     * {@link Reply.ObjectStored}.
     *
     * @param version the version to copy; 0 for the latest
     * @param attributes those of the new version; empty for those of the source
     * @param lock if it names no retention, the bucket's default applies; the source's lock is not copied
     */
    record CopyObject(
            String bucket,
            String key,
            long version,
            String toBucket,
            String toKey,
            Condition condition,
            Optional<ObjectAttributes> attributes,
            ObjectLock lock)
            implements Command {
        public CopyObject(String bucket, String key, long version, String toBucket, String toKey, Condition condition) {
            this(bucket, key, version, toBucket, toKey, condition, Optional.empty(), ObjectLock.NONE);
        }
    }

    /**
     * Makes an object of slices of others in the same volume, without moving bytes. Answered by {@link
     * Reply.ObjectStored}.
     *
     * @param slices in order; their submitter may read them
     */
    record ComposeObject(
            String bucket,
            String key,
            Condition condition,
            List<ObjectRange> slices,
            ObjectAttributes attributes,
            ObjectLock lock)
            implements OfUpload {
        public ComposeObject {
            slices = List.copyOf(slices);
            checkSlices(slices);
        }
    }

    /**
     * Begins an object that comes in parts. The upload belongs to the bucket, and ends when it is completed or aborted.
     * Answered by {@link Reply.UploadBegun}.
     *
     * @param attributes of the object to be
     * @param lock of the object to be
     */
    record BeginUpload(String bucket, String key, ObjectAttributes attributes, ObjectLock lock) implements OfUpload {}

    /**
     * Adds a part to an upload, or puts it in the place of the one with this number, after all its extents are complete.
     * Answered by {@link Reply.PartStored}. Refused, it leaves the ranges to the submitter.
     *
     * @param number 1 to {@link PartSelection#NUMBER_MAX}
     * @param content as in {@link PutObject}, with the epochs and the pending uploads
     * @param attributes of the part
     */
    record PutPart(
            UploadName upload,
            int number,
            OwnContent content,
            ObjectAttributes attributes,
            List<EpochClaim> epochs,
            List<Long> pending)
            implements OfUpload {
        public PutPart {
            epochs = List.copyOf(epochs);
            pending = List.copyOf(pending);
            checkPart(number);
            if (epochs.size() > Volume.GROUPS_MAX || pending.size() > PENDING_MAX) {
                throw new IllegalArgumentException(epochs.size() + " epochs, " + pending.size() + " pending uploads");
            }
        }
    }

    /** Adds a part as above, of slices of objects in the same volume, without moving bytes. */
    record CopyPart(UploadName upload, int number, List<ObjectRange> slices, ObjectAttributes attributes)
            implements OfUpload {
        public CopyPart {
            slices = List.copyOf(slices);
            checkPart(number);
            checkSlices(slices);
        }
    }

    /**
     * Makes the object of the selected parts visible, and ends the upload; no bytes move. The same command again, within
     * an hour and in any session, gets the same answer. Answered by {@link Reply.ObjectStored}.
     *
     * @param added to the attributes that the upload began with
     */
    record CompleteUpload(UploadName upload, PartSelection parts, Condition condition, ObjectAttributes added)
            implements OfUpload {}

    /** Ends an upload; its parts are freed. */
    record AbortUpload(UploadName upload) implements OfUpload {}

    /**
     * Report of a node about another one from which it has fetched itself.
     *
     * @param node the reported node
     * @param detail at most {@link #DETAIL_BYTES_MAX} bytes, for people
     */
    record ReportEvidence(int node, BlockId block, Verdict verdict, String detail) implements Report {
        @Override
        public PrincipalId about() {
            return PrincipalId.node(node);
        }
    }

    /**
     * Report of a node that it received a poisonous version of a volume under PASIS, which belongs to no one block. The
     * node has found this itself, or b+1 peers have reported it.
     *
     * @param client the authenticated sender, even if the version names another one
     * @param session of the client, in which it arrived
     * @param detail which version; at most {@link #DETAIL_BYTES_MAX} bytes, for people
     */
    record ReportPoison(PrincipalId client, BlockId block, long session, String detail) implements Report {
        @Override
        public PrincipalId about() {
            return client;
        }

        @Override
        public Verdict verdict() {
            return Verdict.POISONOUS;
        }
    }

    /**
     * Announcement that another node will hold a slot of a placement group from its next epoch on (docs/protocols/extents.md,
     * epochs). Refused while another change of the group is pending, and where more than f slots would be unconfirmed.
     * Requires the right to administer the cluster.
     *
     * @param epoch the group's current epoch: of two operators who change it, one learns that it has changed
     * @param from the node that holds the slot now
     * @param to a node that holds none of the group
     */
    record ChangeHolder(String volume, int group, long epoch, int from, int to) implements Administrative {}

    /**
     * Gives an announced change up: the next epoch opens with the holders of this one. For who may administer the cluster.
     *
     * @param epoch the group's now
     */
    record AbortChange(String volume, int group, long epoch) implements Administrative {}

    /**
     * Announcement that a register volume under masking quorums or PASIS will tolerate another number of faults, more from
     * the next epoch of its groups on, fewer from the one after it. All groups open together. The present number gives an
     * announced one up. Refused while a holder changes, or more slots are unconfirmed than the lesser number. Requires the
     * right to administer the cluster.
     *
     * @param faults b of the policy; with bounds, b at threat level 0
     * @param faultsMax the same number; if it is greater, the threat level moves b up to it
     */
    record ChangePolicy(String volume, int faults, int faultsMax) implements Administrative {
        public ChangePolicy(String volume, int faults) {
            this(volume, faults, faults);
        }
    }

    /**
     * Gives a volume another policy of the same protocol, verification and block size: what is put from now on goes to a new
     * generation of placement groups, one for each node. Registers are written there once all groups before have ended their
     * epoch. Refused with too few nodes, and while a holder of registers changes. Requires the right to administer the
     * cluster.
     */
    record SetVolumePolicy(String volume, ProtectionPolicy policy) implements Administrative, OfVolume {}

    /**
     * Puts extents of the newest generation in the place of those of an inode with older ones, after all are complete. The
     * submitter says that they have the same bytes. The inode keeps its id, with all that links to it, and its time; the old
     * extents are freed after the grace. The audit log does not keep the command: there is one for each object. Answered by
     * {@link Reply.Refilled}.
     *
     * @param content as in {@link PutObject}; of the same length
     * @param epochs as in {@link PutObject}
     * @param pending as in {@link PutObject}
     */
    record RefillInode(long inode, OwnContent content, List<EpochClaim> epochs, List<Long> pending)
            implements OfVolume {
        public RefillInode {
            epochs = List.copyOf(epochs);
            pending = List.copyOf(pending);
            if (epochs.size() > Volume.GROUPS_MAX || pending.size() > PENDING_MAX) {
                throw new IllegalArgumentException(epochs.size() + " epochs, " + pending.size() + " pending uploads");
            }
        }
    }

    /**
     * Statement of a holder that it durably refuses this epoch of the group and all earlier ones. Once n-f holders have
     * stated this for an announced change, the next epoch opens.
     */
    record SealEpoch(int volume, int group, long epoch) implements Command {}

    /**
     * Statement of a holder that it durably refuses all epochs of the group before this one, and holds all data that
     * its slot needs from them.
     */
    record ConfirmEpoch(int volume, int group, long epoch) implements Command {}

    /**
     * Command that sets the address of a node that belongs: from then on the map names it, and it may take slots.
     * Requires the right to administer the cluster.
     */
    record SetNode(NodeAddress address) implements Administrative {}

    /**
     * Puts a node out, for good, as {@link RevokePrincipal} does, and takes it out of the map. Refused while it holds a slot or is to
     * take one. For who may administer the cluster.
     */
    record RemoveNode(int node) implements Administrative {}

    /** Lets a client write again that b+1 nodes' reports suspended. For who may administer the cluster. */
    record LiftSuspension(PrincipalId client) implements Administrative {}

    /** Report of a node on the answers of others in the last window. For holders, about holders of the same groups. */
    record ReportPeers(List<PeerObservation> observations) implements OfNodeFault {
        public ReportPeers {
            observations = List.copyOf(observations);
            if (observations.isEmpty() || observations.size() > OBSERVATIONS_MAX) {
                throw new IllegalArgumentException(observations.size() + " observations");
            }
        }
    }

    /** Sets the treatment of faulty nodes. For who may administer the cluster. */
    record SetFaultPolicy(FaultPolicy policy) implements OfNodeFault, Administrative {}

    /**
     * Takes a node off the list of faulty ones, with all that its peers reported; announced changes of its slots are given
     * up. For who may administer the cluster.
     */
    record ForgiveNode(int node) implements OfNodeFault, Administrative {}

    /**
     * Alarm, or its end: the threat level rises or falls, within 0 and {@link ThreatLevel#MAX}. Feeds of the policy may
     * raise it, who may administer the cluster may do both.
     */
    record ChangeThreat(boolean raises, int levels, String reason) implements OfThreat {
        public ChangeThreat {
            if (levels < 1 || levels > ThreatLevel.MAX) {
                throw new IllegalArgumentException("the level moves by 1 to " + ThreatLevel.MAX + ", not by " + levels);
            }
        }
    }

    /** Sets who else may raise the threat level, and whether it falls with time. For who may administer the cluster. */
    record SetThreatPolicy(ThreatPolicy policy) implements OfThreat {}

    /** Lets a client or node in, with this key. For who may administer the cluster. */
    record AddPrincipal(PrincipalId principal, PrincipalKey key) implements Administrative {}

    /**
     * Gives a principal these keys in place of those it has. For who may administer the cluster, and for the principal itself.
     *
     * @param keys the newest first; the one before it while it stays believed
     */
    record RotateKey(PrincipalId principal, List<PrincipalKey> keys) implements Administrative {
        public RotateKey {
            keys = List.copyOf(keys);
            if (keys.isEmpty() || keys.size() > KEYS_MAX) {
                throw new IllegalArgumentException(keys.size() + " keys");
            }
        }
    }

    /**
     * Command that revokes a client or node permanently: its sessions are closed, its grants end, and its messages are
     * refused from now on. Requires the right to administer the cluster.
     */
    record RevokePrincipal(PrincipalId principal) implements Administrative {}

    /**
     * Command that admits a client or node that will choose its own key. With the key named here it may only set
     * another one, which ends the invitation. A repeated command replaces an invitation that is still open. Requires
     * the right to administer the cluster.
     *
     * @param expiresMillis the agreed time at which the invitation expires; at most {@link #INVITATION_MILLIS_MAX} from
     *     now
     */
    record InvitePrincipal(PrincipalId principal, PrincipalKey key, long expiresMillis) implements Administrative {}

    /** Gives a client these rights in place of those it has on just this scope. For who may administer the scope. */
    record SetGrant(PrincipalId client, Scope scope, Rights rights) implements Administrative {}

    /**
     * Command that allows a client, the door, to give commands and queries on behalf of another client, the person, in
     * place of what it was allowed before. The person's rights count there, as far as the ceiling includes them. Act-for
     * grants end with the revocation of either. Requires the right to administer the cluster.
     *
     * @param ceiling {@link Rights#NONE} withdraws the grant
     */
    record SetActFor(PrincipalId door, PrincipalId person, Rights ceiling) implements Administrative {}

    /**
     * Sets an access key, or replaces all of it but the id and the person. Requires the right to administer the cluster.
     *
     * @param secrets the secret once for each reader; empty to leave those of a known key as they are
     */
    record SetAccessKey(AccessKey key, List<SealedSecret> secrets) implements OfAccessKey {
        /** Maximum number of readers: all gateways, and the keeper. */
        public static final int SECRETS_MAX = Gateways.DOORS_MAX + 1;

        public SetAccessKey {
            secrets = List.copyOf(secrets);
            if (secrets.size() > SECRETS_MAX) {
                throw new IllegalArgumentException("a secret for " + secrets.size() + " readers");
            }
        }
    }

    /** Ends an access key for good: its id is never given again. Requires the right to administer the cluster. */
    record RemoveAccessKey(String id) implements OfAccessKey {}

    /** Names the gateways in place of those named so far. Requires the right to administer the cluster. */
    record SetGateways(Gateways gateways) implements OfAccessKey {}

    /** Names a webhook, or replaces the one with this name. Requires the right to administer the cluster. */
    record SetWebhook(Webhook webhook) implements OfEvents, Administrative {}

    /** Removes a webhook. Events for it wait in the buckets. Requires the right to administer the cluster. */
    record RemoveWebhook(String name) implements OfEvents, Administrative {}

    /**
     * Command that claims the right to deliver the events of a bucket for {@link #LEASE_MILLIS}, unless another one has
     * it, and acknowledges delivered events. For the bucket's creator, and for who may administer it. Answered by {@link
     * Reply.EventsClaimed}.
     *
     * @param claimant a number that the claimant has drawn, above 0
     * @param acknowledged all events up to this position are removed
     */
    record ClaimEvents(String bucket, long claimant, long acknowledged) implements OfEvents {
        /** Name of the document whose bucket records events. */
        public static final String RULES = "event-rules";

        /** Agreed time after which another one may deliver. */
        public static final long LEASE_MILLIS = 30_000;

        public ClaimEvents {
            if (claimant <= 0 || acknowledged < 0) {
                throw new IllegalArgumentException("claimant " + claimant + " acknowledges " + acknowledged);
            }
        }
    }

    /**
     * Command that sets whether supervisors may start replicas from this release. Requires the right to administer the
     * cluster.
     *
     * @param hash its SHA-256
     */
    record SetRelease(Bytes hash, boolean allowed) implements Administrative {
        public SetRelease {
            if (hash.length() != RELEASE_BYTES) {
                throw new IllegalArgumentException("a hash of " + hash.length() + " bytes");
            }
        }
    }

    /**
     * Command that changes the replicas from the next checkpoint on (docs/decisions/0020): it replaces one, adds three,
     * or removes three. Refused while another change is pending. Requires the right to administer the cluster.
     *
     * @param number of the new configuration: one more than the current one, so that of two operators one learns of the
     *     conflict
     * @param leaving keep their names and keys permanently, and are no longer believed once that configuration begins
     * @param coming with addresses, and with names and keys that nobody ever had
     */
    record ChangeReplicas(long number, List<PrincipalId> leaving, List<Member> coming) implements Administrative {
        public ChangeReplicas {
            leaving = List.copyOf(leaving);
            coming = List.copyOf(coming);
            coming.forEach(member -> new PrincipalKey(member.key()));
            if (number < 1 || leaving.size() > REPLICAS_CHANGED || coming.size() > REPLICAS_CHANGED) {
                throw new IllegalArgumentException(
                        leaving.size() + " replicas for " + coming.size() + " as configuration " + number);
            }
        }
    }

    /**
     * Command that locks subtrees for a log of this session, all of them or none. They lie in the volume of the session.
     * While it has a log, the session orders only locks, renewals and its closing. Answered by {@link Reply.Locked}.
     *
     * @param subtrees disjoint ones
     * @param key verifies the heads of the log
     */
    record Lock(List<Subtree> subtrees, PrincipalKey key) implements OfLocking {
        public Lock {
            subtrees = List.copyOf(subtrees);
            if (subtrees.isEmpty() || subtrees.size() > LogLimits.SUBTREES_MAX) {
                throw new IllegalArgumentException(subtrees.size() + " subtrees");
            }
        }
    }

    /** Command that opens the round that closes the log of this session, if it has one. */
    record Unlock() implements OfLocking {}

    /**
     * Command that opens the rounds of all logs that hold a part of a subtree, for who was refused a query there.
     * Requires the right to read the bucket.
     */
    record OpenRound(Subtree subtree) implements OfLocking {}

    /** Returns the canonical bytes, as an entry of a log carries them. */
    default Bytes encoded() {
        WireWriter out = new WireWriter();
        CommandCodec.write(this, out);
        return out.toBytes();
    }

    private static void checkPart(int number) {
        if (number < 1 || number > PartSelection.NUMBER_MAX) {
            throw new IllegalArgumentException("part " + number);
        }
    }

    private static void checkSlices(List<ObjectRange> slices) {
        if (slices.isEmpty() || slices.size() > SLICES_MAX) {
            throw new IllegalArgumentException(slices.size() + " slices");
        }
    }

    private static void checkRanges(List<BlockRange> ranges) {
        if (ranges.isEmpty() || ranges.size() > RANGES_MAX) {
            throw new IllegalArgumentException(ranges.size() + " ranges");
        }
    }
}
