package io.bulwark.client.cluster;

import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.KeyRing;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.control.NodeControlCodec;
import io.bulwark.protocol.control.NodeControlMessage.RebuildReport;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.extent.ExtentCodec;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentServer;
import io.bulwark.protocol.fp.FpCodec;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpServer;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Five nodes and four replicas in this process, over TCP on loopback; only disks and ordering are in memory. */
public final class MemoryCluster implements AutoCloseable {
    public static final int NODES = 5;
    private static final PrincipalId CLIENT = PrincipalId.client(0);

    private final Map<PrincipalId, KeyRing> keys;
    private final List<MemoryNode> nodes = new ArrayList<>();
    private final MemoryReplicas replicas;
    private final ClientConfig config;

    /** @param directory for the client's key ring */
    public MemoryCluster(Path directory) throws IOException {
        List<PrincipalId> all = new ArrayList<>(List.of(CLIENT));
        for (int i = 0; i < NODES; i++) {
            all.add(PrincipalId.node(i));
        }
        for (int i = 0; i < MemoryReplicas.COUNT; i++) {
            all.add(PrincipalId.replica(i));
        }
        keys = KeyRing.generate(all, new SecureRandom());
        Path ring = KeyRing.file(directory, CLIENT);
        ringOf(CLIENT).store(ring);
        MemoryReplicas[] known = new MemoryReplicas[1];
        List<NodeAddress> addresses = new ArrayList<>();
        for (int i = 0; i < NODES; i++) {
            int number = i;
            MemoryNode node =
                    new MemoryNode(open(PrincipalId.node(i)), servers(i), question -> known[0].fact(number, question));
            nodes.add(node);
            addresses.add(new NodeAddress(i, "127.0.0.1", node.address().getPort()));
        }
        replicas = new MemoryReplicas(
                new Genesis(addresses, List.of(Genesis.Grant.all(CLIENT))), i -> open(PrincipalId.replica(i)));
        known[0] = replicas;
        for (int i = 0; i < NODES; i++) {
            for (int j = 0; j < NODES; j++) {
                nodes.get(i).connect(PrincipalId.node(j), nodes.get(j).address());
            }
        }
        config = new ClientConfig(
                        CLIENT,
                        ring,
                        new ChannelConfig.InsecureLoopback(),
                        1,
                        replicas.addresses().stream()
                                .map(address -> new ClientConfig.Endpoint("127.0.0.1", address.getPort()))
                                .toList(),
                        16 << 20)
                .withInlineMax(0);
    }

    public ClientConfig config() {
        return config;
    }

    public void stopNode(int node) {
        nodes.get(node).close();
    }

    public void stopReplica(int replica) {
        replicas.stop(replica);
    }

    /** Makes the node report from now on that it takes no writes, and this much free space. */
    public void refuseWrites(int node, long freeBytes) {
        nodes.get(node).freeBytes = freeBytes;
        nodes.get(node).acceptsWrites = false;
    }

    /** Lets a node say that its store was set back, and that it has made up nothing yet. */
    public void setBack(int node) {
        forgetVolumes(node);
        nodes.get(node).setBack = true;
    }

    /** Lets a node say what its history pool should be, or nothing of it, with -1. */
    public void poolNeeded(int node, long bytes) {
        nodes.get(node).poolNeeded = bytes;
    }

    /** Makes a node report this much used space and this rebuild progress. */
    public void rebuilds(int node, long usedBytes, RebuildReport how) {
        nodes.get(node).usedBytes = usedBytes;
        nodes.get(node).rebuilding = how;
    }

    /** Lets a node say nothing of any volume, as one does that has not heard of it yet. */
    public void forgetVolumes(int node) {
        nodes.get(node).volumesDone = 0;
    }

    /** Changes all fragments of extents at a node, below its checks. */
    public int corruptNode(int node, UnaryOperator<Bytes> change) {
        return nodes.get(node).records.corrupt(RecordKind.EXTENT, change);
    }

    @Override
    public void close() {
        nodes.forEach(MemoryNode::close);
        replicas.close();
    }

    private List<MemoryNode.Hosted> servers(int node) {
        return List.of(
                new MemoryNode.Hosted(ExtentMessage.Request.class, new ExtentServer(node, ExtentLimits.standard())),
                new MemoryNode.Hosted(
                        FpMessage.class,
                        new FpServer(ringOf(PrincipalId.node(node)).pairwiseKeys(), FpLimits.standard())));
    }

    private Transport open(PrincipalId principal) {
        return Transport.open(
                TransportSettings.defaults(),
                ringOf(principal).pairwiseKeys(),
                new MessageCodecs(new ExtentCodec(), new FpCodec(), new OrderingCodec(), new NodeControlCodec()));
    }

    private KeyRing ringOf(PrincipalId principal) {
        KeyRing ring = keys.get(principal);
        if (ring == null) {
            throw new IllegalArgumentException("no keys for " + principal);
        }
        return ring;
    }
}
