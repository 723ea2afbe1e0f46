package io.bulwark.client.registry;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.config.KnownPrincipals;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.transport.identity.Identity;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class RegistryChangeTest {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final PrincipalId FIRST = PrincipalId.client(7);
    private static final PrincipalId SECOND = PrincipalId.client(8);
    private static final PrincipalId LAST = PrincipalId.client(9);

    private final PrincipalKey key = key(FIRST);
    private final PrincipalKey other = key(LAST);
    private final List<PrincipalId> asked = new ArrayList<>();

    @Test
    void allPagesOfOneVersionAreTheRegistry() {
        SortedMap<PrincipalId, PrincipalKey> first = new TreeMap<>(Map.of(FIRST, key(FIRST)));
        IntStream.range(0, 4).mapToObj(PrincipalId::replica).forEach(replica -> first.put(replica, key(replica)));
        GenesisFile genesis = new GenesisFile("0".repeat(32), FIRST, first);
        RegistryChange told = RegistryChange.ask(after -> page(after, 5, 5)).orElseThrow();
        assertThat(asked).containsExactly(PrincipalId.NOBODY, SECOND);
        assertThat(told.version()).isEqualTo(5);
        assertThat(told.keys())
                .containsExactly(
                        Map.entry(FIRST, List.of(key)), Map.entry(SECOND, List.of()), Map.entry(LAST, List.of(other)));
        assertThat(told.over(genesis)).isEqualTo(new KnownPrincipals(genesis, 5, told.keys()));
    }

    /** The key of a page before may have been given up, and would be believed for good: nobody asks for this version again. */
    @Test
    void whatHasChangedBetweenTwoPagesIsNone() {
        assertThat(RegistryChange.ask(after -> page(after, 5, 6))).isEmpty();
        assertThat(asked).containsExactly(PrincipalId.NOBODY, SECOND);
    }

    private Reply.PrincipalList page(PrincipalId after, long first, long second) {
        asked.add(after);
        return after.equals(PrincipalId.NOBODY)
                ? new Reply.PrincipalList(
                        first,
                        List.of(
                                new Reply.PrincipalEntry(FIRST, List.of(key), 0),
                                new Reply.PrincipalEntry(SECOND, List.of(), 0)),
                        SECOND)
                : new Reply.PrincipalList(
                        second, List.of(new Reply.PrincipalEntry(LAST, List.of(other), 0)), PrincipalId.NOBODY);
    }

    private static PrincipalKey key(PrincipalId principal) {
        return Identity.generate(principal, RANDOM).publicKey();
    }
}
