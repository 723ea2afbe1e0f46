package io.bulwark.it;

import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.driver.EvidenceLog;
import io.bulwark.client.driver.OperationDriver;
import io.bulwark.client.driver.PeerLinks;
import io.bulwark.client.metadata.MetadataClient;
import io.bulwark.client.object.Metadata;
import io.bulwark.client.object.ReplicatedMetadata;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.ordering.OrderingCodec;
import io.bulwark.protocol.pasis.PasisCodec;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PoisonousWrite;
import io.bulwark.protocol.wire.MessageCodecs;
import io.bulwark.transport.Destination;
import io.bulwark.transport.Transport;
import io.bulwark.transport.TransportSettings;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.NullMarked;

/** A faulty client of a live cluster: it speaks the protocols, in one session, and writes versions that belong to no one block. */
@NullMarked
final class PoisonousClient implements AutoCloseable {
    private final PrincipalId self;
    private final Transport transport;
    private final PeerLinks links;
    private final OperationDriver driver;
    private final Volume volume;
    private final Metadata.Session session;
    private final RandomGenerator random = new Random(LiveCluster.SEED);

    PoisonousClient(LiveCluster cluster, int number, String volume) throws ExecutionException, InterruptedException {
        ClientConfig config = cluster.clientConfig(number);
        this.self = config.principal();
        int replicas = config.replicas().size();
        this.transport = Transport.open(
                TransportSettings.defaults(),
                config.channels()
                        .credentials(
                                self, config::keys, replicas, config.channels().keptBeside()),
                new MessageCodecs(new PasisCodec(), new OrderingCodec()));
        this.links = new PeerLinks(transport);
        this.driver = new OperationDriver(links, new EvidenceLog(), OperationDriver.Limits.standard(), 1);
        links.deliverTo(driver);
        for (int i = 0; i < replicas; i++) {
            ClientConfig.Endpoint endpoint = config.replicas().get(i);
            links.connect(PrincipalId.replica(i), Destination.of(endpoint.host(), endpoint.port()));
        }
        MetadataClient client = MetadataClient.over(driver, replicas);
        Metadata metadata = new ReplicatedMetadata(client::submit, client::query);
        ClusterMap map = ((Reply.Map) metadata.query(new Query.GetMap()).get()).map();
        for (NodeAddress node : map.nodes()) {
            links.connect(PrincipalId.node(node.node()), Destination.of(node.host(), node.port()));
        }
        this.volume = map.volumes().stream()
                .filter(each -> each.name().equals(volume))
                .findFirst()
                .orElseThrow();
        this.session = metadata.open(this.volume.id()).get();
    }

    /** Comes to how many nodes have taken it. */
    int poison(long block, long time) throws ExecutionException, InterruptedException {
        PasisGroup group = PasisGroup.of(volume, BlockId.register(volume.id(), block));
        return driver.submit(new PoisonousWrite(group, self, session.number(), time, random))
                .get();
    }

    @Override
    public void close() {
        driver.close();
        links.close();
        transport.close();
    }
}
