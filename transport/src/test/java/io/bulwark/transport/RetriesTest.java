package io.bulwark.transport;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests how often a link retries, and logs it. */
@NullMarked
class RetriesTest {
    private static final TransportSettings SETTINGS =
            TransportSettings.defaults().withReconnectMaxMillis(500);

    private final SplittableRandom random = new SplittableRandom(1);
    private final Retries retries = new Retries();

    private long pause(int failures, Fault fault) {
        long pause = 0;
        for (int i = 0; i < failures; i++) {
            retries.failed(fault);
            pause = retries.pauseMillis(SETTINGS, random);
        }
        return pause;
    }

    @Test
    void whoIsRefusedComesBackEverMoreSeldom() {
        assertThat(pause(1, Fault.REFUSED_UNSURE)).isBetween(25L, 50L);
        assertThat(pause(3, Fault.REFUSED_UNSURE)).isBetween(200L, 400L);
        assertThat(pause(20, Fault.REFUSED_UNSURE)).isBetween(7_500L, 15_000L);
        assertThat(pause(20, Fault.REFUSED_REVOKED)).isBetween(7_500L, 15_000L);
    }

    /**
     * All other reasons may be faults of the network. Only a server's judgement of the certificate, after it has proved
     * its identity, is not.
     */
    @Test
    void nobodyInBetweenHasALinkPauseForLong() {
        for (Fault fault : Fault.values()) {
            if (!fault.name().startsWith("REFUSED_")) {
                assertThat(pause(20, fault)).as("%s", fault).isBetween(250L, 500L);
            }
        }
    }

    @Test
    void whoIsDownIsFoundSoonAlsoAfterItHasRefused() {
        assertThat(pause(20, Fault.INPUT_OUTPUT)).isBetween(250L, 500L);
        assertThat(pause(1, Fault.REFUSED_UNKNOWN)).as("the first refusal").isBetween(25L, 50L);
        assertThat(pause(20, Fault.REFUSED_UNKNOWN)).isGreaterThan(500);
        assertThat(retries.pauseMillis(SETTINGS, random)).as("nobody listens").isBetween(250L, 500L);
    }

    @Test
    void theFirstRefusalIsNewsAndThenNoneUntilThingsChange() {
        assertThat(retries.isNews(Fault.TLS)).isTrue();
        retries.failed(Fault.TLS);
        assertThat(retries.isNews(Fault.TLS)).isFalse();
        assertThat(retries.isNews(Fault.UNKNOWN_PRINCIPAL)).isTrue();
        retries.failed(Fault.UNKNOWN_PRINCIPAL);
        assertThat(retries.isNews(Fault.TLS)).isTrue();
        retries.failed(Fault.TLS);
        retries.up();
        assertThat(retries.isNews(Fault.TLS)).isTrue();
    }

    @Test
    void refusalsInARowAreOneUntilSomethingElseEndsAnAttempt() {
        assertThat(ended(Fault.REFUSED_UNKNOWN, "mine", 10))
                .isEqualTo(new LinkRefusal(LinkRefusal.Reason.UNKNOWN_KEY, 10, 10));
        assertThat(ended(Fault.REFUSED_REVOKED, "mine", 20))
                .isEqualTo(new LinkRefusal(LinkRefusal.Reason.REVOKED, 10, 20));
        assertThat(ended(Fault.INPUT_OUTPUT, "mine", 30)).isNull();
        assertThat(retries.ended("mine", 40)).as("nobody listens").isNull();
        assertThat(ended(Fault.UNKNOWN_PRINCIPAL, "mine", 50))
                .isEqualTo(new LinkRefusal(LinkRefusal.Reason.THEIR_KEY_UNKNOWN, 50, 50));
        retries.up();
        assertThat(ended(Fault.EXPIRED_CERTIFICATE, "mine", 60))
                .isEqualTo(new LinkRefusal(LinkRefusal.Reason.THEIR_CERTIFICATE_EXPIRED, 60, 60));
        assertThat(ended(Fault.TLS, "mine", 70)).as("anybody may say that").isNull();
    }

    /** He was shown no certificate, so the server may have asked before this process showed it one. */
    @Test
    void whoeverWasInBetweenIsOfNoRowWithTheServer() {
        assertThat(ended(Fault.UNKNOWN_PRINCIPAL, "mine", 10)).isNotNull();
        assertThat(ended(Fault.REFUSED_UNKNOWN, "mine", 20))
                .isEqualTo(new LinkRefusal(LinkRefusal.Reason.UNKNOWN_KEY, 20, 20));
        assertThat(ended(Fault.REFUSED_UNSURE, "mine", 30))
                .isEqualTo(new LinkRefusal(LinkRefusal.Reason.UNKNOWN_YET, 20, 30));
        assertThat(ended(Fault.EXPIRED_CERTIFICATE, "mine", 40))
                .isEqualTo(new LinkRefusal(LinkRefusal.Reason.THEIR_CERTIFICATE_EXPIRED, 40, 40));
    }

    @Test
    void anotherCertificateBeginsAnotherRow() {
        assertThat(ended(Fault.REFUSED_UNKNOWN, "before", 10)).isNotNull();
        assertThat(ended(Fault.REFUSED_UNKNOWN, "now", 20))
                .isEqualTo(new LinkRefusal(LinkRefusal.Reason.UNKNOWN_KEY, 20, 20));
    }

    private @Nullable LinkRefusal ended(Fault fault, String shown, long nowNanos) {
        retries.failed(fault);
        return retries.ended(shown, nowNanos);
    }
}
