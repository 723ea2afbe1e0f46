package io.bulwark.simulation.mutation;

import static io.bulwark.protocol.mutation.Detector.simulation;
import static io.bulwark.protocol.mutation.PlantedBug.in;

import io.bulwark.protocol.mutation.Detector;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;

/** What can go wrong with session keys of replicas, as campaigns find it: proactive recovery paper, 4.1. */
final class SessionKeyBugs {
    private static final String KEYS = "ordering/key/SessionKeys";

    private static Detector campaign(int runs) {
        return simulation("ordering.OrderingSimulationTest", "noInvariantIsViolated")
                .runs(runs);
    }

    static final List<PlantedBug> ALL = List.of(
            in(
                    KEYS,
                    "campaign: an old key stays for ever",
                    campaign(40),
                    "peer.previous = null; effects.add(new KeyEffect.Changed(replica));",
                    ""),
            in(
                    KEYS,
                    "campaign: who recovers is heard under an old key",
                    campaign(10),
                    "peer.previous = null; choose(nowMillis, peer);",
                    "peer.previous = peer.current; choose(nowMillis, peer);"),
            in(
                    KEYS,
                    "campaign: a recovery changes no keys",
                    campaign(10),
                    "peer.previous = null; choose(nowMillis, peer);",
                    ""),
            in(
                    KEYS,
                    "campaign: a NEW-KEY may be replayed",
                    campaign(10),
                    "if (!message.nonce().equals(nonceFor(peer))) {",
                    "if (message.nonce().isEmpty()) {"),
            in(KEYS, "campaign: a nonce stays good after it was used", campaign(10), "peer.nonce = null;", ""),
            in(
                    KEYS,
                    "campaign: a NEW-KEY needs no signature",
                    campaign(10),
                    "if (!signing.verify(",
                    "if (nowMillis < 0 && !signing.verify("));

    private SessionKeyBugs() {}
}
