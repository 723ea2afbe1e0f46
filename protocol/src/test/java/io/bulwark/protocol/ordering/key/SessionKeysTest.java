package io.bulwark.protocol.ordering.key;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Section 4.1 between two replicas, whose network is a list. */
@NullMarked
class SessionKeysTest {
    private static final SessionKeys.Settings SETTINGS = new SessionKeys.Settings(10_000, 100, 60_000, 0);
    private static final Bytes BODY = Bytes.of((byte) 5);

    private record Sent(int from, int to, KeyMessage message) {}

    /** Stand-in for signatures and ciphers: the replica's number takes the place of its private key. */
    private record Ports(int self) implements Signing, KeyCipher {
        @Override
        public Bytes sign(Bytes content) {
            return signature(self, content);
        }

        @Override
        public boolean verify(int replica, Bytes content, Bytes signature) {
            return signature(replica, content).equals(signature);
        }

        private static Bytes signature(int replica, Bytes content) {
            return Hashes.sha256(new WireWriter().i32(replica).raw(content).toBytes());
        }

        @Override
        public Bytes seal(int replica, Bytes key) {
            return new WireWriter().u8(replica).raw(key).toBytes();
        }

        @Override
        public Optional<Bytes> open(Bytes sealed) {
            return sealed.isEmpty() || sealed.get(0) != self
                    ? Optional.empty()
                    : Optional.of(sealed.slice(1, sealed.length() - 1));
        }
    }

    private final List<SessionKeys> keys = new ArrayList<>(List.of(start(0, 1), start(1, 2)));
    private final List<Sent> sent = new ArrayList<>();
    private final List<Sent> all = new ArrayList<>();
    private final List<List<Integer>> changed = List.of(new ArrayList<>(), new ArrayList<>());
    private final List<KeyEffect.ConfigurationMismatch> others = new ArrayList<>();
    private long nowMillis;

    private static SessionKeys start(int self, long seed) {
        return start(self, seed, 0);
    }

    private static SessionKeys start(int self, long seed, long configuration) {
        Ports ports = new Ports(self);
        SessionKeys.Settings settings = new SessionKeys.Settings(
                SETTINGS.keyMillis(), SETTINGS.retryMillis(), SETTINGS.watchdogMillis(), configuration);
        return new SessionKeys(self, 2, settings, ports, ports, new Random(seed));
    }

    private void run(long millis) {
        for (long end = nowMillis + millis; nowMillis < end; nowMillis += 50) {
            for (int self = 0; self < 2; self++) {
                keys.get(self).onTick(nowMillis);
                drain(self);
            }
            deliver();
        }
    }

    private void drain(int self) {
        for (KeyEffect effect : keys.get(self).drain()) {
            switch (effect) {
                case KeyEffect.Send send -> sent.add(new Sent(self, send.to(), send.message()));
                case KeyEffect.Changed change -> changed.get(self).add(change.replica());
                case KeyEffect.WatchdogMismatch misfit ->
                    throw new IllegalStateException("all have one period: " + misfit);
                case KeyEffect.ConfigurationMismatch elsewhere -> others.add(elsewhere);
            }
        }
    }

    private void deliver() {
        while (!sent.isEmpty()) {
            Sent next = sent.removeFirst();
            all.add(next);
            keys.get(next.to()).onMessage(nowMillis, next.from(), next.message());
            drain(next.to());
        }
    }

    private KeyMessage.Authentic say(int from) {
        return keys.get(from).authenticate(1 - from, 0x0601, BODY).orElseThrow();
    }

    private boolean hears(int to, KeyMessage.Authentic message) {
        boolean right = keys.get(to).verify(nowMillis, 1 - to, message);
        drain(to);
        deliver();
        return right;
    }

    private long count(Class<?> kind) {
        return all.stream().filter(each -> kind.isInstance(each.message())).count();
    }

    @Test
    void everyStartBeginsWithNewKeys() {
        assertThat(keys.getFirst().authenticate(1, 1, BODY)).isEmpty();
        run(200);
        assertThat(hears(1, say(0))).isTrue();
        assertThat(hears(0, say(1))).isTrue();
        assertThat(changed).containsExactly(List.of(1), List.of(0));
        long before = all.size();
        run(1_000);
        assertThat(all).hasSize((int) before);
    }

