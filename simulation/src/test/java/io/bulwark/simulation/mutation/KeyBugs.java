package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.protocol;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with the keys of the nodes' MACs: proactive recovery paper, 4.1; PROTOCOLS section 2; decision 17. */
final class KeyBugs {
    private static final String AGREEMENT = "agreement/KeyAgreement";
    private static final String OFFER = "agreement/KeyOffer";

    private static Detector keys(String test) {
        return protocol("agreement.KeyAgreementTest", test);
    }

    private static Detector older(String test) {
        return protocol("agreement.OlderNodesTest", test);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    AGREEMENT,
                    "keys of a node are believed after it has begun a new life",
                    keys("ofANodeThatHasBegunANewLifeNothingOldCounts"),
                    """
                    peer.life = message.life();
                    drop(nowMillis, from, peer);
                    """,
                    "peer.life = message.life();"),
            in(
                    AGREEMENT,
                    "the key before the last outlives a new life",
                    keys("ofANodeThatHasBegunANewLifeNothingOldCounts"),
                    """
                    peer.previous = null;
                    peer.given = null;
                    """,
                    "peer.given = null;"),
            in(
                    AGREEMENT,
                    "the first life that is heard of ends none",
                    keys("whatWasTakenByALifeThatWasNeverHeardOfCountsNoMoreEither"),
                    """
                    peer.life = message.life();
                    drop(nowMillis, from, peer);
                    """,
                    """
                    boolean first = peer.life == null;
                    peer.life = message.life();
                    if (!first) {
                        drop(nowMillis, from, peer);
                    }
                    """),
            in(
                    AGREEMENT,
                    "a renewal keeps the keys towards this node",
                    keys("anOperatorsRenewalIsANewLife"),
                    "peers.forEach((id, peer) -> drop(nowMillis, id, peer));",
                    ""),
            in(
                    AGREEMENT,
                    "keys outlive the identity of their node",
                    keys("whereAnIdentityIsExchangedTheKeysAreToo"),
                    "} else if (exchanged) {",
                    "} else if (!exchanged) {"),
            in(
                    AGREEMENT,
                    "keys towards a node outlive its identity",
                    keys("whereAnIdentityIsExchangedTheKeysAreToo"),
                    "if (exchanged && id.equals(book.self())) {",
                    "if (!exchanged && id.equals(book.self())) {"),
            in(
                    AGREEMENT,
                    "a NEW-KEY is taken over any nonce",
                    keys("whatWasSaidBeforeIsNotTakenAgain"),
                    "if (!message.nonce().equals(nonceFor(peer))) {",
                    "if (message.nonce().isEmpty()) {"),
            in(
                    AGREEMENT,
                    "a nonce stays good after it was used",
                    keys("whatWasSignedAheadIsWorthNothingOnceTheNonceIsUsed"),
                    """
                    peer.nonce = null;
                    book.speak(from, key.get());
                    """,
                    "book.speak(from, key.get());"),
            in(
                    AGREEMENT,
                    "a NEW-KEY need not be signed",
                    keys("nothingIsTakenThatItsSenderHasNotSigned"),
                    "if (!signing.verify(from.number(), content, message.signature())) {",
                    "if (content.isEmpty()) {"),
            in(
                    AGREEMENT,
                    "the life is not signed",
                    keys("nothingIsTakenThatItsSenderHasNotSigned"),
                    "return content.raw(nonce).raw(life).bytes(sealed).toBytes();",
                    "return content.raw(nonce).bytes(sealed).toBytes();"),
            in(
                    AGREEMENT,
                    "the key is not signed",
                    keys("nothingIsTakenThatItsSenderHasNotSigned"),
                    "return content.raw(nonce).raw(life).bytes(sealed).toBytes();",
                    "return content.raw(nonce).raw(life).toBytes();"),
            in(
                    AGREEMENT,
                    "a refresh ends the key before at once",
                    keys("aKeyIsGoodUntilItIsTkOldThoughItWasRefreshed"),
                    "peer.previous = current;",
                    "peer.previous = null;"),
            in(
                    AGREEMENT,
                    "the key before may be of any age",
                    keys("whoStoodStillBelievesNothingOlderThanTk"),
                    "nowMillis - previous.sinceMillis() >= settings.keyMillis()",
                    "nowMillis < 0"),
            in(
                    AGREEMENT,
                    "keys are never refreshed",
                    keys("aKeyIsGoodUntilItIsTkOldThoughItWasRefreshed"),
                    "|| nowMillis - current.sinceMillis() >= settings.keyMillis() / 2",
                    ""),
            in(
                    AGREEMENT,
                    "an answer to an offer that is outdated counts",
                    keys("anAnswerToAnOfferThatIsOutdatedIsNone"),
                    "((Boolean) taken && current.equals(peer.current) && of.equals(life))",
                    "(Boolean) taken"),
            in(
                    AGREEMENT,
                    "signatures are checked as often as a liar likes",
                    keys("aLiarCausesFewSignatures"),
                    "if (nowMillis - peer.checkedMillis < settings.retryMillis() / 8) {",
                    "if (nowMillis < 0) {"),
            in(
                    OFFER,
                    "a NEW-KEY is signed over each nonce that a liar makes up",
                    keys("aLiarCausesFewSignatures"),
                    "&& signatures < SIGNATURES_MAX",
                    ""),
            in(
                    OFFER,
                    "another node's word ends an offer",
                    keys("aLiarCausesFewSignatures"),
                    "|| !from.equals(peer)",
                    ""),
            in(
                    AGREEMENT,
                    "who comes later waits to be asked",
                    keys("whoComesLaterIsMetAndNothingCountsOfWhoLeft"),
                    "others.forEach(other -> peers.computeIfAbsent(other, _ -> new Peer()));",
                    ""),
            in(
                    AGREEMENT,
                    "what came from who left counts",
                    keys("whoComesLaterIsMetAndNothingCountsOfWhoLeft"),
                    "book.believe(known, List.of());",
                    ""),
            in(
                    AGREEMENT,
                    "an older node is not believed",
                    keys("anOlderNodeVouchesUnderTheKeyThatBothWereGiven"),
                    "Optional.ofNullable(peer.given).ifPresent(keys::add);",
                    ""),
            in(
                    AGREEMENT,
                    "an older node is spoken to under a key that it does not have",
                    keys("anOlderNodeVouchesUnderTheKeyThatBothWereGiven"),
                    "book.speak(id, here);",
                    ""),
            in(
                    AGREEMENT,
                    "what an older node vouched for before its upgrade counts",
                    keys("anOlderNodeThatWasUpgradedAgreesAndNothingCountsThatItVouchedForBefore"),
                    "(agrees || nowMillis",
                    "(nowMillis"),
            in(
                    AGREEMENT,
                    "an older node that is gone is believed for ever",
                    older("anOlderNodeThatIsGoneIsBelievedForTkAndNoLonger"),
                    "nowMillis - peer.hereMillis >= settings.keyMillis()",
                    "nowMillis < 0"),
            in(
                    AGREEMENT,
                    "an older node that is here is believed for T_k",
                    older("anOlderNodeThatIsGoneIsBelievedForTkAndNoLonger"),
                    "nowMillis - peer.hereMillis >= settings.keyMillis()",
                    "nowMillis - peer.given.sinceMillis() >= settings.keyMillis()"),
            in(
                    AGREEMENT,
                    "the key of a ring outlives the identity of its node",
                    older("theKeyOfARingGoesWithTheIdentity"),
                    """
                    peer.given = null;
                    choose(nowMillis, id, peer);
                    """,
                    "choose(nowMillis, id, peer);"),
            in(
                    AGREEMENT,
                    "the key of a ring outlives the membership of its node",
                    older("whoLeftAndComesBackIsAnOlderNodeOnlyOnceItIsHereAsOne"),
                    "return left;",
                    "return left && peers.get(known).given == null;"),
            in(
                    AGREEMENT,
                    "who was seen to agree may go back",
                    older("whoWasSeenToAgreeIsNeverAnOlderNodeAgain"),
                    "|| elder.agrees(id);",
                    ";"),
            in(
                    AGREEMENT,
                    "who has told a key may go back",
                    older("whoWasSeenToAgreeIsNeverAnOlderNodeAgain"),
                    "|| peer.life != null",
                    ""),
            in(
                    AGREEMENT,
                    "keys of rings have no age",
                    older("theKeyOfARingIsAsOldAsItIsBelieved"),
                    "oldest = Math.min(oldest, key.sinceMillis());",
                    "oldest = key == peer.given ? oldest : Math.min(oldest, key.sinceMillis());"));

    private KeyBugs() {}
}
