package io.bulwark.storage.node;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.storage.store.StoreConfig;
import io.bulwark.transport.TransportSettings;
import java.net.InetSocketAddress;

/**
 * Configuration of one storage node.
 *
 * @param node its number in the cluster map
 * @param cluster the cluster's id, zeros where principals have no keys: the store is this node's of this cluster
 * @param listen its listening address; port 0 takes any free port
 * @param shards threads among which the blocks are divided; may change between starts
 * @param requestBytesMax bytes of requests in processing. Requests beyond it are dropped, and so are those that would
 *     give one principal more than the remainder
 */
public record NodeConfig(
        int node,
        Bytes cluster,
        InetSocketAddress listen,
        StoreConfig store,
        TransportSettings transport,
        int shards,
        long requestBytesMax) {
    private static final int SHARDS_MAX = 256;
    /** Must hold the largest frames of three who each have as much as is left. */
    public static final long REQUEST_BYTES_MIN = 96L << 20;

    public NodeConfig {
        if (node < 0 || shards < 1 || shards > SHARDS_MAX) {
            throw new IllegalArgumentException("node " + node + " with " + shards + " shards");
        }
        if (requestBytesMax < REQUEST_BYTES_MIN) {
            throw new IllegalArgumentException(
                    requestBytesMax + " bytes of requests; at least " + REQUEST_BYTES_MIN + " are needed");
        }
    }

    /** A shard per core, 256 MiB of requests, the defaults of {@code transport}. */
    public static NodeConfig standard(int node, Bytes cluster, InetSocketAddress listen, StoreConfig store) {
        return new NodeConfig(
                node,
                cluster,
                listen,
                store,
                TransportSettings.defaults(),
                Math.min(SHARDS_MAX, Runtime.getRuntime().availableProcessors()),
                256L << 20);
    }

    /**
     * Returns the shard of a block. The blocks of a session stay together, since the session's state is kept once;
     * those of a register volume, which belong to no session, are spread.
     */
    public int shardOf(BlockId block) {
        boolean register = block.owner().equals(PrincipalId.NOBODY);
        long h = block.volume() * 31L
                + block.owner().kind().ordinal() * 17L
                + block.owner().number();
        h = (h * 31 + (register ? block.counter() : block.session())) * 0x9E3779B97F4A7C15L;
        return (int) Long.remainderUnsigned(h >>> 32, shards);
    }
}
