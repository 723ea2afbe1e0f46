package io.bulwark.protocol.agreement;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.mac.KeyBook;
import io.bulwark.protocol.wire.Bytes;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Decision 19: until when a node of an older build is believed under the key that both were given. */
@NullMarked
class OlderNodesTest {
    private static final Bytes SAID = Bytes.of((byte) 5);
    private static final long HALF = TestNodes.SETTINGS.keyMillis() / 2;

    private final TestNodes nodes = new TestNodes(3);

    private boolean believes(int node, int from, Bytes mac) {
        return nodes.book(node).verify(PrincipalId.node(from), SAID, mac);
    }

    private static Bytes filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return Bytes.of(bytes);
    }

    private static PrincipalKey someKey() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return new PrincipalKey(Bytes.of(generator.generateKeyPair().getPublic().getEncoded()));
    }

    /** Returns a MAC of node 2 for node 0 from a time when both take node 2 for a node of an older build. */
    private Bytes vouchedByAnOlderNode() {
        PrincipalId older = PrincipalId.node(2);
        Bytes given = filled(32, 77);
        nodes.cutOff.add(2);
        nodes.elders.put(older, given);
        nodes.run(500);
        KeyBook ofOlder = new KeyBook(older, filled(32, 1));
        ofOlder.speak(PrincipalId.node(0), given);
        Bytes vouched = ofOlder.mac(PrincipalId.node(0), SAID);
        assertThat(believes(0, 2, vouched)).isTrue();
        return vouched;
    }

    /** Dead, or stolen; or a liar that took itself for an older node, and has recovered and cannot be heard here. */
    @Test
    void anOlderNodeThatIsGoneIsBelievedForTkAndNoLonger() {
        Bytes vouched = vouchedByAnOlderNode();
        nodes.run(3 * HALF);
        nodes.elders.clear();
        nodes.run(2 * HALF - 100);
        assertThat(believes(0, 2, vouched))
                .as("its connection was made anew, perhaps")
                .isTrue();
        nodes.run(200);
        assertThat(believes(0, 2, vouched)).isFalse();
        assertThat(nodes.agreement(0).standing().older()).isZero();
    }

    /** The key ring and identity of before give their holder no access any more. */
    @Test
    void theKeyOfARingGoesWithTheIdentity() throws GeneralSecurityException {
        Bytes vouched = vouchedByAnOlderNode();
        nodes.identities.put(PrincipalId.node(2), List.of(someKey()));
        nodes.elders.clear();
        nodes.run(50);
        assertThat(believes(0, 2, vouched)).isFalse();
        nodes.elders.put(PrincipalId.node(2), filled(32, 77));
        nodes.run(100);
        assertThat(believes(0, 2, vouched))
                .as("the older node with its next identity")
                .isTrue();
    }

    @Test
    void whoLeftAndComesBackIsAnOlderNodeOnlyOnceItIsHereAsOne() {
        Bytes vouched = vouchedByAnOlderNode();
        nodes.elders.clear();
        nodes.agreement(0).setMembers(List.of(PrincipalId.node(1)));
        assertThat(believes(0, 2, vouched)).isFalse();
        nodes.agreement(0).setMembers(List.of(PrincipalId.node(1), PrincipalId.node(2)));
        nodes.run(HALF);
        assertThat(believes(0, 2, vouched)).isFalse();
    }

    @Test
    void whoWasSeenToAgreeIsNeverAnOlderNodeAgain() {
        nodes.agreeing.add(PrincipalId.node(2));
        nodes.cutOff.add(2);
        nodes.elders.put(PrincipalId.node(2), filled(32, 77));
        nodes.run(500);
        assertThat(nodes.agreement(0).standing().older()).isZero();
        nodes.agreeing.clear();
        nodes.elders.clear();
        nodes.cutOff.clear();
        nodes.run(1_000);
        nodes.elders.put(PrincipalId.node(2), filled(32, 77));
        nodes.run(500);
        assertThat(nodes.agreement(0).standing().older())
                .as("its NEW-KEY says so, too")
                .isZero();
    }

    @Test
    void theKeyOfARingIsAsOldAsItIsBelieved() {
        var _ = vouchedByAnOlderNode();
        assertThat(nodes.agreement(0).standing().older()).isEqualTo(1);
        nodes.run(6 * HALF);
        assertThat(nodes.agreement(0).standing().oldestMillis()).isGreaterThanOrEqualTo(6 * HALF);
    }
}
