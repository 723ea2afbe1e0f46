package io.bulwark.metadata;

import io.bulwark.protocol.ordering.ReplicatedCall;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationStart;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/**
 * Configuration of one replica.
 *
 * @param replica its number, from 0
 * @param listen the address on which it listens; the port may be 0 only if nobody looks for it
 * @param addresses address of each of the 3f+1 replicas of the genesis, by number
 * @param directory for its log and snapshots; used by it alone, made if missing
 * @param snapshotBatches a snapshot is taken each time the sequence is a multiple of this; the same at all replicas
 * @param recoveries schedule of recoveries; T_w is the same at all replicas
 */
public record ReplicaConfig(
        int replica,
        InetSocketAddress listen,
        List<InetSocketAddress> addresses,
        Path directory,
        int snapshotBatches,
        Recoveries recoveries) {
    public static final int SNAPSHOT_BATCHES_STANDARD = 8192;

    public ReplicaConfig {
        addresses = List.copyOf(addresses);
        int faulty = ReplicatedCall.faultyOf(addresses.size());
        if (replica < 0 || faulty < 1 || snapshotBatches < 1) {
            throw new IllegalArgumentException("replica " + replica + " of " + addresses.size() + ", a snapshot every "
                    + snapshotBatches + " batches");
        }
    }

    /** One of the genesis, which listens where the others find it. */
    public ReplicaConfig(
            int replica,
            List<InetSocketAddress> addresses,
            Path directory,
            int snapshotBatches,
            Recoveries recoveries) {
        this(replica, addresses.get(replica), addresses, directory, snapshotBatches, recoveries);
    }

    /** Makes a configuration with the default recoveries. */
    public ReplicaConfig(int replica, List<InetSocketAddress> addresses, Path directory, int snapshotBatches) {
        this(replica, addresses, directory, snapshotBatches, Recoveries.DEFAULT);
    }

    /** Returns a configuration with a snapshot every 8192 batches. */
    public static ReplicaConfig of(int replica, List<InetSocketAddress> addresses, Path directory) {
        return new ReplicaConfig(replica, addresses, directory, SNAPSHOT_BATCHES_STANDARD);
    }

    /** Returns the configuration of the genesis's replicas, for a group whose replicas stay. */
    public Configuration fixed() {
        return Configuration.fixed(ReplicatedCall.faultyOf(addresses.size()));
    }

    /** K, of that engine. */
    public int checkpointInterval() {
        return Math.min(snapshotBatches, 128);
    }

    /**
     * Returns the configuration for the engine after the proactive recovery paper: a checkpoint at each 128th number or
     * more often.
     *
     * @param place of this replica in the configuration
     */
    public io.bulwark.protocol.ordering.driver.ReplicaConfig engine(ConfigurationStart term, int place) {
        int interval = checkpointInterval();
        return io.bulwark.protocol.ordering.driver.ReplicaConfig.of(0, ReplicatedCall.faultyOf(addresses.size()))
                .withLog(interval, 2 * interval)
                .withRecoveries(recoveries)
                .in(term, place);
    }

    public ReplicaConfig withRecoveries(Recoveries other) {
        return new ReplicaConfig(replica, listen, addresses, directory, snapshotBatches, other);
    }

    /**
     * Returns this configuration with another listen address, which may differ from the one at which others find it.
     */
    public ReplicaConfig withListen(InetSocketAddress other) {
        return new ReplicaConfig(replica, other, addresses, directory, snapshotBatches, recoveries);
    }
}
