package io.bulwark.protocol.control;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.effect.RecordKey;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/** Questions about a node as a whole, and its answers. A lying node lies here too: nothing is decided by them. */
public sealed interface NodeControlMessage extends Message {
    int PEER_VERDICTS_MAX = 8192;

    /** Request for the node's status. Answered by {@link NodeStatusReply}, to any principal. */
    record NodeStatusRequest() implements NodeControlMessage {}

    /** Do you refuse this revoked principal in all register volumes? Answered by {@link RevocationReply}, to any principal. */
    record RevocationRequest(PrincipalId revoked) implements NodeControlMessage {}

    /**
     * Progress of a node in the revocation of a principal.
     *
     * @param refused whether the node refuses the principal for good, and has no new search for its leftovers in
     *     progress
     * @param undecided number of register versions that may still take effect and that the principal has prepared at
     *     the node, or that a repair has staged there, whoever wrote them
     */
    record RevocationReply(PrincipalId revoked, boolean refused, long undecided) implements NodeControlMessage {
        public RevocationReply {
            if (undecided < 0) {
                throw new IllegalArgumentException(undecided + " versions of " + revoked);
            }
        }
    }

    /** No block comes behind those that were listed. */
    long NO_MORE = Long.MAX_VALUE;

    int LATEST_MAX = 1024;

    /**
     * Request for the latest versions of a register volume's blocks, from this one on. Answered by {@link LatestReply},
     * to nodes. A node that starts compares its own versions with them.
     *
     * @param life of the asking node
     */
    record LatestRequest(int volume, Protocol protocol, long from, StoreStart life) implements NodeControlMessage {
        public LatestRequest {
            if (volume < 0 || from < 0) {
                throw new IllegalArgumentException("block " + from + " of volume " + volume);
            }
        }
    }

    /**
     * A start of a node with its store. The store counts them; peers remember the last that they heard of.
     *
     * @param number one more than that of the last start that the store knows of
     * @param nonce drawn at the start: two starts of one number have two
     */
    record StoreStart(long number, long nonce) {
        public StoreStart {
            if (number < 0) {
                throw new IllegalArgumentException("life " + number);
            }
        }

        /**
         * Returns whether this life's store is older than the store of the other life, because it does not know of that
         * life.
         */
        public boolean isBehind(StoreStart other) {
            return other.number > number || (other.number == number && other.nonce != nonce);
        }
    }

    /**
     * A node's versions of a register volume's blocks.
     *
     * @param from the first block that was asked for
     * @param blocks by rising number, without those of which the node has nothing
     * @param next the first block that it did not look for, or {@link #NO_MORE}
     * @param laterLife the number of a life of the asking node that its store does not know of; 0 if this node has
     *     heard of none
     * @param counts false while this node does not know itself whether its store was set back
     */
    record LatestReply(int volume, long from, List<LatestVersion> blocks, long next, long laterLife, boolean counts)
            implements NodeControlMessage {
        public LatestReply {
            blocks = List.copyOf(blocks);
            long before = from - 1;
            for (LatestVersion each : blocks) {
                if (each.block() <= before || each.block() >= next) {
                    throw new IllegalArgumentException("block " + each.block() + " after " + before);
                }
                before = each.block();
            }
            if (volume < 0 || from < 0 || next <= from || laterLife < 0 || blocks.size() > LATEST_MAX) {
                throw new IllegalArgumentException(
                        blocks.size() + " blocks of volume " + volume + " from " + from + " to " + next);
            }
        }
    }

    /**
     * The version of a block that a node has latest, complete or not.
     *
     * @param version as records are named: of two the greater in byte order is the later
     */
    record LatestVersion(long block, Bytes version) {
        public LatestVersion {
            if (block < 0 || version.length() > RecordKey.SUFFIX_BYTES_MAX) {
                throw new IllegalArgumentException(version.length() + " bytes of block " + block);
            }
        }
    }

    /**
     * Status of a node.
     *
     * @param acceptsWrites false while its disk is full or failing
     * @param usedBytes of its fragments on disk
     * @param freeBytes that its disk has left for fragments, beyond the reserve; 0 while it refuses writes for lack of
     *     space, and never where its store has failed
     * @param volumes its pending work, by rising volume id; it has compared nothing yet of a volume that is left out
     * @param background its background work since it started
     * @param rebuild its rate of rebuilding fragments
     * @param pool its history pool
     * @param versions of its volumes under PASIS, by rising volume id
     * @param seen its verdicts on its peers since it started, by rising node, then verdict
     * @param setBack whether peers remember later lives of it than its store does, and it has not recovered from that
     *     yet
     */
    record NodeStatusReply(
            boolean acceptsWrites,
            long usedBytes,
            long freeBytes,
            List<VolumeWork> volumes,
            BackgroundReport background,
            RebuildReport rebuild,
            PoolReport pool,
            List<VersionsReport> versions,
            List<PeerVerdict> seen,
            boolean setBack)
            implements NodeControlMessage {
        public NodeStatusReply {
            volumes = List.copyOf(volumes);
            versions = List.copyOf(versions);
            seen = List.copyOf(seen);
            if (usedBytes < 0
                    || freeBytes < 0
                    || volumes.size() > ClusterMap.VOLUMES_MAX
                    || versions.size() > ClusterMap.VOLUMES_MAX
                    || seen.size() > PEER_VERDICTS_MAX) {
                throw new IllegalArgumentException("used " + usedBytes + ", free " + freeBytes + ", " + volumes.size()
                        + " volumes, " + seen.size() + " verdicts");
            }
        }
    }

