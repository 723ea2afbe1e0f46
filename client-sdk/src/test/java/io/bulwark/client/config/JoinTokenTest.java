package io.bulwark.client.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class JoinTokenTest {
    private static final SecureRandom RANDOM = new SecureRandom();

    private static JoinToken token() {
        byte[] seed = new byte[JoinToken.SEED_BYTES];
        RANDOM.nextBytes(seed);
        List<JoinToken.Replica> replicas = IntStream.range(0, 4)
                .mapToObj(i -> new JoinToken.Replica(
                        new ClientConfig.Endpoint("replica-" + i + ".example", 7600 + i),
                        Identity.generate(PrincipalId.replica(i), RANDOM).publicKey()))
                .toList();
        return new JoinToken(
                Bytes.of(new byte[32]),
                PrincipalId.client(20),
                1_700_000_000_000L,
                Bytes.of(seed),
                replicas,
                Optional.empty());
    }

    @Test
    void aTokenIsOneLineAndTellsItsSecretToNobodyElse() {
        JoinToken token = token();
        assertThat(token.text()).doesNotContainAnyWhitespaces().startsWith("bulwark-join-1.");
        assertThat(JoinToken.parse(token.text())).isEqualTo(token);
        assertThat(token).hasToString("an invitation of client-20");
    }

    private static JoinToken later() {
        JoinToken token = token();
        Identity coming = Identity.generate(PrincipalId.replica(4), RANDOM);
        Configuration now = token.configuration()
                .replacing(2, new Member(coming.principal(), coming.publicKey().encoded(), "replica-4.example:7604"));
        List<PrincipalKey> keys = new ArrayList<>(now.members().stream()
                .map(member -> new PrincipalKey(member.key()))
                .toList());
        keys.set(1, Identity.generate(PrincipalId.replica(1), RANDOM).publicKey());
        return new JoinToken(
                token.genesis(),
                token.principal(),
                token.expiresMillis(),
                token.seed(),
                token.replicas(),
                Optional.of(new JoinToken.Later(now, keys)));
    }

    @Test
    void oneOfLaterNamesThoseWhoFollowed() {
        JoinToken token = later();
        assertThat(token.text()).doesNotContainAnyWhitespaces().startsWith("bulwark-join-2.");
        assertThat(JoinToken.parse(token.text())).isEqualTo(token);
        assertThat(token.configuration().replicas())
                .containsExactly(
                        PrincipalId.replica(0), PrincipalId.replica(1), PrincipalId.replica(4), PrincipalId.replica(3));
        assertThat(token.endpoints().stream().map(ClientConfig.Endpoint::toString))
                .containsExactly(
                        "replica-0.example:7600",
                        "replica-1.example:7601",
                        "replica-4.example:7604",
                        "replica-3.example:7603");
        assertThat(token.keys().get(1).encoded())
                .as("it has exchanged its key since")
                .isNotEqualTo(token.configuration().members().get(1).key());
        assertThat(token().configuration().number()).isZero();
    }

    @Test
    void whatWasNotCopiedAsAWholeIsRefused() {
        refusesOtherThan(token().text());
        refusesOtherThan(later().text());
    }

    private static void refusesOtherThan(String text) {
        for (String wrong : List.of(
                "",
                "bulwark-join-1.",
                "bulwark-join-2.",
                (text.startsWith("bulwark-join-1.") ? "bulwark-join-2." : "bulwark-join-1.") + text.substring(15),
                "bulwark-join-3." + text.substring(15),
                text + "A",
                text.substring(1),
                text + "=")) {
            assertThatThrownBy(() -> JoinToken.parse(wrong)).as(wrong).isInstanceOf(IllegalArgumentException.class);
        }
        for (int i = 15; i < text.length(); i++) {
            String cut = text.substring(0, i);
            assertThatThrownBy(() -> JoinToken.parse(cut)).isInstanceOf(IllegalArgumentException.class);
            String changed = cut + (text.charAt(i) == 'A' ? 'B' : 'A') + text.substring(i + 1);
            if (i < text.length() - 1) {
                assertThatThrownBy(() -> JoinToken.parse(changed)).isInstanceOf(IllegalArgumentException.class);
            }
        }
    }
}
