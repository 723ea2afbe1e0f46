package io.bulwark.appliance.cluster;

import io.bulwark.client.replicas.KnownReplicas;
import io.bulwark.metadata.MetadataReplica;
import io.bulwark.metadata.NamespaceApplication;
import io.bulwark.metadata.NamespaceMachine;
import io.bulwark.metadata.ReplicaConfig;
import io.bulwark.metadata.ReplicaServer;
import io.bulwark.metadata.bft.ReplicaRestarter;
import io.bulwark.metadata.bftsmart.BftSmartEngines;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.ordering.driver.StartReason;
import io.bulwark.transport.Credentials;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.util.Optional;

/** The engines that can order the metadata of an appliance. */
public enum Ordering {
    /** Our own, after the proactive recovery paper. */
    BFT("bft") {
        @Override
        ReplicaServer start(ReplicaStart life) throws IOException {
            return ReplicaRestarter.start(
                    life.config(),
                    life.credentials(),
                    state -> new NamespaceMachine(
                            life.genesis(), life.config().fixed().faulty(), state),
                    life.start(),
                    life.group(),
                    life.meters());
        }
    },
    BFT_SMART("bft-smart") {
        @Override
        ReplicaServer start(ReplicaStart life) throws IOException {
            if (life.start() != StartReason.NORMAL) {
                throw new IOException("the ordering engine bft-smart has no recoveries; bft has");
            }
            return MetadataReplica.start(
                    life.config(),
                    life.credentials(),
                    new NamespaceApplication(life.genesis()),
                    BftSmartEngines.standard(),
                    life.meters());
        }
    };

    /** Engine of a new appliance. */
    public static final Ordering DEFAULT = BFT;

    private final String text;

    Ordering(String text) {
        this.text = text;
    }

    /**
     * The engine of this name.
     *
     * @throws IllegalArgumentException if there is none
     */
    public static Ordering named(String name) {
        for (Ordering each : values()) {
            if (each.text.equals(name)) {
                return each;
            }
        }
        throw new IllegalArgumentException("there is no ordering engine \"" + name + "\"; there are bft and bft-smart");
    }

    /**
     * Initial parameters of a replica.
     *
     * @param group the replicas as this process knows them; present with TLS
     */
    record ReplicaStart(
            ReplicaConfig config,
            Credentials credentials,
            Genesis genesis,
            StartReason start,
            Optional<KnownReplicas> group,
            MeterRegistry meters) {}

    /** Starts a replica; returns when it listens. */
    abstract ReplicaServer start(ReplicaStart life) throws IOException;

    /** Its name, as the command line and files have it. */
    @Override
    public String toString() {
        return text;
    }
}
