package io.bulwark.client;

import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.client.encryption.KeyProvider;
import io.bulwark.protocol.id.PrincipalId;
import io.micrometer.observation.ObservationRegistry;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A client of one cluster.
 *
 * <p>Safe for use by many threads, which should share one: it keeps a connection to each node and replica, and an open
 * session for each volume that it writes to. Close it to give the sessions back.
 */
public interface Bulwark extends AutoCloseable {
    /**
     * Connects to a cluster; returns when the replicas have told where the nodes are.
     *
     * @throws io.bulwark.client.error.ConfigException if the key ring cannot be used
     * @throws io.bulwark.client.error.UnavailableException if too few replicas answer
     */
    static Bulwark connect(ClientConfig config) {
        return connect(config, ObservationRegistry.NOOP);
    }

    /**
     * Connects, and has all operations observed: each is a child of the observation in which it is called, and has one
     * of its own for each request to a server.
     */
    static Bulwark connect(ClientConfig config, ObservationRegistry observations) {
        return BulwarkClient.connect(config, observations);
    }

    /** Connects with a configuration file, as {@link ClientConfig} describes it. */
    static Bulwark connect(Path configFile) {
        return connect(ClientConfig.load(configFile));
    }

    /** Makes a volume over all nodes. */
    VolumeInfo createVolume(VolumeSpec spec);

    /** Deletes a volume that has no buckets and no objects. */
    void deleteVolume(String name);

    /**
     * Announces that a register volume under masking quorums or PASIS is to tolerate another number of faulty nodes. More
     * are in force once all groups have sealed their epoch, which takes seconds. Fewer need another epoch, before which the
     * holders go through all blocks; meanwhile writes wait for all holders but the lesser number. The present number gives
     * an announced change up.
     */
    default void changeFaults(String volume, int faults) {
        changeFaults(volume, faults, faults);
    }

    /**
     * Lets the threat level ({@link #alarms}) move the faults that a volume tolerates, from {@code least} at level 0 up to
     * {@code most}. The same number twice sets it for good, as {@link #changeFaults(String, int)} does.
     */
    void changeFaults(String volume, int least, int most);

    /**
     * Gives a volume another policy, for what is put or written from now on. What is there already keeps its policy until it
     * is rewritten, or refilled. For a register volume this waits until the holders have sealed, which takes seconds.
     *
     * @return the volume as it is now
     */
    VolumeInfo changePolicy(String volume, PolicyChange change);

    /**
     * Rewrites what stands under older policies of an object volume, while it is read and written. Names, versions, times
     * and all else that is known of the objects stay. May be ended and repeated at any time.
     */
    RefillResult refill(String volume, ProgressListener progress);

    List<VolumeInfo> volumes();

    /**
     * A register volume.
     *
     * @throws io.bulwark.client.error.NoSuchVolumeException if there is none of this name and kind
     */
    Volume volume(String name);

    /** Makes a bucket in the default volume. */
    default Bucket createBucket(String name) {
        return createBucket(BucketSpec.of(name));
    }

    Bucket createBucket(BucketSpec spec);

    /** Deletes an empty bucket. */
    void deleteBucket(String name);

    /** All buckets, by name. */
    List<BucketInfo> buckets();

    /**
     * A bucket.
     *
     * @throws io.bulwark.client.error.NoSuchBucketException if there is none of this name
     */
    Bucket bucket(String name);

    /**
     * Returns a bucket that another view of this client has found, without asking for it again. The replicas judge each
     * call by the rights of this view.
     *
     * @param found as {@link #bucket(String)} of this client, or of a view of it, returned it
     */
    Bucket bucket(Bucket found);

    /**
     * A bucket whose objects are encrypted here before they leave, and decrypted when they are read. Objects in it that are not encrypted
     * are read as they are.
     *
     * @throws io.bulwark.client.error.NoSuchBucketException if there is none of this name
     */
    Bucket bucket(String name, KeyProvider keys);

    /**
     * Returns a document of a bucket without finding the bucket first. Clients that may act for the creator of the bucket
     * may read it, too.
     */
    Optional<BucketDocument> setting(String bucket, String document);

    /** Returns the principals of the cluster, and the rights of clients. */
    Principals principals();

    /** Returns the access keys with which programs sign in at gateways. */
    AccessKeys accessKeys();

    /** Returns the receivers of the events of buckets. */
    Webhooks webhooks();

    /** Returns the event logs of buckets, for whoever delivers their events. */
    EventLogs eventLogs();

    /** Returns the storage nodes and the placement of slots on them. */
    Nodes nodes();

    /** Returns the replicas. */
    Replicas replicas();

    /** Returns the locks of clients on parts of the namespace. */
    Locks locks();

    /** Returns the releases from which replicas may be started. */
    Releases releases();

    /** Returns the log of operators' actions, in order and signed. */
    AuditLog audit();

    /** Returns the nodes that their peers find faulty. */
    FaultyNodes faultyNodes();

    /** Returns the alarms from outside, which move the faults that volumes tolerate. */
    Alarms alarms();

    /** Returns the record of faults that f+1 nodes agree on, with the proofs. */
    Faults faults();

    /**
     * Returns a view of this client that acts on behalf of a person: all commands and queries made with it name the
     * person, whose rights count within this client's act-for grant ({@link Principals#setActFor}). It shares connections
     * and sessions with this client, and closing it closes nothing. Views are cheap and not kept.
     *
     * <p>Nodes serve register blocks by what this client reaches for anybody. The view therefore asks the replicas for
     * the person's rights itself before it reads or writes a block.
     *
     * @throws IllegalStateException if this is such a view already
     */
    Bulwark onBehalfOf(PrincipalId person);

    /**
     * Returns the time on which the replicas agree: that of the last command. No clock of a single machine moves it
     * far ahead.
     */
    Instant agreedTime();

    /** Asks every node and replica how it is; takes at most a few seconds, whoever answers. */
    ClusterStatus status();

    /** Returns the evidence about nodes that this client's own operations have found since it was made. */
    EvidenceLog evidence();

    /** Ends operations in flight, returns the sessions, and closes the connections. */
    @Override
    void close();
}
