package io.bulwark.client.driver;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.id.PrincipalId;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Observes one operation until its outcome is known, and within it the first request to each server until that server
 * answers. The parent is the observation in which the caller submits the operation. Frames carry no trace: a server
 * does not know that it is observed. Thread-safe.
 */
final class OperationTrace {
    static final String OPERATION = "bulwark.operation";
    static final String REQUEST = "bulwark.request";
    private static final String KIND = "operation";
    private static final String PEER = "peer";
    private static final String ANSWERED = "answered";

    private static final OperationTrace NONE = new OperationTrace(ObservationRegistry.NOOP);

    private final ObservationRegistry registry;
    private final @Nullable Observation parent;
    private final Observation operation;
    private final Map<PrincipalId, Observation> requests = new HashMap<>();
    private boolean over;

    private OperationTrace(ObservationRegistry registry) {
        this.registry = registry;
        this.parent = registry.getCurrentObservation();
        this.operation = Observation.start(OPERATION, registry).lowCardinalityKeyValue(KIND, "unknown");
    }

    /** Starts to observe an operation that this thread submits. */
    static OperationTrace start(ObservationRegistry registry) {
        return registry.isNoop() ? NONE : new OperationTrace(registry);
    }

    /** Learns which operation it is, once it is made. */
    void name(ClientOperation<?> made) {
        if (isObserved()) {
            String kind = made.getClass().getSimpleName();
            operation.lowCardinalityKeyValue(KIND, kind).contextualName(kind);
        }
    }

    /** Learns that the operation sends to a server. Repetitions belong to the first request. */
    void sent(PrincipalId to) {
        if (isObserved()) {
            synchronized (requests) {
                if (!over && !requests.containsKey(to)) {
                    requests.put(to, request(to));
                }
            }
        }
    }

    private Observation request(PrincipalId to) {
        // A registry may decide by the parent what is observed.
        Observation.Context within = new Observation.Context();
        within.setParentObservation(operation);
        return Observation.createNotStarted(REQUEST, () -> within, registry)
                .contextualName("request to " + to)
                .lowCardinalityKeyValue(PEER, to.toString())
                .lowCardinalityKeyValue(ANSWERED, "no")
                .start();
    }

    /** Learns that a server has answered; a later request to it is another one. */
    void answered(PrincipalId from) {
        if (isObserved()) {
            synchronized (requests) {
                Observation request = requests.remove(from);
                if (request != null) {
                    request.lowCardinalityKeyValue(ANSWERED, "yes").stop();
                }
            }
        }
    }

    /** Ends with the outcome; later messages to slow servers are not observed. */
    void end() {
        end(null);
    }

    /** Ends with a failure, if there was no outcome. */
    void end(@Nullable RuntimeException failure) {
        if (!isObserved()) {
            return;
        }
        synchronized (requests) {
            if (over) {
                return;
            }
            over = true;
            requests.values().forEach(Observation::stop);
            requests.clear();
            if (failure != null) {
                operation.error(failure);
            }
            operation.stop();
        }
    }

    /** Runs what the caller does next in the caller's observation, so that operations that follow belong to it too. */
    void inCallersScope(Runnable next) {
        if (parent == null) {
            next.run();
        } else {
            parent.scoped(next);
        }
    }

    private boolean isObserved() {
        return !operation.isNoop();
    }
}
