package io.bulwark.console;

import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.net.URI;

/**
 * Export of traces to a collector of OpenTelemetry.
 *
 * @param collector URL that takes OTLP over HTTP, such as {@code http://127.0.0.1:4318/v1/traces}
 * @param observations of the console and of its clients, so that one trace reaches from a request to the members
 */
public record Traces(URI collector, ObservationRegistry observations) {
    private static final String SDK = "bulwark.";

    /** Returns traces of what people and programs ask for; the console's own polls are no part of any. */
    public static Traces to(URI collector) {
        ObservationRegistry observations = ObservationRegistry.create();
        observations.observationConfig().observationPredicate(Traces::isWanted);
        return new Traces(collector, observations);
    }

    private static boolean isWanted(String name, Observation.Context context) {
        return !name.startsWith(SDK) || context.getParentObservation() != null;
    }
}
