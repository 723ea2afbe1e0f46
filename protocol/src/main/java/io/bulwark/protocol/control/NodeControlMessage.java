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

    /** How are you? Answered by {@link NodeStatusReply}, to any principal. */
    record NodeStatusRequest() implements NodeControlMessage {}

    /** Do you refuse this revoked principal in all register volumes? Answered by {@link RevocationReply}, to any principal. */
    record RevocationRequest(PrincipalId revoked) implements NodeControlMessage {}

    /**
     * How far a node has put a principal out.
     *
     * @param refused whether the node takes nothing of it any more, for good, and is not looking anew for what it has left
     * @param undecided register versions of which it is not decided yet whether they ever take effect, that it has prepared at the node, or
     *     that a repair has staged there, whoever wrote them
     */
    record RevocationReply(PrincipalId revoked, boolean refused, long undecided) implements NodeControlMessage {
        public RevocationReply {
            if (undecided < 0) {
                throw new IllegalArgumentException(undecided + " versions of " + revoked);
            }
        }
    }

    /** Is your history pool large enough? Answered by {@link PoolReply}, to any principal. */
    record PoolRequest() implements NodeControlMessage {}

    /**
     * Whether a node's history pool has room for a few versions of each client.
     *
     * @param neededBytes what it must be for that, by the volumes that were written within the last minute; 0 if it is large enough
     */
    record PoolReply(long neededBytes) implements NodeControlMessage {
        public PoolReply {
            if (neededBytes < 0) {
                throw new IllegalArgumentException("a pool of " + neededBytes + " bytes");
            }
        }
    }

    /** How fast do you make again what you lack? Answered by {@link RebuildReply}, to any principal. */
    record RebuildRequest() implements NodeControlMessage {}

    /**
     * How a node makes fragments again that it lacks or found bad.
     *
     * @param madeBytes since it started
     * @param latelyBytesPerSecond within the last seconds
     * @param limitBytesPerSecond its setting
     */
    record RebuildReply(long madeBytes, long latelyBytesPerSecond, long limitBytesPerSecond)
            implements NodeControlMessage {
        public RebuildReply {
            if (madeBytes < 0 || latelyBytesPerSecond < 0 || limitBytesPerSecond < 0) {
                throw new IllegalArgumentException("made " + madeBytes + " bytes, " + latelyBytesPerSecond + " of "
                        + limitBytesPerSecond + " a second");
            }
        }
    }

    /** No block comes behind those that were listed. */
    long NO_MORE = Long.MAX_VALUE;

    int LATEST_MAX = 1024;

    /**
     * What have you latest of a register volume's blocks, from this one on? Answered by {@link LatestReply}, to nodes: who starts compares
     * what it holds with that.
     *
     * @param life of the asking node
     */
    record LatestRequest(int volume, Protocol protocol, long from, Life life) implements NodeControlMessage {
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
    record Life(long number, long nonce) {
        public Life {
            if (number < 0) {
                throw new IllegalArgumentException("life " + number);
            }
        }

        /** Whether the store of this life is older than the one that had the other, as it does not know of it. */
        public boolean isBehind(Life other) {
            return other.number > number || (other.number == number && other.nonce != nonce);
        }
    }

    /**
     * What a node has of a register volume's blocks.
     *
     * @param from the first block that was asked for
     * @param blocks by rising number; those of which it has nothing are left out
     * @param next the first block that it did not look for, or {@link #NO_MORE}
     * @param laterLife the number of a life of the asking node that its store does not know of; 0 if this node has heard of none
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
     * How a node is.
     *
     * @param acceptsWrites false while its disk is full or failing
     * @param usedBytes of its fragments on disk
     * @param freeBytes that its disk has left for them, beyond the reserve; 0 while it refuses writes for lack of space,
     *     and never where its store has failed
     * @param volumes what it has left to do, by rising volume id; of one that is left out it has compared nothing yet
     * @param background what it has done unasked since it started
     * @param poolBytes its history pool: what unverified versions of all volumes may take
     * @param versions of its volumes under PASIS, by rising volume id
     * @param seen what it has seen of its peers since it started, by rising node, then verdict
     * @param setBack whether peers remember later lives of it than its store does, and it has not made that up yet
     */
    record NodeStatusReply(
            boolean acceptsWrites,
            long usedBytes,
            long freeBytes,
            List<VolumeWork> volumes,
            BackgroundReport background,
            long poolBytes,
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
                    || poolBytes < 0
                    || volumes.size() > ClusterMap.VOLUMES_MAX
                    || versions.size() > ClusterMap.VOLUMES_MAX
                    || seen.size() > PEER_VERDICTS_MAX) {
                throw new IllegalArgumentException("used " + usedBytes + ", free " + freeBytes + ", " + volumes.size()
                        + " volumes, " + seen.size() + " verdicts");
            }
        }
    }

    /**
     * What a node has left to do in a volume.
     *
     * @param unfinished blocks that it must still complete or repair, as far as it knows
     * @param compared whether it has compared all that it holds with all that it should hold since it started; until then it is unverified
     */
    record VolumeWork(int volume, long unfinished, boolean compared) {
        public VolumeWork {
            if (volume < 0 || unfinished < 0) {
                throw new IllegalArgumentException(unfinished + " blocks of volume " + volume);
            }
        }

        /** What several have to say of volumes as one list, by rising volume id: a volume is compared once all that name it say so. */
        @SafeVarargs
        public static List<VolumeWork> sum(List<VolumeWork>... all) {
            SortedMap<Integer, VolumeWork> byVolume = new TreeMap<>();
            for (List<VolumeWork> each : all) {
                for (VolumeWork work : each) {
                    byVolume.merge(
                            work.volume,
                            work,
                            (a, b) -> new VolumeWork(a.volume, a.unfinished + b.unfinished, a.compared && b.compared));
                }
            }
            return List.copyOf(byVolume.values());
        }
    }

    /**
     * What a node has done unasked since it started.
     *
     * @param looked fragments re-read and checked, and blocks that peers were asked about
     * @param foundBad of these damaged, missing or behind
     * @param repaired of these made good
     * @param idleMillis how long it worked so while no client asked for anything
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
     * What a node holds of a volume under PASIS, and has verified of it since it started.
     *
     * @param unverified versions that are neither verified nor collected
     * @param poolBytes what they take of the history pool
     * @param verifications done by this node, by reading at the others
     * @param onDemand those of them that a bound, a read or a write waited for
     * @param cooperative versions verified by the word of b + 1 others
     * @param avoided versions collected without ever having been verified, as a later one was
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
                throw new IllegalArgumentException("less than nothing in volume " + volume);
            }
        }
    }

    /** How often a node met a verdict about another. */
    record PeerVerdict(int node, Verdict verdict, long count) {
        public PeerVerdict {
            if (node < 0 || count < 0) {
                throw new IllegalArgumentException("node " + node + " " + verdict + " " + count + " times");
            }
        }
    }
}
