package io.bulwark.appliance.cluster;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.storage.background.BackgroundPace;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * Configuration of one storage node.
 *
 * @param data its directory, used by it alone
 * @param keys its key ring
 * @param channels security of its connections
 * @param replicas addresses of the metadata replicas, by number
 * @param durability {@code sync}, {@code interval} or {@code none}
 * @param scrubBytesPerSecond rate of the scrub while no client request is pending; 0 for never
 * @param rebuildBytesPerSecond rate at which it rebuilds fragments that it lost or never had, in bytes of fragments
 * @param disseminateBytesPerSecond rate at which it reads segments of the archive class while idle, to hand out their
 *     fragments
 * @param historyPoolBytes limit of unverified versions of all volumes under PASIS; 0 for a share for each client that
 *     may write
 * @param writeBackMillis time for which such a version is held in memory before it is written, where the durability
 *     allows it
 * @param keyMillis T_k, the maximum age of the keys with which nodes authenticate statements to each other
 */
public record NodeSetup(
        int number,
        InetSocketAddress listen,
        Path data,
        Path keys,
        ChannelConfig channels,
        List<InetSocketAddress> replicas,
        String durability,
        long scrubBytesPerSecond,
        long rebuildBytesPerSecond,
        long disseminateBytesPerSecond,
        long historyPoolBytes,
        long writeBackMillis,
        long keyMillis) {
    public static final long HISTORY_POOL_BY_CLIENTS = 0;
    public static final long WRITE_BACK_MILLIS = 2_000;
    public static final long KEY_MILLIS = 600_000;

    /** Half of it is well above the round trips of an operation. */
    private static final long KEY_MILLIS_MIN = 2_000;

    /** Less is a mistake, most likely a number without its unit: large fragments would take most of a minute each. */
    private static final long REBUILD_BYTES_PER_SECOND_MIN = 64 << 10;

    /** A node with the standard rates of scrubbing and rebuilding, history pool, time of write-back and age of keys. */
    public NodeSetup(
            int number,
            InetSocketAddress listen,
            Path data,
            Path keys,
            ChannelConfig channels,
            List<InetSocketAddress> replicas,
            String durability) {
        this(
                number,
                listen,
                data,
                keys,
                channels,
                replicas,
                durability,
                BackgroundPace.SCRUB_BYTES_PER_SECOND,
                BackgroundPace.REBUILD_BYTES_PER_SECOND,
                BackgroundPace.DISSEMINATE_BYTES_PER_SECOND,
                HISTORY_POOL_BY_CLIENTS,
                WRITE_BACK_MILLIS,
                KEY_MILLIS);
    }

    /** The same node at another address of its own. */
    public NodeSetup withListen(InetSocketAddress other) {
        return new NodeSetup(
                number,
                other,
                data,
                keys,
                channels,
                replicas,
                durability,
                scrubBytesPerSecond,
                rebuildBytesPerSecond,
                disseminateBytesPerSecond,
                historyPoolBytes,
                writeBackMillis,
                keyMillis);
    }

    /** Returns the same node, which leaves what it stores unread until somebody asks. */
    public NodeSetup withoutScrubbing() {
        return new NodeSetup(
                number,
                listen,
                data,
                keys,
                channels,
                replicas,
                durability,
                0,
                rebuildBytesPerSecond,
                disseminateBytesPerSecond,
                historyPoolBytes,
                writeBackMillis,
                keyMillis);
    }

    public NodeSetup withKeyMillis(long other) {
        return new NodeSetup(
                number,
                listen,
                data,
                keys,
                channels,
                replicas,
                durability,
                scrubBytesPerSecond,
                rebuildBytesPerSecond,
                disseminateBytesPerSecond,
                historyPoolBytes,
                writeBackMillis,
                other);
    }

    public NodeSetup {
        replicas = List.copyOf(replicas);
        if (number < 0 || scrubBytesPerSecond < 0 || historyPoolBytes < 0 || writeBackMillis < 0) {
            throw new IllegalArgumentException("node " + number + " that scrubs " + scrubBytesPerSecond
                    + " bytes per second, with a history pool of " + historyPoolBytes + " bytes, and writes back after "
                    + writeBackMillis + " ms");
        }
        if (rebuildBytesPerSecond < REBUILD_BYTES_PER_SECOND_MIN) {
            throw new IllegalArgumentException(
                    "a rebuild rate of " + rebuildBytesPerSecond + " bytes per second; it is 64KB or more");
        }
        if (disseminateBytesPerSecond < REBUILD_BYTES_PER_SECOND_MIN) {
            throw new IllegalArgumentException("a rate of dissemination of " + disseminateBytesPerSecond
                    + " bytes per second; it is 64KB or more");
        }
        if (keyMillis < KEY_MILLIS_MIN) {
            throw new IllegalArgumentException("a key period of " + keyMillis + " ms; it is 2 s or more");
        }
    }
}
