package io.bulwark.client.driver;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EvidenceLogTest {
    private static final Instant NOW = Instant.ofEpochSecond(1_700_000_000);

    private final SimpleMeterRegistry meters = new SimpleMeterRegistry();
    private final EvidenceLog log = new EvidenceLog(meters, InstantSource.fixed(NOW));

    private static Effect.Evidence evidence(int node, Verdict verdict) {
        return new Effect.Evidence(PrincipalId.node(node), BlockId.register(0, 5), verdict, "seen");
    }

    @Test
    void countsByPrincipalAndVerdict() {
        log.onEvidence(evidence(1, Verdict.CORRUPT));
        log.onEvidence(evidence(1, Verdict.CORRUPT));
        log.onEvidence(evidence(2, Verdict.BEHIND));

        assertThat(log.counts())
                .isEqualTo(Map.of(
                        PrincipalId.node(1), Map.of(Verdict.CORRUPT, 2L),
                        PrincipalId.node(2), Map.of(Verdict.BEHIND, 1L)));
        assertThat(meters.get("bulwark.client.evidence")
                        .tag("about", "node-1")
                        .counter()
                        .count())
                .isEqualTo(2);
    }

    /** Healthy nodes are slow whenever a machine is busy: that is a figure, not a fault. */
    @Test
    void aSlowNodeIsCountedAndNoFault() {
        log.onEvidence(evidence(1, Verdict.SLOW));
        log.onEvidence(evidence(2, Verdict.BEHIND));
        assertThat(log.counts().get(PrincipalId.node(1))).isEqualTo(Map.of(Verdict.SLOW, 1L));
        assertThat(log.since(0)).containsExactly(new EvidenceLog.Entry(1, NOW, evidence(2, Verdict.BEHIND)));
    }

    @Test
    void givesWhatCameAfterANumber() {
        log.onEvidence(evidence(1, Verdict.CORRUPT));
        long mark = log.last();
        log.onEvidence(evidence(2, Verdict.BEHIND));

        assertThat(log.since(mark)).containsExactly(new EvidenceLog.Entry(2, NOW, evidence(2, Verdict.BEHIND)));
    }

    @Test
    void keepsABoundedNumber() {
        int principals = 5;
        for (int i = 0; i < EvidenceLog.ENTRIES_MAX + 10; i++) {
            log.onEvidence(evidence(i % principals, Verdict.BEHIND));
        }
        assertThat(log.since(0)).hasSize(EvidenceLog.ENTRIES_MAX);
        assertThat(log.since(0).getFirst().number()).isEqualTo(11);
        assertThat(log.last()).isEqualTo(EvidenceLog.ENTRIES_MAX + 10);
    }

    @Test
    void whatIsAboutOneDisplacesNothingAboutOthers() {
        log.onEvidence(evidence(2, Verdict.CORRUPT));
        for (int i = 0; i < EvidenceLog.ENTRIES_MAX + 10; i++) {
            log.onEvidence(evidence(1, Verdict.MISBEHAVED));
        }
        assertThat(log.since(0)).hasSize(EvidenceLog.SHARE_MAX + 1);
        assertThat(log.since(0).getFirst().evidence()).isEqualTo(evidence(2, Verdict.CORRUPT));
    }

    @Test
    void poisonousVersionsAreKeptWhateverElseIsSeen() {
        log.onEvidence(evidence(1, Verdict.POISONOUS));
        for (int i = 0; i < 2 * EvidenceLog.ENTRIES_MAX; i++) {
            log.onEvidence(evidence(i % 50, Verdict.MISBEHAVED));
        }
        assertThat(log.poisonousSince(0))
                .containsExactly(new EvidenceLog.Entry(1, NOW, evidence(1, Verdict.POISONOUS)));
        assertThat(log.since(0).getFirst().number()).isEqualTo(1);
        assertThat(log.poisonousSince(1)).isEmpty();
    }
}
