package io.bulwark.protocol.ordering.driver;

import io.bulwark.protocol.ordering.OrderingMessage;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.ConfigurationStart;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.ordering.message.ReplicaMessage;

/**
 * Configuration of one replica of a group of 3f+1. All but {@code self} must be the same at all of them.
 *
 * @param self this replica's number, from 0
 * @param term the configuration that this life of the replica is in, and where that begins
 * @param checkpointInterval K: a checkpoint is made at every K-th number
 * @param logSize L: the distance from the low water mark to the high one; a multiple of K
 * @param batches how the primary fills batches
 * @param room the limits on one client's outstanding requests at one replica
 * @param timers the timeouts of a replica
 * @param recoveries how often replicas recover, and what that takes at most
 */
public record ReplicaConfig(
        int self,
        ConfigurationStart term,
        int checkpointInterval,
        int logSize,
        Batches batches,
        Quotas room,
        Timers timers,
        Recoveries recoveries) {
    /**
     * Limits of batches: the number of requests, and the bytes of operations unless the batch holds only one. While
     * {@code inFlight} batches or more are not executed yet, only full ones are proposed.
     */
    public record Batches(int requestsMax, int bytesMax, int inFlight) {
        public static final Batches DEFAULT = new Batches(1_024, 1 << 20, 2);

        public Batches {
            if (requestsMax < 1 || requestsMax > Batch.REQUESTS_MAX || bytesMax < 1 || inFlight < 1) {
                throw new IllegalArgumentException("batches of " + requestsMax + " requests, " + bytesMax + " bytes");
            }
        }
    }

    /**
     * Limits on the pending requests of one client: their number, and the bytes of their operations in sum. Further
     * ones are refused as {@code OVERLOADED}. All clients together have {@code bytesOfAll}; when that is full, clients
     * above their share give way. Requests that f+1 others vouch for have as much again, and those that 2f+1 vouch for
     * once more. In any case 1/1024 of it is each client's own. Of one peer it remembers {@code vouchesPerPeer}
     * vouches; the oldest of the client that has most are dropped first. Of executed requests it keeps {@code
     * resultsPerClient} results.
     */
    public record Quotas(
            int requestsPerClient, int bytesPerClient, int vouchesPerPeer, int resultsPerClient, int bytesOfAll) {
        public static final Quotas DEFAULT = new Quotas(256, 8 << 20, 16_384, 512, 32 << 20);

        public Quotas {
            if (requestsPerClient < 1
                    || bytesPerClient < OrderingMessage.COMMAND_BYTES_MAX
                    || vouchesPerPeer < 1
                    || bytesOfAll < bytesPerClient) {
                throw new IllegalArgumentException("no room for a request");
            }
        }
    }

    /**
     * Timeouts of a replica, in milliseconds.
     *
     * @param statusMillis between two STATUS messages while something is missing; four times as long otherwise
     * @param fetchMillis until a batch or a body is asked for again, from another replica
     * @param stateMillis without any execution, after which a replica fetches the state that f+1 others have
     * @param requestMillis until a request that is not executed makes a backup suspect the primary
     * @param requestMillisMax bound to which fruitless view changes double that time
     * @param clockMillis a backup refuses a fresh proposal whose time differs more from its own
     */
    public record Timers(
            long statusMillis,
            long fetchMillis,
            long stateMillis,
            long requestMillis,
            long requestMillisMax,
            long clockMillis) {
        public static final Timers DEFAULT = new Timers(200, 100, 500, 2_000, 60_000, 10_000);

        /**
         * Returns the time after which READY is sent for a ready request that is not executed. It exceeds the time that
         * the primary needs.
         */
        public long readyDelayMillis() {
            return statusMillis / 2;
        }

        /**
         * Returns how long READY counts at the replica that is to propose: until all replicas that wait for the request
         * would have timed out.
         */
        public long keepReadyMillis() {
            return echoMillis() + 2 * requestMillis;
        }

        /** A vouch that is not repeated counts so long: less than a request's timer, and some STATUS messages. */
        public long echoMillis() {
            return Math.max(5 * statusMillis, requestMillis / 2);
        }
    }

    /**
     * Intervals of the proactive recovery, in milliseconds.
     *
     * @param watchdogMillis T_w, between two recoveries of one replica; a request within half of it is refused
     * @param keyMillis T_k, how long a session key is in force at most
     * @param slowMillis how long a recovery of another replica may take before this one raises the alarm
     */
    public record Recoveries(long watchdogMillis, long keyMillis, long slowMillis) {
        public static final Recoveries DEFAULT = new Recoveries(600_000, 60_000, 120_000);

        public Recoveries {
            if (watchdogMillis < 1 || keyMillis < 1 || slowMillis < 1) {
                throw new IllegalArgumentException(watchdogMillis + ", " + keyMillis + ", " + slowMillis);
            }
        }
    }

    public ReplicaConfig {
        if (self < 0 || self >= term.configuration().members().size()) {
            throw new IllegalArgumentException("replica " + self + " of " + term);
        }
        if (checkpointInterval < 1
                || logSize < checkpointInterval
                || logSize % checkpointInterval != 0
                || 2 * logSize > ReplicaMessage.NUMBERS_MAX) {
            throw new IllegalArgumentException("a log of " + logSize + ", a checkpoint each " + checkpointInterval);
        }
    }

    /** With K = 128 and L = 256, in a group that keeps its members. */
    public static ReplicaConfig of(int self, int faulty) {
        return new ReplicaConfig(
                self,
                ConfigurationStart.first(Configuration.fixed(faulty)),
                128,
                256,
                Batches.DEFAULT,
                Quotas.DEFAULT,
                Timers.DEFAULT,
                Recoveries.DEFAULT);
    }

    public ReplicaConfig withLog(int newCheckpointInterval, int newLogSize) {
        return new ReplicaConfig(self, term, newCheckpointInterval, newLogSize, batches, room, timers, recoveries);
    }

    public ReplicaConfig withBatches(Batches other) {
        return new ReplicaConfig(self, term, checkpointInterval, logSize, other, room, timers, recoveries);
    }

    public ReplicaConfig withRoom(Quotas other) {
        return new ReplicaConfig(self, term, checkpointInterval, logSize, batches, other, timers, recoveries);
    }

    public ReplicaConfig withTimers(Timers other) {
        return new ReplicaConfig(self, term, checkpointInterval, logSize, batches, room, other, recoveries);
    }

    public ReplicaConfig withRecoveries(Recoveries other) {
        return new ReplicaConfig(self, term, checkpointInterval, logSize, batches, room, timers, other);
    }

    /** Another life: this replica has this place in another configuration. */
    public ReplicaConfig in(ConfigurationStart other, int place) {
        return new ReplicaConfig(place, other, checkpointInterval, logSize, batches, room, timers, recoveries);
    }

    /** f, at least 1. */
    public int faulty() {
        return term.configuration().faulty();
    }

    public int replicas() {
        return term.configuration().members().size();
    }

    /** 2f+1: a certificate that others can be convinced with. */
    public int quorum() {
        return 2 * faulty() + 1;
    }

    /** f+1: there is a correct replica among so many. */
    public int weakQuorum() {
        return faulty() + 1;
    }

    public int primary(long view) {
        return (int) (view % replicas());
    }
}
