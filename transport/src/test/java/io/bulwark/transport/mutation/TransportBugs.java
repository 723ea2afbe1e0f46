package io.bulwark.transport.mutation;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong where builds of different versions meet, and where many connect at once. */
final class TransportBugs {
    private static final String CONNECTION = "whatIsSaidDependsOnTheConnectionAndNotOnWhatItsOwnerHasSpoken";
    private static final String OPEN = "whoNamesNoVersionDoesSoWhileSuchAConnectionOfItsIsOpen";

    static final List<PlantedBug> ALL = List.of(
            delivery("Connection", "nobody is told what has left", "sent.left = true;", ""),
            delivery(
                    "Connection",
                    "what is queued on a connection that is gone still waits",
                    "return dropped || gone;",
                    "return dropped;"),
            delivery(
                    "Motion",
                    "a connection that is written to does not move",
                    "if (written.isSuccess()) { lastNanos = System.nanoTime(); }",
                    ""),
            new PlantedBug(
                    "what could not be written waits for ever",
                    "transport/Connection",
                    new Detector(
                            "transport.BackpressureTest", "whatCouldNotBeWrittenIsLostThoughItsConnectionStands", 1),
                    "} else { sent.dropped = true; }",
                    "}"),
            new PlantedBug(
                    "what there is no memory for takes room for ever",
                    "transport/Connection",
                    new Detector("transport.BackpressureTest", "whatThereIsNoMemoryForIsLostAndTakesNoRoom", 1),
                    "drop(next, counters.dropsFull); continue;",
                    "throw e;"),
            bug(
                    "TlsChannels",
                    "what is said depends on the newest that the other has spoken anywhere",
                    CONNECTION,
                    "return since <= version || (",
                    "return since <= credentials.versionOf(remote) || ("),
            bug(
                    "TlsChannels",
                    "who names a version is tried, too",
                    "whoNamesAVersionIsNotTried",
                    "version == WireVersions.UNNAMED && some(since)",
                    "(since > 0 || some(since))"),
            bug(
                    "TlsChannels",
                    "who names no version is tried with what no such build knows",
                    "whatNoBuildWithoutVersionsKnowsIsNotTried",
                    "version == WireVersions.UNNAMED && some(since)",
                    "version == WireVersions.UNNAMED"),
            bug(
                    "TlsChannels",
                    "who names no version is told nothing new though it has said such a thing",
                    "whatAnOlderOneHasSaidItselfItKnows",
                    "channel.attr(VERSION).set(version); credentials.speaks(remote, version);",
                    "credentials.speaks(remote, version);"),
            bug(
                    "TlsCredentials",
                    "who names no version is told everything",
                    CONNECTION,
                    "now - last < TRY_NANOS ? last : now",
                    "now"),
            bug(
                    "TlsCredentials",
                    "whose key is given up still has a connection",
                    OPEN,
                    ".anyMatch(key -> now.ownerOf(key).filter(remote::equals).isPresent());",
                    ".anyMatch(key -> now.ownerOf(key).isPresent() || !key.equals(publicKey()));"),
            bug(
                    "TlsCredentials",
                    "one connection that ends ends all",
                    OPEN,
                    "return left.isEmpty() ? null : List.copyOf(left);",
                    "return null;"),
            handshake(
                    "HandshakeRoom",
                    "who comes puts out the one that has been in the handshake for longest",
                    "whoComesWaitsForRoomAndNobodyIsPutOutForIt",
                    "if (each.getValue().waitedNanos() > patienceNanos) {",
                    "if (each.getValue().waitedNanos() >= 0) {"),
            handshake(
                    "HandshakeRoom",
                    "though there is no room, connections are accepted",
                    "whoComesWaitsForRoomAndNobodyIsPutOutForIt",
                    "channel.config().setAutoRead(accepts);",
                    "channel.config().setAutoRead(true);"),
            handshake(
                    "HandshakeClock",
                    "for what is computed here the other side is made to answer",
                    "whatIsComputedHereIsNoTimeOfTheOther",
                    "waitedNanos + (computing > 0 ? 0 : System.nanoTime() - sinceNanos);",
                    "waitedNanos + System.nanoTime() - sinceNanos;"),
            inbound(
                    "Connection",
                    "many connections have what one may have",
                    "manyThatSendMuchShareOneBoundAndKeepNobodyOut",
                    "return Math.min(settings.inboundMaxBytes(), Math.max(left,"
                            + " TransportSettings.INBOUND_LEAST_BYTES));",
                    "return settings.inboundMaxBytes();"),
            inbound(
                    "Connection",
                    "what a handler failed on keeps its room",
                    "whatAHandlerFailedOnTakesNoRoom",
                    "credit.run(); throw e;",
                    "throw e;"),
            inbound(
                    "TransportServer",
                    "a connection that is closed leaves what came over it behind",
                    "whoComesAgainAndAgainLeavesNoMoreBehind",
                    "connection.detach(() -> leave(connection.principal()));",
                    "connection.detach(); leave(connection.principal());"),
            inbound(
                    "Connection",
                    "a connection that is closed counts for ever",
                    "whoComesAgainAndAgainLeavesNoMoreBehind",
                    "if (gone && left == 0) { end(); }",
                    ""),
            new PlantedBug(
                    "who is refused comes back as often as ever",
                    "transport/Retries",
                    new Detector("transport.RetriesTest", "whoIsRefusedComesBackEverMoreSeldom", 1),
                    "refused = disbelief != null && disbelief.isTheirWord();",
                    ""),
            new PlantedBug(
                    "whoever answers has a link pause for long",
                    "transport/Retries",
                    new Detector("transport.RetriesTest", "nobodyInBetweenHasALinkPauseForLong", 1),
                    "refused = disbelief != null && disbelief.isTheirWord();",
                    "refused = disbelief != null;"),
            new PlantedBug(
                    "who is in between can refuse in the server's name",
                    "transport/ConnectionFault",
                    new Detector("transport.RefusalsTest", "whatIsNoAlertOfTheServerIsNoRefusal", 1),
                    "\"(?:received fatal alert: |_alert_)\"",
                    "\"\""),
            new PlantedBug(
                    "whatever alert a server sends is a refusal",
                    "transport/ConnectionFault",
                    new Detector("transport.RefusalsTest", "whoMeddlesWithWhatAClientSaysHasNoServerRefuseIt", 4),
                    "|access_denied)",
                    "|access_denied|[a-z_]+)"),
            new PlantedBug(
                    "that a key is not known is no alert about a certificate",
                    "transport/PinnedKeys",
                    new Detector("transport.RefusalsTest", "aStrangerIsToldThatItsKeyIsNotKnown", 4),
                    "X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT",
                    "X509_V_ERR_UNSPECIFIED"),
            new PlantedBug(
                    "a server that has asked before it was shown a key is sure of it",
                    "transport/TlsCredentials",
                    new Detector("transport.RefusalsTest", "whoAskedBeforeIsNotSure", 1),
                    "return before != null && asked != null && asked - before > 0;",
                    "return before != null && asked != null;"),
            new PlantedBug(
                    "what the certificate before met with counts against another",
                    "transport/Retries",
                    new Detector("transport.RetriesTest", "anotherCertificateBeginsAnotherRow", 1),
                    "certificate.equals(shown) ? refusal : null;",
                    "refusal;"),
            new PlantedBug(
                    "a refusal of long ago and one of now are a row",
                    "transport/Retries",
                    new Detector("transport.RetriesTest", "refusalsInARowAreOneUntilSomethingElseEndsAnAttempt", 1),
                    "refusal = null;\n        } else {",
                    "refusal = before;\n        } else {"),
            new PlantedBug(
                    "somebody in between, and then the server, are a row",
                    "transport/Retries",
                    new Detector("transport.RetriesTest", "whoeverWasInBetweenIsOfNoRowWithTheServer", 1),
                    "before != null && before.reason().isTheirWord() == why.isTheirWord()",
                    "before != null"),
            new PlantedBug(
                    "a key counts as shown by whoever has its certificate",
                    "transport/ShownIdentity",
                    new Detector("transport.ShownIdentityTest", "whoDoesNotHoldTheKeyShowsNone", 1),
                    "tls.startHandshake();",
                    "try { tls.startHandshake(); } catch (IOException e) { if (seen.shown == null) { throw e; } }"),
            new PlantedBug(
                    "what is about to be closed puts out the next one",
                    "transport/UnfinishedFrames",
                    new Detector("transport.UnfinishedFramesTest", "whatIsAboutToBeClosedPutsNobodyElseOut", 1),
                    "|| channel.hasAttr(GOES)",
                    ""));

    private static PlantedBug inbound(String file, String name, String test, String right, String wrong) {
        return new PlantedBug(
                name, "transport/" + file, new Detector("transport.InboundShareTest", test, 1), right, wrong);
    }

    private static PlantedBug handshake(String file, String name, String test, String right, String wrong) {
        return new PlantedBug(
                name, "transport/" + file, new Detector("transport.HandshakeRoomTest", test, 1), right, wrong);
    }

    private static PlantedBug delivery(String file, String name, String right, String wrong) {
        String test = "theSenderKnowsWhatHasLeftWhatMovesAndWhatIsLost";
        return new PlantedBug(
                name, "transport/" + file, new Detector("transport.BackpressureTest", test, 1), right, wrong);
    }

    private static PlantedBug bug(String file, String name, String test, String right, String wrong) {
        return new PlantedBug(name, "transport/" + file, new Detector("transport.VersionsTest", test, 1), right, wrong);
    }

    private TransportBugs() {}
}
