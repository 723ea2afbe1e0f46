package io.bulwark.client.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.error.NotBelievedException.Reason;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.transport.LinkRefusal;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the point at which a client believes that it is not believed, with four replicas and with seven. */
@NullMarked
class AuthenticationFailureTest {
    private static final PrincipalId SELF = PrincipalId.client(5);
    private static final long LONG = AuthenticationFailure.LEARNING_MILLIS;

    private final Map<PrincipalId, LinkRefusal> refusals = new HashMap<>();
    private boolean everUp;

    @PlantedBug(
            in = AuthenticationFailure.class,
            rule = "a client gives up only when more than f replicas refuse it",
            replace = "if (words <= faulty &&",
            with = "if (words < faulty &&")
    @Test
    void fReplicasCannotSayItAndOneMoreCan() {
        assertThat(denial(4)).isEmpty();
        refuses(0, LinkRefusal.Reason.REVOKED, LONG);
        assertThat(denial(4)).as("one of four").isEmpty();
        refuses(2, LinkRefusal.Reason.REVOKED, LONG);
        assertThat(denial(4).orElseThrow().reason()).isEqualTo(Reason.REVOKED);
        assertThat(denial(7)).as("two of seven").isEmpty();
        refuses(6, LinkRefusal.Reason.REVOKED, LONG);
        assertThat(denial(7)).as("three of seven").isPresent();
    }

    /**
     * An interceptor can answer for so few. Where f+1 replicas were replaced at their addresses, the others name their
     * successors.
     */
    @Test
    void whoAnswersForFewerThanTwoFAndOneHasNobodyGiveUp() {
        refuses(0, LinkRefusal.Reason.THEIR_KEY_UNKNOWN, LONG);
        refuses(1, LinkRefusal.Reason.THEIR_CERTIFICATE_EXPIRED, LONG);
        assertThat(denial(4)).as("two of four").isEmpty();
        refuses(2, LinkRefusal.Reason.THEIR_KEY_UNKNOWN, LONG);
        assertThat(denial(4).orElseThrow().reason()).isEqualTo(Reason.SERVERS_NOT_KNOWN);
        assertThat(denial(7)).as("three of seven").isEmpty();
        refuses(3, LinkRefusal.Reason.UNKNOWN_KEY, LONG);
        refuses(4, LinkRefusal.Reason.UNKNOWN_KEY, LONG);
        assertThat(denial(7)).as("five of seven are of no use").isPresent();
    }

    /** A man in the middle may have appeared since; the replicas' own statements still count. */
    @Test
    void whoWasLetInBeforeIsNotOfAnotherCluster() {
        for (int replica = 0; replica < 4; replica++) {
            refuses(replica, LinkRefusal.Reason.THEIR_KEY_UNKNOWN, LONG);
        }
        assertThat(denial(4).orElseThrow().reason()).isEqualTo(Reason.SERVERS_NOT_KNOWN);
        everUp = true;
        assertThat(denial(4)).isEmpty();
        refuses(0, LinkRefusal.Reason.UNKNOWN_KEY, LONG);
        refuses(1, LinkRefusal.Reason.THEIR_CERTIFICATE_EXPIRED, LONG);
        assertThat(denial(4)).as("one word of four").isEmpty();
        refuses(1, LinkRefusal.Reason.EXPIRED, LONG);
        AuthenticationFailure denied = denial(4).orElseThrow();
        assertThat(denied.reason()).isEqualTo(Reason.NOT_KNOWN);
        assertThat(denied.replicas()).containsOnlyKeys(PrincipalId.replica(0), PrincipalId.replica(1));
    }

    @Test
    void oneThatIsNoReplicaAnyMoreHasNoSay() {
        refuses(0, LinkRefusal.Reason.REVOKED, LONG);
        refuses(9, LinkRefusal.Reason.REVOKED, LONG);
        assertThat(denial(4)).isEmpty();
    }

    @Test
    void whatIsForGoodCountsAtOnceAndTheRestOnceItHasLasted() {
        for (LinkRefusal.Reason reason : LinkRefusal.Reason.values()) {
            refusals.clear();
            refuses(0, reason, LONG);
            if (!reason.isTheirWord()) {
                refuses(2, reason, LONG);
            }
            long lasting = switch (reason) {
                case REVOKED -> 0;
                case UNKNOWN_KEY -> 1;
                case UNKNOWN_YET -> AuthenticationFailure.LEARNING_MILLIS;
                case EXPIRED, THEIR_KEY_UNKNOWN, THEIR_CERTIFICATE_EXPIRED -> AuthenticationFailure.LASTING_MILLIS;
            };
            if (lasting > 0) {
                refuses(1, reason, lasting - 1);
                assertThat(denial(4)).as("%s", reason).isEmpty();
            }
            refuses(1, reason, lasting);
            assertThat(denial(4)).as("%s", reason).isPresent();
        }
    }

    /** A liar cannot have a correct client told that what may pass is for good. */
    @Test
    void theReasonIsOneThatMoreThanFGive() {
        refuses(0, LinkRefusal.Reason.REVOKED, 0);
        refuses(1, LinkRefusal.Reason.UNKNOWN_KEY, 0);
        assertThat(denial(4)).isEmpty();
        refuses(1, LinkRefusal.Reason.UNKNOWN_KEY, LONG);
        assertThat(denial(4).orElseThrow().reason()).isEqualTo(Reason.NOT_KNOWN);
        refuses(1, LinkRefusal.Reason.EXPIRED, LONG);
        assertThat(denial(4).orElseThrow().reason()).isEqualTo(Reason.NOT_KNOWN);
        refuses(2, LinkRefusal.Reason.EXPIRED, LONG);
        assertThat(denial(4).orElseThrow().reason()).isEqualTo(Reason.EXPIRED);
    }

    @Test
    void itSaysWhoDoesNotBelieveWhom() {
        refuses(0, LinkRefusal.Reason.UNKNOWN_KEY, LONG);
        refuses(3, LinkRefusal.Reason.UNKNOWN_KEY, LONG);
        assertThat(denial(4).orElseThrow().exception(SELF))
                .hasMessageContaining("the key of client-5 is not trusted")
                .hasMessageContaining("(replica-0 does not know the key, replica-3 does not know the key)");
        for (int replica : List.of(0, 1, 3)) {
            refuses(replica, LinkRefusal.Reason.THEIR_KEY_UNKNOWN, LONG);
        }
        AuthenticationFailure ours = denial(4).orElseThrow();
        assertThat(ours.exception(SELF).reason()).isEqualTo(Reason.SERVERS_NOT_KNOWN);
        assertThat(ours.exception(SELF)).hasMessageContaining("another cluster");
    }

    private void refuses(int replica, LinkRefusal.Reason reason, long lastedMillis) {
        long since = 17;
        refusals.put(
                PrincipalId.replica(replica),
                new LinkRefusal(reason, since, since + TimeUnit.MILLISECONDS.toNanos(lastedMillis)));
    }

    private Optional<AuthenticationFailure> denial(int replicas) {
        List<PrincipalId> all =
                IntStream.range(0, replicas).mapToObj(PrincipalId::replica).toList();
        return AuthenticationFailure.of(all, replica -> Optional.ofNullable(refusals.get(replica)), everUp);
    }
}
