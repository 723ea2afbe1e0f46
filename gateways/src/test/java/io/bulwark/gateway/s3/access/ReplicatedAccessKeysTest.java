package io.bulwark.gateway.s3.access;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.AccessKeys.Issued;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Gateways;
import java.lang.reflect.Proxy;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ReplicatedAccessKeysTest {
    private static final PrincipalId PERSON = PrincipalId.client(21);
    private static final String ID = "BWK23456789012345678";
    private static final String SECRET = "s".repeat(40);

    private final Map<String, Issued> replicated = new HashMap<>();
    private final List<String> asked = new ArrayList<>();
    private Gateways gateways = Gateways.NONE;
    private long nowMillis = 1_700_000_000_000L;
    private final ReplicatedAccessKeys keys =
            new ReplicatedAccessKeys(door(), () -> nowMillis * 1_000_000, () -> Instant.ofEpochMilli(nowMillis));

    /** The two questions of a gateway; nothing else may be asked. */
    private io.bulwark.client.AccessKeys door() {
        return (io.bulwark.client.AccessKeys) Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {io.bulwark.client.AccessKeys.class},
                (_, method, arguments) -> switch (method.getName()) {
                    case "open" -> {
                        asked.add((String) arguments[0]);
                        yield Optional.ofNullable(replicated.get((String) arguments[0]));
                    }
                    case "gateways" -> gateways;
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }

    private void put(long expiresMillis) {
        replicated.put(
                ID,
                new Issued(
                        new io.bulwark.protocol.metadata.AccessKey(
                                ID,
                                PERSON,
                                "backup",
                                List.of(new io.bulwark.protocol.metadata.AccessKey.Limit("films", "a/")),
                                expiresMillis),
                        SECRET));
    }

    @Test
    void keyIsFoundWithItsLimitsAndRefusedSoonAfterItsRevocation() {
        put(0);
        AccessKey expected = new AccessKey(ID, SECRET, PERSON, List.of(new AccessKey.Limit("films", "a/")));
        assertThat(keys.find(ID)).contains(expected);
        replicated.clear();
        nowMillis += ReplicatedAccessKeys.AGE_MILLIS_MAX - 1;
        assertThat(keys.find(ID)).contains(expected);
        nowMillis += 1;
        assertThat(keys.find(ID)).isEmpty();
        put(0);
        assertThat(keys.find(ID)).as("an unknown id is remembered too").isEmpty();
        assertThat(asked).hasSize(2);
    }

    @Test
    void keyEndsByThisClockWhileItIsRemembered() {
        put(nowMillis + 2_000);
        assertThat(keys.find(ID)).isPresent();
        nowMillis += 2_000;
        assertThat(keys.find(ID)).isEmpty();
    }

    @Test
    void textThatIsNoIdIsNotAskedFor() {
        for (String text : List.of("", "short", "BWK-3456789012345678", "A".repeat(129), "BWK2345678901234567\u00e4")) {
            assertThat(keys.find(text)).isEmpty();
        }
        assertThat(asked).isEmpty();
    }

    @Test
    void anonymousPersonIsTheOneThatTheOperatorNamed() {
        assertThat(keys.anonymous()).isEmpty();
        gateways = new Gateways(List.of(), PrincipalId.NOBODY, PERSON);
        nowMillis += ReplicatedAccessKeys.AGE_MILLIS_MAX;
        assertThat(keys.anonymous()).contains(PERSON);
    }
}
