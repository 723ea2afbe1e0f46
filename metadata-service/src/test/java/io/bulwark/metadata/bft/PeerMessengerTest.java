package io.bulwark.metadata.bft;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.ordering.key.KeyMessage;
import io.bulwark.protocol.ordering.key.KeyMessage.Authentic;
import io.bulwark.protocol.ordering.key.SessionKeys;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Checkpoint;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.transport.TlsCredentials;
import io.bulwark.transport.identity.Identity;
import io.bulwark.transport.identity.OwnKey;
import io.bulwark.transport.identity.TrustedKeys;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Session keys between two replicas with real identities, over a network that is a list. */
@NullMarked
class PeerMessengerTest {
    private static final Configuration CONFIGURATION = Configuration.fixed(1);
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Recoveries RECOVERIES = new Recoveries(600_000, 60_000, 120_000);
    private static final Checkpoint MESSAGE = new Checkpoint(128, Bytes.of(new byte[32]));

    private record Sent(int from, int to, Message message) {}

    /** A replica as far as its mail goes. */
    private final class End implements PeerMessenger.Receiver {
        private final TlsCredentials credentials;
        private final List<ReplicaMessage> heard = new ArrayList<>();
        private final List<Integer> changed = new ArrayList<>();
        private final SessionKeys keys;
        private final PeerMessenger mail;

        private End(int self, Recoveries recoveries) {
            credentials = new TlsCredentials(identities.get(self), trusted);
            keys = ReplicaKeys.of(credentials, CONFIGURATION, RANDOM)
                    .orElseThrow()
                    .sessionKeys(self, recoveries);
            mail = new PeerMessenger(CONFIGURATION, self, (to, message) -> send(self, to, message), this, keys);
        }

        @Override
        public void onKeyChange(int replica) {
            changed.add(replica);
        }

        @Override
        public void onElsewhere(long now, PrincipalId replica, long other) {
            throw new AssertionError(replica + " is in configuration " + other);
        }

        @Override
        public void onMessage(long now, int from, ReplicaMessage message) {
            heard.add(message);
        }
    }

    /** The others of the configuration do not run. */
    private void send(int from, int to, Message message) {
        if (to < 2) {
            sent.add(new Sent(from, to, message));
        }
    }

    private final List<Identity> identities = List.of(
            Identity.generate(PrincipalId.replica(0), RANDOM), Identity.generate(PrincipalId.replica(1), RANDOM));
    private final TrustedKeys trusted = trusted();
    private final List<Sent> sent = new ArrayList<>();
    private final List<End> ends = new ArrayList<>(List.of(new End(0, RECOVERIES), new End(1, RECOVERIES)));
    private long nowMillis = 1_000;

    private TrustedKeys trusted(Identity... more) {
        Map<PrincipalKey, PrincipalId> owners = new HashMap<>();
        identities.forEach(each -> owners.put(each.publicKey(), each.principal()));
        for (Identity each : more) {
            owners.put(each.publicKey(), each.principal());
        }
        return new TrustedKeys(owners);
    }

    private void run(long millis) {
        for (long end = nowMillis + millis; nowMillis < end; nowMillis += 20) {
            ends.forEach(each -> each.mail.onTick(nowMillis));
            while (!sent.isEmpty()) {
                deliver(sent.removeFirst());
            }
        }
    }

    private void deliver(Sent next) {
        ends.get(next.to()).mail.onMessage(nowMillis, next.from(), next.message());
    }

    /** Sends a message and returns the undelivered envelopes. */
    private List<Sent> say(int from) {
        ends.get(from).mail.send(1 - from, MESSAGE);
        List<Sent> left = List.copyOf(sent);
        sent.clear();
        return left;
    }

    @Test
    void afterTheExchangeOfKeysEachHearsTheOther() {
        assertThat(say(0)).isEmpty();
        run(400);
        for (int from = 0; from < 2; from++) {
            say(from).forEach(this::deliver);
            assertThat(ends.get(1 - from).heard).containsExactly(MESSAGE);
            assertThat(ends.get(1 - from).mail.refused()).isZero();
        }
    }

