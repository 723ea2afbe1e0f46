package io.bulwark.client.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.transport.identity.Identity;
import java.security.SecureRandom;
import java.util.List;
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
                Bytes.of(new byte[32]), PrincipalId.client(20), 1_700_000_000_000L, Bytes.of(seed), replicas);
    }

    @Test
    void aTokenIsOneLineAndTellsItsSecretToNobodyElse() {
        JoinToken token = token();
        assertThat(token.text()).doesNotContainAnyWhitespaces().startsWith("bulwark-join-1.");
        assertThat(JoinToken.parse(token.text())).isEqualTo(token);
        assertThat(token).hasToString("an invitation of client-20");
    }

    @Test
    void whatWasNotCopiedAsAWholeIsRefused() {
        String text = token().text();
        for (String wrong : List.of(
                "",
                "bulwark-join-1.",
                "bulwark-join-2." + text.substring(15),
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