    @Test
    void nothingElseIsTaken() {
        run(200);
        KeyMessage.Authentic right = say(0);
        assertThat(hears(1, new KeyMessage.Authentic(0x0602, right.body(), right.mac())))
                .isFalse();
        assertThat(hears(1, new KeyMessage.Authentic(right.type(), Bytes.of((byte) 6), right.mac())))
                .isFalse();
        assertThat(hears(0, right)).isFalse();
        assertThat(hears(1, right)).isTrue();
    }

    @Test
    void theOldKeyStaysUntilTheNewOneIsUsedOrItIsTooOld() {
        run(200);
        KeyMessage.Authentic old = say(0);
        assertThat(hears(1, old)).isTrue();
        run(SETTINGS.keyMillis() / 2 + 200);
        KeyMessage.Authentic fresh = say(0);
        assertThat(fresh.mac()).isNotEqualTo(old.mac());
        assertThat(hears(1, old)).isTrue();
        assertThat(changed.get(1)).containsExactly(0);
        assertThat(hears(1, fresh)).isTrue();
        assertThat(changed.get(1)).containsExactly(0, 0);
        assertThat(hears(1, old)).isFalse();
    }

    @PlantedBug(
            in = SessionKeys.class,
            rule = "an old session key ends after T_k",
            replace = "peer.previous = null; effects.add(new KeyEffect.Changed(replica));",
            with = "")
    @Test
    void noKeyIsTakenForLongerThanItMay() {
        run(200);
        KeyMessage.Authentic old = say(0);
        assertThat(hears(1, old)).isTrue();
        nowMillis += SETTINGS.keyMillis() - 300;
        assertThat(hears(1, old)).isTrue();
        assertThat(keys.get(1).oldestMillis(nowMillis)).isLessThan(SETTINGS.keyMillis());
        nowMillis += 300;
        assertThat(hears(1, old)).isFalse();
        assertThat(changed.get(1)).containsExactly(0, 0);
    }

    @PlantedBug(
            in = SessionKeys.class,
            rule = "a recovering replica is not heard under an old key",
            replace = "peer.previous = null; choose(nowMillis, peer);",
            with = "peer.previous = peer.current; choose(nowMillis, peer);")
    @Test
    void whoRecoversIsNotHeardUnderAnOldKey() {
        run(200);
        KeyMessage.Authentic old = say(0);
        assertThat(hears(1, old)).isTrue();
        keys.get(1).drop(nowMillis, 0);
        assertThat(hears(1, old)).isFalse();
        run(200);
        assertThat(hears(1, say(0))).isTrue();
    }

    @Test
    void whoRestartsGetsTheKeyInForceAgain() {
        run(200);
        assertThat(hears(1, say(0))).isTrue();
        KeyMessage.Authentic before = say(0);
        keys.set(0, start(0, 3));
        changed.get(1).clear();
        run(400);
        assertThat(say(0).mac()).isEqualTo(before.mac());
        assertThat(hears(1, say(0))).isTrue();
        assertThat(changed.get(1)).isEmpty();
        assertThat(hears(0, say(1))).isTrue();
    }

    @PlantedBug(
            in = SessionKeys.class,
            rule = "a replayed NEW-KEY is refused",
            replace = "if (!message.nonce().equals(nonceFor(peer))) {",
            with = "if (message.nonce().isEmpty()) {")
    @Test
    void aReplayedNewKeyChangesNothing() {
        run(200);
        List<Sent> first = List.copyOf(all);
        assertThat(hears(1, say(0))).isTrue();
        run(SETTINGS.keyMillis() / 2 + 200);
        KeyMessage.Authentic fresh = say(0);
        assertThat(hears(1, fresh)).isTrue();
        first.stream()
                .filter(each -> each.message() instanceof KeyMessage.NewKey && each.to() == 0)
                .forEach(sent::add);
        deliver();
        assertThat(say(0)).isEqualTo(fresh);
        keys.set(0, start(0, 4));
        first.stream()
                .filter(each -> each.message() instanceof KeyMessage.NewKey && each.to() == 0)
                .forEach(sent::add);
        deliver();
        assertThat(keys.getFirst().authenticate(1, 1, BODY)).isEmpty();
    }