    @Test
    void whatIsUnderNoKeyOrIsNoMessageIsRefused() {
        run(400);
        Authentic right = (Authentic) say(0).getFirst().message();
        Bytes body = right.body();
        for (Message bad : List.of(
                MESSAGE,
                new Authentic(right.type(), body, Bytes.of(new byte[16])),
                new Authentic(right.type() + 1, body, right.mac()),
                new Authentic(right.type(), body.slice(0, 5), right.mac()),
                ends.getFirst()
                        .keys
                        .authenticate(1, right.type(), body.slice(0, 5))
                        .orElseThrow(),
                ends.getFirst().keys.authenticate(1, 0x0301, body).orElseThrow())) {
            long before = ends.get(1).mail.refused();
            ends.get(1).mail.onMessage(nowMillis, 0, bad);
            assertThat(ends.get(1).mail.refused()).isEqualTo(before + 1);
        }
        ends.get(1).mail.onMessage(nowMillis, 0, new KeyMessage.NewKey(body.slice(0, 16), body, body));
        assertThat(ends.get(1).heard).isEmpty();
        deliver(new Sent(0, 1, right));
        assertThat(ends.get(1).heard).containsExactly(MESSAGE);
    }

    @Test
    void anOldFrameIsRefusedAfterTheKeysWereDropped() {
        run(400);
        Sent old = say(0).getFirst();
        deliver(old);
        ends.get(1).mail.drop(nowMillis, 0);
        deliver(old);
        say(0).forEach(this::deliver);
        assertThat(ends.get(1).heard).hasSize(1);
        assertThat(ends.get(1).mail.refused()).isEqualTo(2);
        run(400);
        Sent fresh = say(0).getFirst();
        assertThat(fresh).isNotEqualTo(old);
        deliver(fresh);
        deliver(old);
        assertThat(ends.get(1).heard).hasSize(2);
        assertThat(ends.get(1).changed).contains(0);
    }

    @Test
    void keysAreRefreshedWithoutASilence() {
        run(400);
        say(0).forEach(this::deliver);
        Sent old = say(0).getFirst();
        int said = 1;
        for (int i = 0; i < 90; i++) {
            run(1_000);
            say(0).forEach(this::deliver);
            said++;
            assertThat(ends.get(1).heard).hasSize(said);
            assertThat(ends.get(1).mail.oldestKeyMillis(nowMillis)).isLessThanOrEqualTo(RECOVERIES.keyMillis());
        }
        deliver(old);
        assertThat(ends.get(1).heard).hasSize(said);
    }

    @Test
    void withAnotherPeriodNobodyIsHeard() {
        ends.set(1, new End(1, new Recoveries(600_001, 60_000, 120_000)));
        run(2_000);
        assertThat(say(0)).isEmpty();
        assertThat(say(1)).isEmpty();
    }

    @Test
    void aKeyThatIsNotTrustedAnyMoreSignsInVain() {
        ends.get(1)
                .credentials
                .trust(new TrustedKeys(
                        Map.of(identities.get(1).publicKey(), identities.get(1).principal())));
        run(2_000);
        assertThat(say(1)).isEmpty();
    }

    @Test
    void aDeviceMaySignInThePlaceOfTheFile() {
        Identity other = Identity.generate(PrincipalId.replica(0), RANDOM);
        int[] signed = {0};
        OwnKey file = other.ownKey();
        ends.getFirst().credentials.signWith(new OwnKey() {
            @Override
            public PrincipalKey publicKey() {
                return file.publicKey();
            }

            @Override
            public Bytes sign(Bytes content) {
                signed[0]++;
                return file.sign(content);
            }

            @Override
            public Bytes agree(PrincipalKey ephemeral) {
                return file.agree(ephemeral);
            }
        });
        run(1_000);
        assertThat(say(1)).as("its public key is not trusted").isEmpty();
        ends.get(1).credentials.trust(trusted(other));
        run(1_000);
        assertThat(signed[0]).isPositive();
        say(0).forEach(this::deliver);
        say(1).forEach(this::deliver);
        assertThat(ends).allSatisfy(end -> assertThat(end.heard).hasSize(1));
    }
}