    /**
     * Pending work of a node in a volume.
     *
     * @param unfinished blocks that it must still complete or repair, as far as it knows
     * @param lacking extents of the archive class that it lacks and that wait for dissemination
     * @param compared whether it has compared all that it holds with all that it should hold since it started; until
     *     then it is unverified
     */
    record VolumeWork(int volume, long unfinished, long lacking, boolean compared) {
        /** Work in a volume without dissemination. */
        public VolumeWork(int volume, long unfinished, boolean compared) {
            this(volume, unfinished, 0, compared);
        }

        public VolumeWork {
            if (volume < 0 || unfinished < 0 || lacking < 0) {
                throw new IllegalArgumentException(unfinished + " blocks of volume " + volume);
            }
        }

        /**
         * Merges several lists of pending work, by rising volume id. A volume counts as compared once all lists that
         * name it say so.
         */
        @SafeVarargs
        public static List<VolumeWork> sum(List<VolumeWork>... all) {
            SortedMap<Integer, VolumeWork> byVolume = new TreeMap<>();
            for (List<VolumeWork> each : all) {
                for (VolumeWork work : each) {
                    byVolume.merge(
                            work.volume,
                            work,
                            (a, b) -> new VolumeWork(
                                    a.volume,
                                    a.unfinished + b.unfinished,
                                    a.lacking + b.lacking,
                                    a.compared && b.compared));
                }
            }
            return List.copyOf(byVolume.values());
        }
    }

    /**
     * Background work of a node since it started.
     *
     * @param looked fragments re-read and checked, and blocks that peers were asked about
     * @param foundBad of these damaged, missing or behind
     * @param repaired of these repaired
     * @param idleMillis time for which it worked so while no client had requests
     */
    record BackgroundReport(long looked, long foundBad, long repaired, long idleMillis) {
        public BackgroundReport {
            if (looked < 0 || foundBad < 0 || repaired < 0 || idleMillis < 0) {
                throw new IllegalArgumentException("looked " + looked + ", bad " + foundBad + ", repaired " + repaired
                        + ", " + idleMillis + " ms");
            }
        }
    }

    /**
     * Rate at which a node rebuilds missing or bad fragments.
     *
     * @param madeBytes since it started
     * @param latelyBytesPerSecond within the last seconds
     * @param limitBytesPerSecond its setting
     */
    record RebuildReport(long madeBytes, long latelyBytesPerSecond, long limitBytesPerSecond) {
        public RebuildReport {
            if (madeBytes < 0 || latelyBytesPerSecond < 0 || limitBytesPerSecond < 0) {
                throw new IllegalArgumentException("made " + madeBytes + " bytes, " + latelyBytesPerSecond + " of "
                        + limitBytesPerSecond + " a second");
            }
        }
    }

    /**
     * History pool of a node.
     *
     * @param bytes the limit for unverified versions of all volumes
     * @param neededBytes required size, by the volumes that were written within the last minute, so that each client
     *     has room for a few versions; 0 if the pool is large enough
     */
    record PoolReport(long bytes, long neededBytes) {
        public PoolReport {
            if (bytes < 0 || neededBytes < 0) {
                throw new IllegalArgumentException("a pool of " + bytes + " bytes, needed are " + neededBytes);
            }
        }
    }

    /**
     * Versions that a node holds of a volume under PASIS, and their verification since it started.
     *
     * @param unverified versions that are neither verified nor collected
     * @param poolBytes their share of the history pool
     * @param verifications done by this node, by reading from the others
     * @param onDemand those of them that a bound, a read or a write waited for
     * @param cooperative versions verified by the word of b + 1 others
     * @param avoided versions collected without verification, because a later one was verified
     * @param poisonous versions discarded
     * @param refused writes refused at a bound
     */
    record VersionsReport(
            int volume,
            long unverified,
            long poolBytes,
            long verifications,
            long onDemand,
            long cooperative,
            long avoided,
            long poisonous,
            long refused) {
        public VersionsReport {
            if (volume < 0
                    || unverified < 0
                    || poolBytes < 0
                    || verifications < 0
                    || onDemand < 0
                    || cooperative < 0
                    || avoided < 0
                    || poisonous < 0
                    || refused < 0) {
                throw new IllegalArgumentException("a negative count in volume " + volume);
            }
        }
    }

    /** Number of times that a node reached a verdict about another. */
    record PeerVerdict(int node, Verdict verdict, long count) {
        public PeerVerdict {
            if (node < 0 || count < 0) {
                throw new IllegalArgumentException("node " + node + " " + verdict + " " + count + " times");
            }
        }
    }
}