    @PlantedBug(
            in = SessionKeys.class,
            rule = "a NEW-KEY between replicas is signed",
            replace = "if (!signing.verify(",
            with = "if (nowMillis < 0 && !signing.verify(")
    @Test
    void aNewKeyOfSomebodyElseOrForAnotherNonceIsRefused() {
        keys.getFirst().onMessage(0, 1, new KeyMessage.AskNonce(60_000, 0));
        KeyEffect.Send answer = (KeyEffect.Send) keys.getFirst().drain().getFirst();
        Bytes nonce = ((KeyMessage.GiveNonce) answer.message()).nonce();
        keys.getFirst().onMessage(0, 1, new KeyMessage.AskNonce(60_000, 0));
        assertThat(keys.getFirst().drain()).containsExactly(answer);
        Bytes sealed = new Ports(0).seal(0, Bytes.of(new byte[32]));
        keys.getFirst().onMessage(1_000, 1, new KeyMessage.NewKey(nonce, sealed, Bytes.of((byte) 1)));
        assertThat(keys.getFirst().drain()).isEmpty();
        keys.getFirst().onMessage(2_000, 1, new KeyMessage.NewKey(Bytes.of(new byte[16]), sealed, Bytes.of((byte) 1)));
        assertThat(keys.getFirst().drain()).containsExactly(answer);
        assertThat(keys.getFirst().authenticate(1, 1, BODY)).isEmpty();
    }

    @Test
    void whoHasAnotherPeriodGetsNoNonce() {
        keys.getFirst().onMessage(0, 1, new KeyMessage.AskNonce(60_001, 0));
        assertThat(keys.getFirst().drain()).containsExactly(new KeyEffect.WatchdogMismatch(1, 60_001));
    }

    @PlantedBug(
            in = SessionKeys.class,
            rule = "replicas of two configurations exchange no keys",
            replace = "if (ask.configuration() != settings.configuration()) {",
            with = "if (ask.configuration() < 0) {")
    @Test
    void replicasOfTwoConfigurationsExchangeNoKeys() {
        keys.set(1, start(1, 2, 1));
        run(1_000);
        assertThat(keys.get(0).authenticate(1, 1, BODY)).isEmpty();
        assertThat(keys.get(1).authenticate(0, 1, BODY)).isEmpty();
        assertThat(others)
                .contains(new KeyEffect.ConfigurationMismatch(1, 1), new KeyEffect.ConfigurationMismatch(0, 0));
        keys.set(0, start(0, 3, 1));
        run(1_000);
        assertThat(hears(1, say(0))).isTrue();
        assertThat(hears(0, say(1))).isTrue();
    }

    /**
     * One of two replicas moves to the next configuration first: the peer's signature over its earlier nonce is then
     * worth nothing.
     */
    @Test
    void aNewKeyOfTheConfigurationBeforeIsRefused() {
        run(200);
        KeyMessage.NewKey before = all.stream()
                .filter(each -> each.from() == 1 && each.message() instanceof KeyMessage.NewKey)
                .map(each -> (KeyMessage.NewKey) each.message())
                .findFirst()
                .orElseThrow();
        // The very nonce again, which a replica draws anew.
        keys.set(0, start(0, 1, 1));
        keys.getFirst().onTick(nowMillis);
        keys.getFirst().onMessage(nowMillis, 1, before);
        assertThat(keys.getFirst().drain())
                .noneMatch(effect ->
                        effect instanceof KeyEffect.Send send && send.message() instanceof KeyMessage.GiveNonce);
        assertThat(keys.getFirst().authenticate(1, 1, BODY)).isEmpty();
    }

    @Test
    void lostMessagesAreSaidAgainAndSignaturesAreBounded() {
        for (int i = 0; i < 40; i++) {
            keys.getFirst().onTick(nowMillis);
            keys.getFirst().onMessage(nowMillis, 1, new KeyMessage.GiveNonce(Bytes.of(new byte[16])));
            keys.getFirst().drain().forEach(effect -> {
                if (effect instanceof KeyEffect.Send send) {
                    all.add(new Sent(0, 1, send.message()));
                }
            });
            nowMillis += 10;
        }
        assertThat(count(KeyMessage.NewKey.class)).isBetween(4L, 9L);
        assertThat(count(KeyMessage.AskNonce.class)).isEqualTo(4);
        run(300);
        assertThat(hears(1, say(0))).isTrue();
    }
}
