package io.bulwark.protocol.control;

import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.wire.Message;
import java.util.List;

/** Questions about a node as a whole, and its answers. A lying node lies here too: nothing is decided by them. */
public sealed interface NodeControlMessage extends Message {
    int PEER_VERDICTS_MAX = 8192;

    /** How are you? Answered by {@link NodeStatusReply}, to any principal. */
    record NodeStatusRequest() implements NodeControlMessage {}

    /**
     * How a node is.
     *
     * @param acceptsWrites false while its disk is full or failing
     * @param usedBytes of its fragments on disk
     * @param freeBytes that its disk has left for them
     * @param volumes what it has left to do, by rising volume id; volumes in which it misses nothing may be left out
     * @param seen what it has seen of its peers since it started, by rising node, then verdict
     */
    record NodeStatusReply(
            boolean acceptsWrites, long usedBytes, long freeBytes, List<VolumeWork> volumes, List<PeerVerdict> seen)
            implements NodeControlMessage {
        public NodeStatusReply {
            volumes = List.copyOf(volumes);
            seen = List.copyOf(seen);
            if (usedBytes < 0
                    || freeBytes < 0
                    || volumes.size() > ClusterMap.VOLUMES_MAX
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
     * @param caughtUp whether it has looked at everything that is referenced
     */
    record VolumeWork(int volume, long unfinished, boolean caughtUp) {
        public VolumeWork {
            if (volume < 0 || unfinished < 0) {
                throw new IllegalArgumentException(unfinished + " blocks of volume " + volume);
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
