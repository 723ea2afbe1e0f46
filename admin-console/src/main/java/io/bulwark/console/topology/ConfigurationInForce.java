package io.bulwark.console.topology;

import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.Surroundings;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.live.ClusterWatch;
import io.bulwark.console.live.History;
import io.bulwark.protocol.cluster.ClusterMap;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.ordering.membership.Configuration;
import java.net.URI;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Configuration that the cluster and this console act on. It has no secret: keys are public, addresses have no credentials. */
@Component
class ConfigurationInForce {
    private final ClusterWatch watch;
    private final SignedIn signedIn;
    private final ConsoleSettings settings;
    private final Surroundings surroundings;

    ConfigurationInForce(ClusterWatch watch, SignedIn signedIn, ConsoleSettings settings, Surroundings surroundings) {
        this.watch = watch;
        this.signedIn = signedIn;
        this.settings = settings;
        this.surroundings = surroundings;
    }

    /**
     * Configuration in force.
     *
     * @param cluster as the replicas agree
     * @param console this process
     */
    record ConfigurationView(ClusterPart cluster, ConsolePart console) {}

    /**
     * Configuration of the cluster.
     *
     * @param mapVersion grows with each change of nodes and volumes
     * @param recoveryPeriodMillis T_w as f+1 replicas report it; 0 if replicas do not recover
     * @param releases SHA-256 of the releases that may be started; none are checked if empty
     */
    record ClusterPart(
            long mapVersion,
            List<NodePart> nodes,
            List<VolumePart> volumes,
            long replicaConfiguration,
            List<ReplicaPart> replicas,
            long recoveryPeriodMillis,
            List<String> releases) {}

    /** Address of a node. */
    record NodePart(int node, String address) {}

    /**
     * Policy of a volume.
     *
     * @param holdersFixed whether its slots must keep their holders
     */
    record VolumePart(
            String name,
            String kind,
            String protocol,
            String verification,
            int f,
            int m,
            int n,
            int blockBytes,
            long blocks,
            int groups,
            boolean holdersFixed) {}

    /** Replica with its public key. */
    record ReplicaPart(String replica, String address, String key) {}

    /**
     * Configuration of this console.
     *
     * @param prometheus host and port of the Prometheus that is asked for older history; null if there is none
     * @param faultPanel whether nodes can be given faults here
     * @param recoversReplicas whether supervisors can be asked for recoveries here
     */
    record ConsolePart(
            String listen,
            boolean published,
            @Nullable String prometheus,
            boolean faultPanel,
            boolean recoversReplicas,
            long sampleSeconds,
            long historySeconds,
            String java) {}

    ConfigurationView view() {
        Bulwark client = signedIn.client();
        ClusterMap map = watch.map().map();
        ClusterStatus status = watch.now().status();
        Configuration replicas = client.replicas().standing().now();
        return new ConfigurationView(
                new ClusterPart(
                        map.version(),
                        map.nodes().stream()
                                .map(node -> new NodePart(node.node(), node.host() + ":" + node.port()))
                                .toList(),
                        map.volumes().stream().map(ConfigurationInForce::volume).toList(),
                        replicas.number(),
                        replicas.members().stream()
                                .map(member -> new ReplicaPart(
                                        member.replica().toString(),
                                        client.replicas().addressOf(member),
                                        member.key().length() == PrincipalKey.BYTES
                                                ? new PrincipalKey(member.key()).text()
                                                : ""))
                                .toList(),
                        status.recoveries().period().toMillis(),
                        client.releases().allowed()),
                console());
    }

    private static VolumePart volume(Volume volume) {
        var policy = volume.policy();
        return new VolumePart(
                volume.name(),
                volume.kind().name().toLowerCase(Locale.ROOT),
                policy.protocol().text(),
                policy.verification().text(),
                policy.f(),
                policy.m(),
                policy.n(),
                policy.blockBytes(),
                volume.blocks(),
                volume.groups().size(),
                volume.hasFixedHolders());
    }

    private ConsolePart console() {
        return new ConsolePart(
                settings.listen().getHostString() + ":" + settings.listen().getPort(),
                settings.published(),
                surroundings.prometheus().map(ConfigurationInForce::hostAndPort).orElse(null),
                surroundings.faults().isPresent(),
                surroundings.supervisors().isPresent(),
                History.STEP.toSeconds(),
                History.STEP.multipliedBy(History.SAMPLES_MAX).toSeconds(),
                Runtime.version().toString());
    }

    /** An address may hold credentials, which stay here. */
    private static String hostAndPort(URI address) {
        return address.getHost() + (address.getPort() < 0 ? "" : ":" + address.getPort());
    }
}
