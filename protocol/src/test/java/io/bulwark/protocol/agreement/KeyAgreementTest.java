package io.bulwark.protocol.agreement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.agreement.AgreementMessage.AskNonce;
import io.bulwark.protocol.agreement.AgreementMessage.GiveNonce;
import io.bulwark.protocol.agreement.AgreementMessage.KeyAccepted;
import io.bulwark.protocol.agreement.AgreementMessage.NewKey;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.mac.KeyBook;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.security.GeneralSecurityException;
import java.security.KeyPairGenerator;
import java.security.spec.ECGenParameterSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Section 4.1 among storage nodes: who believes whom, under which keys, and until when. */
@NullMarked
class KeyAgreementTest {
    private static final Bytes SAID = Bytes.of((byte) 5);
    private static final long HALF = TestNodes.SETTINGS.keyMillis() / 2;

    private final TestNodes nodes = new TestNodes(3);

    private Bytes vouch(int from, int to) {
        return nodes.book(from).mac(PrincipalId.node(to), SAID);
    }

    private boolean believes(int node, int from, Bytes mac) {
        return nodes.book(node).verify(PrincipalId.node(from), SAID, mac);
    }

    /** The last of this kind that one has sent another. */
    private <T extends Message> T last(Class<T> kind, int from, int to) {
        return nodes.all.reversed().stream()
                .filter(sent -> sent.from().equals(PrincipalId.node(from))
                        && sent.to().equals(PrincipalId.node(to))
                        && kind.isInstance(sent.message()))
                .map(sent -> kind.cast(sent.message()))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + kind.getSimpleName() + " from " + from + " to " + to));
    }

    private Bytes nonceOf(int node, int asker) {
        nodes.say(asker, node, new AskNonce());
        return last(GiveNonce.class, node, asker).nonce();
    }

    private static NewKey signed(int by, int from, int to, Bytes nonce, Bytes life, Bytes key) {
        return KeyAgreement.signed(
                new TestPorts(by),
                PrincipalId.node(from),
                PrincipalId.node(to),
                nonce,
                life,
                new TestPorts(from).seal(to, key));
    }

    private static Bytes filled(int length, int value) {
        byte[] bytes = new byte[length];
        Arrays.fill(bytes, (byte) value);
        return Bytes.of(bytes);
    }

    /** Returns whether the node now authenticates to the other under this key. */
    private boolean speaksUnder(Bytes key, int node, int to) {
        KeyBook same = new KeyBook(PrincipalId.node(node), key);
        same.speak(PrincipalId.node(to), key);
        return nodes.book(node).knows(PrincipalId.node(to))
                && vouch(node, to).equals(same.mac(PrincipalId.node(to), SAID));
    }

    @Test
    void everyTwoAgreeInBothDirectionsAndThenAreSilent() {
        assertThat(nodes.agreement(0).standing().unspoken()).isEqualTo(3);
        nodes.run(500);
        for (int from = 0; from < 3; from++) {
            for (int to = 0; to < 3; to++) {
                assertThat(believes(to, from, vouch(from, to)))
                        .as("%d to %d", from, to)
                        .isTrue();
                assertThat(vouch(from, to)).isNotEqualTo(vouch(from, (to + 1) % 3));
            }
        }
        assertThat(believes(1, 2, vouch(0, 1))).isFalse();
        assertThat(nodes.agreement(0).standing().unspoken()).isZero();
        int said = nodes.all.size();
        nodes.run(1_000);
        assertThat(nodes.all).hasSize(said);
    }

    @Test
    void whatAnAbsentNodeMissesItIsToldWhenItIsBack() {
        nodes.cutOff.add(2);
        nodes.run(2_000);
        assertThat(nodes.agreement(0).standing().unspoken()).isEqualTo(1);
        assertThat(believes(1, 0, vouch(0, 1))).isTrue();
        nodes.cutOff.clear();
        nodes.run(2_000);
        assertThat(believes(2, 0, vouch(0, 2))).isTrue();
        assertThat(believes(0, 2, vouch(2, 0))).isTrue();
    }

    /** Clients hand in late what a node vouched for before the refresh. */
    @Test
    void aKeyIsGoodUntilItIsTkOldThoughItWasRefreshed() {
        nodes.run(500);
        Bytes before = vouch(0, 1);
        nodes.run(HALF);
        assertThat(vouch(0, 1)).as("refreshed").isNotEqualTo(before);
        assertThat(believes(1, 0, vouch(0, 1))).isTrue();
        assertThat(believes(1, 0, before)).as("under way").isTrue();
        nodes.run(HALF - 1_000);
        assertThat(believes(1, 0, before)).isTrue();
        nodes.run(1_000);
        assertThat(believes(1, 0, before)).as("T_k old").isFalse();
        assertThat(believes(1, 0, vouch(0, 1))).isTrue();
    }

    @Test
    void noKeyInForceIsEverOlderThanTk() {
        for (int i = 0; i < 100; i++) {
            nodes.run(500);
            assertThat(nodes.agreement(1).standing().oldestMillis()).isLessThan(TestNodes.SETTINGS.keyMillis() + 100);
        }
        assertThat(nodes.agreement(1).standing().oldestMillis()).isGreaterThanOrEqualTo(HALF - 100);
    }

    /**
     * Refreshes continue towards a node that does not answer: its messages under its last key count until that is T_k
     * old.
     */
    @Test
    void theKeysOfANodeThatTakesNoNewOneGoToo() {
        nodes.run(500);
        Bytes before = vouch(0, 1);
        nodes.cutOff.add(0);
        nodes.run(2 * HALF - 700);
        assertThat(believes(1, 0, before)).isTrue();
        nodes.run(900);
        assertThat(believes(1, 0, before)).isFalse();
    }

    @PlantedBug(
            in = KeyAgreement.class,
            rule = "the previous key ends after T_k",
            replace = "nowMillis - previous.sinceMillis() >= settings.keyMillis()",
            with = "nowMillis < 0")
    @Test
    void whoStoodStillBelievesNothingOlderThanTk() {
        nodes.run(500);
        Bytes before = vouch(0, 1);
        nodes.nowMillis += 2 * HALF;
        nodes.run(50);
        assertThat(believes(1, 0, before)).isFalse();
        nodes.run(500);
        assertThat(believes(1, 0, vouch(0, 1))).isTrue();
    }

    @PlantedBug(
            in = KeyAgreement.class,
            rule = "keys of an earlier life of a node are not believed",
            replace = "peer.life = message.life(); drop(nowMillis, from, peer);",
            with = "peer.life = message.life();")
    @Test
    void ofANodeThatHasBegunANewLifeNothingOldCounts() {
        nodes.run(500);
        Bytes beforeTheRefresh = vouch(0, 1);
        nodes.run(HALF);
        Bytes ofZero = vouch(0, 1);
        Bytes toZero = vouch(1, 0);
        Bytes ofOthers = vouch(2, 1);
        Bytes toItself = vouch(0, 0);
        assertThat(believes(1, 0, beforeTheRefresh)).isTrue();
        nodes.start(0);
        nodes.run(150);
        assertThat(believes(1, 0, ofZero)).as("by the node").isFalse();
        assertThat(believes(1, 0, beforeTheRefresh)).as("by the node, earlier").isFalse();
        assertThat(believes(0, 1, toZero)).as("towards it").isFalse();
        assertThat(believes(0, 0, toItself)).as("towards itself").isFalse();
        assertThat(believes(1, 2, ofOthers)).as("of others").isTrue();
        nodes.run(1_000);
        assertThat(believes(1, 0, vouch(0, 1))).isTrue();
        assertThat(believes(0, 1, vouch(1, 0))).isTrue();
        assertThat(believes(1, 0, ofZero)).isFalse();
    }

    /** The first incarnation that a node hears of need not be the first that it has sent a key to. */
    @Test
    void whatWasTakenByALifeThatWasNeverHeardOfCountsNoMoreEither() {
        nodes.run(500);
        nodes.lost = sent -> sent.message() instanceof NewKey && sent.to().equals(PrincipalId.node(1));
        nodes.start(1);
        nodes.run(500);
        Bytes taken = vouch(0, 1);
        assertThat(believes(1, 0, taken)).isTrue();
        nodes.start(0);
        nodes.lost = _ -> false;
        nodes.run(1_000);
        assertThat(believes(1, 0, taken)).isFalse();
        assertThat(believes(1, 0, vouch(0, 1))).isTrue();
    }

    @Test
    void anOperatorsRenewalIsANewLife() {
        nodes.run(500);
        Bytes ofZero = vouch(0, 1);
        Bytes toZero = vouch(1, 0);
        nodes.agreement(0).renew(nodes.nowMillis);
        assertThat(believes(0, 1, toZero)).isFalse();
        nodes.run(1_000);
        assertThat(believes(1, 0, ofZero)).isFalse();
        assertThat(believes(1, 0, vouch(0, 1))).isTrue();
        assertThat(believes(0, 1, vouch(1, 0))).isTrue();
        assertThat(believes(0, 0, vouch(0, 0))).isTrue();
    }

    /** A party that could sign with the previous identity key may have obtained keys in the node's name. */
    @PlantedBug(
            in = KeyAgreement.class,
            rule = "keys end with the identity of their node",
            replace = "} else if (exchanged) {",
            with = "} else if (!exchanged) {")
    @Test
    void whereAnIdentityIsExchangedTheKeysAreToo() throws GeneralSecurityException {
        nodes.run(500);
        Bytes ofZero = vouch(0, 1);
        Bytes toZero = vouch(1, 0);
        Bytes ofOthers = vouch(2, 1);
        nodes.identities.put(PrincipalId.node(0), List.of(someKey()));
        nodes.cutOff.add(0);
        nodes.run(50);
        assertThat(believes(1, 0, ofZero)).as("by the node").isFalse();
        assertThat(believes(0, 1, toZero)).as("towards it").isFalse();
        assertThat(believes(1, 2, ofOthers)).as("of others").isTrue();
        nodes.cutOff.clear();
        nodes.run(2_000);
        assertThat(believes(1, 0, vouch(0, 1))).isTrue();
        assertThat(believes(0, 1, vouch(1, 0))).isTrue();
    }

    private static PrincipalKey someKey() throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        return new PrincipalKey(Bytes.of(generator.generateKeyPair().getPublic().getEncoded()));
    }

    @Test
    void anAnswerToAnOfferThatIsOutdatedIsNone() {
        nodes.run(500);
        nodes.lost = sent -> sent.message() instanceof KeyAccepted && sent.to().equals(PrincipalId.node(0));
        nodes.run(HALF - 400);
        nodes.agreement(0).renew(nodes.nowMillis);
        nodes.lost = _ -> false;
        nodes.run(1_000);
        assertThat(believes(0, 1, vouch(1, 0))).isTrue();
        assertThat(believes(0, 2, vouch(2, 0))).isTrue();
    }

    @PlantedBug(
            in = KeyAgreement.class,
            rule = "a NEW-KEY is taken over a nonce of this node only",
            replace = "if (!message.nonce().equals(nonceFor(peer))) {",
            with = "if (message.nonce().isEmpty()) {")
    @Test
    void whatWasSaidBeforeIsNotTakenAgain() {
        nodes.run(500);
        NewKey first = last(NewKey.class, 0, 1);
        nodes.run(HALF + 500);
        Bytes now = vouch(1, 0);
        nodes.say(0, 1, first);
        assertThat(vouch(1, 0)).isEqualTo(now);
        assertThat(last(GiveNonce.class, 1, 0).nonce()).isNotEqualTo(first.nonce());
        nodes.start(1);
        nodes.run(1_000);
        Bytes later = vouch(1, 0);
        nodes.say(0, 1, first);
        assertThat(vouch(1, 0)).as("nor by a later life of the receiver").isEqualTo(later);
    }

    /** An intruder had node 0 sign a NEW-KEY for later, with a key and a life that he knows. */
    @PlantedBug(
            in = KeyAgreement.class,
            rule = "a nonce is used once",
            replace = "peer.nonce = null; book.speak(from, key.get());",
            with = "book.speak(from, key.get());")
    @Test
    void whatWasSignedAheadIsWorthNothingOnceTheNonceIsUsed() {
        nodes.run(500);
        Bytes known = filled(32, 9);
        NewKey kept = signed(0, 0, 1, nonceOf(1, 0), filled(16, 8), known);
        nodes.start(0);
        nodes.run(1_000);
        nodes.say(0, 1, kept);
        assertThat(speaksUnder(known, 1, 0)).isFalse();
        assertThat(believes(1, 0, vouch(0, 1))).isTrue();
    }

    @PlantedBug(
            in = KeyAgreement.class,
            rule = "a NEW-KEY is signed",
            replace = "if (!signing.verify(from.number(), content, message.signature())) {",
            with = "if (content.isEmpty()) {")
    @PlantedBug(
            in = KeyAgreement.class,
            rule = "the signature of a NEW-KEY covers the life",
            replace = "return content.raw(nonce).raw(life).bytes(sealed).toBytes();",
            with = "return content.raw(nonce).bytes(sealed).toBytes();")
    @PlantedBug(
            in = KeyAgreement.class,
            rule = "the signature of a NEW-KEY covers the key",
            replace = "return content.raw(nonce).raw(life).bytes(sealed).toBytes();",
            with = "return content.raw(nonce).raw(life).toBytes();")
    @Test
    void nothingIsTakenThatItsSenderHasNotSigned() {
        nodes.run(500);
        Bytes known = filled(32, 9);
        Bytes life = filled(16, 8);
        Bytes before = vouch(1, 0);
        Bytes nonce = nonceOf(1, 0);
        NewKey right = signed(0, 0, 1, nonce, life, known);
        List<NewKey> wrong = List.of(
                signed(2, 0, 1, nonce, life, known),
                signed(0, 2, 1, nonce, life, known),
                signed(0, 0, 2, nonce, life, known),
                new NewKey(nonce, life, right.sealed(), Bytes.EMPTY),
                new NewKey(nonce, filled(16, 7), right.sealed(), right.signature()),
                new NewKey(nonce, life, new TestPorts(0).seal(1, filled(32, 10)), right.signature()),
                signed(0, 0, 1, nonce, life, filled(31, 9)));
        for (NewKey message : wrong) {
            nodes.run(50);
            nodes.say(0, 1, message);
            assertThat(vouch(1, 0)).as(message.toString()).isEqualTo(before);
        }
        nodes.run(50);
        nodes.say(2, 1, right);
        assertThat(vouch(1, 0)).as("another's NEW-KEY").isEqualTo(before);
        nodes.run(50);
        nodes.say(0, 1, right);
        assertThat(speaksUnder(known, 1, 0)).as("what is right is taken").isTrue();
    }

    /** Signatures are dear: however often a liar sends wrong ones, or gives new nonces, others make and check few. */
    @PlantedBug(
            in = KeyAgreement.class,
            rule = "the signatures that a liar makes a node check are limited",
            replace = "if (nowMillis - peer.checkedMillis < settings.retryMillis() / 8) {",
            with = "if (nowMillis < 0) {")
    @PlantedBug(
            in = KeyOffer.class,
            rule = "the nonces that a liar makes a node sign are limited",
            replace = "&& signatures < SIGNATURES_MAX",
            with = "")
    @Test
    void aLiarCausesFewSignatures() {
        nodes.run(500);
        Bytes nonce = nonceOf(1, 0);
        nodes.say(0, 1, signed(2, 0, 1, nonce, filled(16, 8), filled(32, 9)));
        nodes.say(0, 1, signed(0, 0, 1, nonce, filled(16, 8), filled(32, 9)));
        assertThat(speaksUnder(filled(32, 9), 1, 0))
                .as("checked at once after a wrong one")
                .isFalse();

        int[] signed = {0};
        KeyOffer offer = new KeyOffer(PrincipalId.node(1), 100, given -> {
            signed[0]++;
            return signed(0, 0, 1, given, filled(16, 8), filled(32, 9));
        });
        var _ = offer.start(0);
        for (int i = 0; i < 100; i++) {
            var _ = offer.onMessage(0, PrincipalId.node(1), new GiveNonce(filled(16, i)));
        }
        assertThat(signed[0]).isEqualTo(KeyOffer.SIGNATURES_MAX);
        assertThat(offer.onMessage(0, PrincipalId.node(2), new KeyAccepted(filled(16, 3))))
                .isEmpty();
        assertThat(offer.isFinished()).as("another's word").isFalse();
        for (long now = 0; !offer.isFinished(); now += 50) {
            assertThat(now).isLessThan(10_000);
            var _ = offer.onTick(now);
        }
        assertThat(offer.outcome()).contains(false);
    }

    @Test
    void onlyOtherNodesAreAnswered() {
        nodes.run(500);
        KeyAgreement agreement = nodes.agreement(0);
        assertThat(agreement.onMessage(nodes.nowMillis, PrincipalId.node(7), 1, new AskNonce()))
                .isNotEmpty();
        assertThat(agreement.onMessage(nodes.nowMillis, PrincipalId.client(1), 1, new AskNonce()))
                .isEmpty();
        assertThat(agreement.onMessage(nodes.nowMillis, PrincipalId.node(0), 1, new AskNonce()))
                .isEmpty();
        assertThatThrownBy(() -> new KeyAgreement(
                        nodes.book(0),
                        List.of(PrincipalId.client(1)),
                        TestNodes.SETTINGS,
                        new TestPorts(0),
                        new TestPorts(0),
                        _ -> List.of(),
                        new Random(1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @PlantedBug(
            in = KeyAgreement.class,
            rule = "messages of a node that left do not count",
            replace = "book.believe(known, List.of());",
            with = "")
    @Test
    void whoComesLaterIsMetAndNothingCountsOfWhoLeft() {
        nodes.agreement(0).setMembers(List.of(PrincipalId.node(1)));
        nodes.agreement(2).setMembers(List.of(PrincipalId.node(1)));
        nodes.run(500);
        assertThat(nodes.book(0).knows(PrincipalId.node(2))).isFalse();
        assertThat(nodes.agreement(0).standing().unspoken()).isZero();
        nodes.agreement(2).setMembers(List.of(PrincipalId.node(0), PrincipalId.node(1)));
        nodes.run(500);
        assertThat(believes(0, 2, vouch(2, 0))).isTrue();
        assertThat(believes(2, 0, vouch(0, 2))).isTrue();
        Bytes before = vouch(2, 0);
        nodes.cutOff.add(2);
        nodes.agreement(0).setMembers(List.of(PrincipalId.node(1)));
        nodes.run(500);
        assertThat(believes(0, 2, before)).isFalse();
        assertThat(believes(0, 1, vouch(1, 0))).isTrue();
    }

    /** Any messages in any order, with the liar's own signatures: no two correct nodes lose each other by it. */
    @Test
    void whateverALiarSaysTheOthersAgree() {
        long seed = Long.getLong("bulwark.seed", 1);
        Random random = new Random(seed);
        for (int i = 0; i < 2_000; i++) {
            if (random.nextInt(20) == 0) {
                nodes.run(50);
            }
            int to = random.nextInt(2);
            Message replayed = nodes.all.isEmpty()
                    ? new AskNonce()
                    : nodes.all.get(random.nextInt(nodes.all.size())).message();
            Message message = switch (random.nextInt(6)) {
                case 0 -> new AskNonce();
                case 1 -> new GiveNonce(filled(16, random.nextInt(5)));
                case 2 -> new KeyAccepted(filled(16, random.nextInt(5)));
                case 3 -> signed(2, 2, to, nonceOf(to, 2), filled(16, random.nextInt(256)), filled(32, 1));
                case 4 -> signed(2, 1 - to, to, nonceOf(to, 2), filled(16, random.nextInt(256)), filled(32, 1));
                default -> replayed;
            };
            nodes.say(2, to, message);
        }
        nodes.run(2_000);
        assertThat(believes(1, 0, vouch(0, 1))).as("bulwark.seed=%d", seed).isTrue();
        assertThat(believes(0, 1, vouch(1, 0))).as("bulwark.seed=%d", seed).isTrue();
    }
}
