package io.bulwark.appliance.cluster;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.storage.background.BackgroundPace;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * How one storage node is set up.
 *
 * @param data its directory, its alone
 * @param keys its key ring
 * @param channels how its connections are secured
 * @param replicas where the metadata replicas listen, by number
 * @param durability {@code sync}, {@code interval} or {@code none}
 * @param scrubBytesPerSecond how fast it re-reads what it keeps while no client wants anything; 0 for never
 * @param historyPoolBytes what unverified versions of all volumes under PASIS may take
 * @param writeBackMillis how long such a version is held in memory before it is written, where the durability allows it
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
        long historyPoolBytes,
        long writeBackMillis) {
    public static final long HISTORY_POOL_BYTES = 1L << 30;
    public static final long WRITE_BACK_MILLIS = 2_000;

    /** A node with the standard rate of scrubbing, history pool and time of write-back. */
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
                HISTORY_POOL_BYTES,
                WRITE_BACK_MILLIS);
    }

    public NodeSetup {
        replicas = List.copyOf(replicas);
        if (number < 0 || scrubBytesPerSecond < 0 || historyPoolBytes < 1 || writeBackMillis < 0) {
            throw new IllegalArgumentException("node " + number + " that scrubs " + scrubBytesPerSecond
                    + " bytes per second, with a history pool of " + historyPoolBytes + " bytes, and writes back after "
                    + writeBackMillis + " ms");
        }
    }
}
