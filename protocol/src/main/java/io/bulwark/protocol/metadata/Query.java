package io.bulwark.protocol.metadata;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.wire.Bytes;
import java.util.Optional;

/**
 * Request that only reads the metadata. An engine may answer it unordered at 2f+1 equal replies, or order it like a
 * command. Pages end at the limit asked for, at {@link #PAGE_BYTES_MAX}, or after a bounded search; an empty page may
 * therefore have a successor.
 */
public sealed interface Query {
    /** No query is longer. */
    int BYTES_MAX = 64 << 10;

    int PAGE_MAX = 1000;
    /** A page ends once it has this many bytes. */
    int PAGE_BYTES_MAX = 1 << 20;

    int DELIMITER_BYTES_MAX = 64;
    /** A place in a list of keys is at most this long. */
    int TOKEN_BYTES_MAX = Names.KEY_BYTES_MAX + 1;

    /** Query about the documents of a bucket. */
    sealed interface OfDocument extends Query {}

    /** Query about uploads in parts, or compositions. */
    sealed interface OfUpload extends Query {}

    /** Query about the access keys of gateways. */
    sealed interface OfAccessKey extends Query {}

    /** Query about event logs of buckets, and their receivers. */
    sealed interface OfEvents extends Query {}

    /** Query about locks on subtrees. */
    sealed interface OfLocking extends Query {}

    /** Answered by {@link Reply.Map}. */
    record GetMap() implements Query {}

    /** Answered by {@link Reply.Status}. For clients. */
    record GetStatus() implements Query {}

    /** Answered by {@link Reply.Session}. For nodes and the owner. */
    record SessionOf(int volume, PrincipalId owner, long session) implements Query {}

    /** Answered by {@link Reply.Granted}. For nodes, and for principals about themselves. */
    record GrantOf(int volume, PrincipalId principal) implements Query {}

    /**
     * Query for the inodes of a volume in the order of their arrival in the state, pending uploads included, until their
     * ranges are freed: the nodes must hold these. Numbers of arrivals only grow, so that a node with a cursor misses
     * none. Ids are given before, by a log. Answered by {@link Reply.References}.
     *
     * @param after {@code next} of the page before; 0 to begin
     */
    record References(int volume, long after, int limit) implements Query {}

    /**
     * Query for the changes of sessions and freed ranges since a sequence number, in the order of the last change.
     * Answered by {@link Reply.SessionChanges}.
     */
    record SessionChanges(long afterSequence, int limit) implements Query {}

    /**
     * Answered by {@link Reply.ObjectFound}.
     *
     * @param version 0 for the latest; {@link Versioning#NULL_VERSION} for the null version
     */
    record FindObject(String bucket, String key, long version) implements Query {}

    /**
     * Query whether an inode still exists, for readers that met a freed block. Answered by {@link Reply.InodeFound}.
     */
    record FindInode(long inode, BlockId block) implements Query {}

    /**
     * Query for the objects of a bucket in the byte order of their keys. Answered by {@link Reply.ObjectList}.
     *
     * @param delimiter if not empty, keys that have it after the prefix are rolled up into one common prefix
     * @param after empty, a key, or the {@code next} of the page before; a common prefix stands for all keys with it
     * @param withAttributes whether the entries carry tags and properties
     */
    record ListObjects(String bucket, String prefix, String delimiter, Bytes after, int limit, boolean withAttributes)
            implements Query {}

    /**
     * All versions in a bucket, by key, newest first within a key. Answered by {@link Reply.VersionList}.
     *
     * @param delimiter as in {@link ListObjects}
     * @param afterKey with {@code beforeVersion} the {@code next} of the page before; empty to begin; a common prefix
     *     stands for all keys with it
     * @param beforeVersion go on within {@code afterKey} below this version; 0 to go on behind that key
     * @param withAttributes whether the entries carry tags and properties
     */
    record ListVersions(
            String bucket,
            String prefix,
            String delimiter,
            String afterKey,
            long beforeVersion,
            int limit,
            boolean withAttributes)
            implements Query {
        public ListVersions(String bucket, String prefix, String afterKey, long beforeVersion, int limit) {
            this(bucket, prefix, "", afterKey, beforeVersion, limit, false);
        }
    }

    /** Query for a document of a bucket. Answered by {@link Reply.DocumentFound}. */
    record FindDocument(String bucket, String name) implements OfDocument {}

    /** Query for the names of all documents of a bucket. Answered by {@link Reply.DocumentList}. */
    record ListDocuments(String bucket) implements OfDocument {}

    /**
     * Query for slices of a version whose inode is a composition, with what they slice. Answered by {@link
     * Reply.SliceList}.
     *
     * @param version never 0
     * @param offset the first slice is the one with this byte of the object
     */
    record FindSlices(String bucket, String key, long version, long offset, int limit) implements OfUpload {}

    /** Answered by {@link Reply.UploadFound}. For who may read or write the bucket, as the next two. */
    record FindUpload(UploadName upload) implements OfUpload {}

    /**
     * Query for the uploads of a bucket, by key and then by id. Answered by {@link Reply.UploadList}.
     *
     * @param afterKey with {@code afterUpload} the last of the page before; empty to begin
     * @param afterUpload go on within {@code afterKey} behind this one; 0 to go on behind that key
     */
    record ListUploads(String bucket, String prefix, String afterKey, long afterUpload, int limit)
            implements OfUpload {}

    /**
     * Query for the parts of an upload, by number. Answered by {@link Reply.PartList}.
     *
     * @param afterNumber the last of the page before; 0 to begin
     */
    record ListParts(UploadName upload, int afterNumber, int limit) implements OfUpload {}

    /** Answered by {@link Reply.BucketList}. */
    record ListBuckets(String after, int limit) implements Query {}

