package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cluster.NodeSetup;
import io.bulwark.appliance.cluster.RunningNode;
import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Volume;
import io.bulwark.client.VolumeSpec;
import io.bulwark.it.HostileProxy.Spoiling;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * An interceptor in the place of one node that corrupts every answer, on an authenticated connection. TLS is off; with
 * it only the node itself could be in that place.
 */
@NullMarked
class HostileNodeIT {
    private static final int NODES = 5;
    private static final int OBJECTS = 3;
    private static final int BLOCK = 4096;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embeddedWithoutTls(NODES);

    @Test
    void readsAndWritesGoOnWhateverOneNodeAnswers() throws Exception {
        Random random = new Random(LiveCluster.SEED);
        int hostile = random.nextInt(NODES);
        ProtectionPolicy policy = new ProtectionPolicy(1, 2, 4, BLOCK);
        CLUSTER.client().createVolume(VolumeSpec.objects("small", policy));
        CLUSTER.client().createVolume(VolumeSpec.registers("registers", policy, NODES));
        CLUSTER.client().createBucket(BucketSpec.of("hostile").inVolume("small"));

        NodeSetup setup = CLUSTER.plan().node(hostile, CLUSTER.plan().data().node(hostile));
        int hidden = LiveCluster.freePortBase(NODES, 4);
        CLUSTER.stopNode(hostile);
        InetSocketAddress real = new InetSocketAddress(InetAddress.getLoopbackAddress(), hidden);
        NodeSetup elsewhere = new NodeSetup(
                setup.number(),
                real,
                setup.data(),
                setup.keys(),
                setup.channels(),
                setup.replicas(),
                setup.durability());
        try (RunningNode node = RunningNode.start(elsewhere);
                HostileProxy proxy = new HostileProxy(setup.listen().getPort(), real, LiveCluster.SEED)) {
            for (Spoiling how : Spoiling.values()) {
                proxy.spoil(how);
                long before = proxy.spoiled();
                readAndWrite(how, random);
                assertThat(proxy.spoiled())
                        .as("%s: the hostile node was asked", how)
                        .isGreaterThan(before);
            }
            assertThat(node).isNotNull();
        }
        CLUSTER.startNode(hostile);
        CLUSTER.awaitFullFaults();
    }

    private static void readAndWrite(Spoiling how, Random random) {
        try (Bulwark client = CLUSTER.freshClient();
                Bulwark reader = CLUSTER.freshClient()) {
            Bucket bucket = client.bucket("hostile");
            Volume registers = client.volume("registers");
            for (int i = 0; i < OBJECTS; i++) {
                String key = how + "/" + i;
                byte[] content = new byte[i == 0 ? 2 * BLOCK + 5 : BLOCK];
                random.nextBytes(content);
                bucket.put(key, content);
                assertThat(reader.bucket("hostile").getBytes(key)).as(key).isEqualTo(content);
                assertThat(bucket.getBytes(key)).as(key).isEqualTo(content);
            }
            for (int block = 0; block < NODES; block++) {
                byte[] content = new byte[BLOCK];
                random.nextBytes(content);
                registers.writeBlock(block, content);
                assertThat(reader.volume("registers").readBlock(block))
                        .as("%s: block %d", how, block)
                        .isEqualTo(content);
            }
        }
    }
}
