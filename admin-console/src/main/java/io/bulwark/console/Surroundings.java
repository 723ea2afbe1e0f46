package io.bulwark.console;

import java.net.URI;
import java.util.Optional;

/**
 * Facilities beside the cluster that a console may use.
 *
 * @param prometheus base address of a Prometheus that scrapes the members, such as {@code http://127.0.0.1:9090}
 * @param faults the fault panel of an embedded appliance
 * @param supervisors supervisors of replicas on this machine
 * @param keys connects with keys of persons who sign in with their own
 * @param traces export of traces
 */
public record Surroundings(
        Optional<URI> prometheus,
        Optional<FaultPanel> faults,
        Optional<ReplicaSupervisors> supervisors,
        Optional<KeyConnector> keys,
        Optional<Traces> traces) {
    public static final Surroundings NONE =
            new Surroundings(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    public Surroundings {
        prometheus.ifPresent(Surroundings::requireHttp);
    }

    private static void requireHttp(URI prometheus) {
        boolean http = "http".equals(prometheus.getScheme()) || "https".equals(prometheus.getScheme());
        if (!http || prometheus.getHost() == null) {
            throw new IllegalArgumentException("a Prometheus has an address such as http://127.0.0.1:9090");
        }
    }
}