    /**
     * Query for the recorded faults of nodes; for nodes, and for who may administer, also those of clients. Answered by
     * {@link Reply.EvidenceList}.
     */
    record ListEvidence(long afterNumber, int limit) implements Query {}

    /** Query for one of these, with the reports. Answered by {@link Reply.EvidenceFound}. */
    record FindEvidence(long number) implements Query {}

    /** Query for the nodes that their peers find faulty, and the policy. Answered by {@link Reply.NodeFaultList}. */
    record ListNodeFaults() implements Query {}

    /** Query for the threat level, and the volumes that follow it. Answered by {@link Reply.ThreatState}. */
    record GetThreat() implements Query {}

    /**
     * Query for the principals whose keys operators have set since the genesis, and for the revoked ones. Open to every
     * principal that belongs. Answered by {@link Reply.PrincipalList}.
     *
     * @param knownVersion of the registry; if it is unchanged, the answer is empty. A negative one never matches
     * @param after the last principal of the page before; {@link PrincipalId#NOBODY} to begin
     */
    record ListPrincipals(long knownVersion, PrincipalId after, int limit) implements Query {}

    /**
     * Query for the number of clients that may write to register volumes under PASIS. For nodes, and for principals
     * that may read anything. Answered by {@link Reply.Writers}.
     */
    record CountWriters() implements Query {}

    /**
     * Query for the grants of a client. For administrators, and for clients about themselves. Answered by {@link
     * Reply.GrantList}.
     */
    record ListGrants(PrincipalId client) implements Query {}

    /**
     * Query for the persons for whom a door acts, ascending. Administrators and the door see all of them, others only
     * themselves. Answered by {@link Reply.ActForList}.
     *
     * @param after the last person of the page before; {@link PrincipalId#NOBODY} to begin
     */
    record ListActFor(PrincipalId door, PrincipalId after, int limit) implements Query {}

    /**
     * Query for an access key. A door gets it with its sealed secret while it may act for the key's person, administrators
     * get it in any case, and others learn nothing. Answered by {@link Reply.AccessKeyFound}.
     */
    record FindAccessKey(String id) implements OfAccessKey {}

    /**
     * Query for access keys, ascending by id. Persons ask for their own, administrators for all. Answered by {@link
     * Reply.AccessKeyList}.
     *
     * @param person {@link PrincipalId#NOBODY} for the keys of all
     * @param after the last id of the page before; empty to begin
     */
    record ListAccessKeys(PrincipalId person, String after, int limit) implements OfAccessKey {}

    /** Query for the gateways. For everybody who belongs. Answered by {@link Reply.GatewayList}. */
    record ListGateways() implements OfAccessKey {}

    /** Query for the webhooks. For administrators and named gateways. Answered by {@link Reply.WebhookList}. */
    record ListWebhooks() implements OfEvents {}

    /**
     * Query for the events of a bucket, in their order. For who may read the bucket. Answered by {@link Reply.EventList}.
     *
     * @param after the last known position; 0 to begin
     */
    record ListEvents(String bucket, long after, int limit) implements OfEvents {}

    /**
     * Query for the event logs of buckets, ascending by name: of all for administrators, of its own and of the persons
     * for whom it acts for everybody else. Answered by {@link Reply.EventLogList}.
     *
     * @param after the last name of the page before; empty to begin
     */
    record ListEventLogs(String after, int limit) implements OfEvents {}

    /**
     * Query on behalf of a person: his rights count, within the asker's act-for grant. Answered as the query in it.
     *
     * @param query not on behalf of anybody itself
     */
    record OnBehalf(PrincipalId person, Query query) implements Query {
        public OnBehalf {
            if (query instanceof OnBehalf) {
                throw new IllegalArgumentException("a query on behalf of a person on behalf of another one");
            }
        }
    }

    /** The releases that supervisors may start replicas from. For everybody who belongs. Answered by {@link Reply.ReleaseList}. */
    record ListReleases() implements Query {}
    /** The audit log, in its order. For who may administer. Answered by {@link Reply.AuditList}. */
    record ListAudit(long afterNumber, int limit) implements Query {}

    /**
     * The clients that b+1 nodes have reported for poisonous versions. For who may administer. Answered by {@link Reply.SuspensionList}.
     *
     * @param after the page before ended with this one; {@link PrincipalId#NOBODY} to begin
     */
    record ListSuspensions(PrincipalId after, int limit) implements Query {}

    /**
     * Query for the content of the genesis file, for a principal that was invited and has none yet. Answered by {@link
     * Reply.GenesisTold}.
     */
    record GetGenesis() implements Query {}

    /**
     * Query for the present and the next replicas. For everybody who belongs. Answered by {@link Reply.ReplicaList}.
     */
    record ListReplicas() implements Query {}

    /**
     * Query for the locks, in an order of the replicas. Administrators see all of them, others their own. Answered by
     * {@link Reply.LockList}.
     *
     * @param after the last subtree of the page before; empty to begin
     */
    record ListLocks(Optional<Subtree> after, int limit) implements OfLocking {}

    /**
     * Query of a holder for the results of a log that was closed. Answered by {@link Reply.LogOutcome}.
     *
     * @param session of the asker
     * @param lock names the log within the session
     * @param fromNumber of the first entry of interest
     */
    record LogOutcome(long session, long lock, long fromNumber) implements OfLocking {}

    default Bytes encoded() {
        return QueryCodec.encode(this);
    }

    /**
     * Reads one query.
     *
     * @throws io.bulwark.protocol.wire.MalformedException unless these are its canonical bytes
     */
    static Query decode(Bytes bytes) {
        return QueryCodec.decode(bytes);
    }
}
