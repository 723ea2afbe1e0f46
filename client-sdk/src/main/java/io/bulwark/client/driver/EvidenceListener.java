package io.bulwark.client.driver;

import io.bulwark.protocol.effect.Effect;

/** Receives the evidence of operations about nodes. Called on a driver thread: must be quick and must not throw. */
@FunctionalInterface
public interface EvidenceListener {
    EvidenceListener NONE = evidence -> {};

    void onEvidence(Effect.Evidence evidence);

    /** Returns a listener that notifies this one, then the other. */
    default EvidenceListener andThen(EvidenceListener next) {
        return evidence -> {
            onEvidence(evidence);
            next.onEvidence(evidence);
        };
    }
}
