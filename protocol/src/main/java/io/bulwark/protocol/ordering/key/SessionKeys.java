package io.bulwark.protocol.ordering.key;

import io.bulwark.protocol.effect.DistantPast;
import io.bulwark.protocol.ordering.key.KeyMessage.AskNonce;
import io.bulwark.protocol.ordering.key.KeyMessage.Authentic;
import io.bulwark.protocol.ordering.key.KeyMessage.GiveNonce;
import io.bulwark.protocol.ordering.key.KeyMessage.NewKey;
import io.bulwark.protocol.ordering.key.KeyMessage.NoKey;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Session keys of one replica (4.1; docs/ordering/recovery.md, session keys). There is one for each pair of
 * replicas and direction. Its receiver chooses it, and sends it in NEW-KEY. This is signed over a fresh nonce of the
 * sender, so that no signature made ahead or earlier is valid. A nonce is repeated until a NEW-KEY has used it. Nonces
 * and keys do not outlive the process: every start begins with NEW-KEYs.
 *
 * <p>In a scheduled refresh the old key stays until the peer uses the new one, and until it is T_k old at most. After a
 * recovery of the peer it is dropped at once ({@link #drop}). A peer that reports a missing key gets the one in force
 * again, which changes nothing here. A peer with another T_w gets no nonce, so it cannot verify this replica: it would
 * execute something else. The same holds for a peer in another configuration of replicas: messages of one do not count
 * in another. Single-threaded.
 */
public final class SessionKeys {
    private static final String PURPOSE = "bulwark new key";

    /**
     * Settings of the session keys, in milliseconds.
     *
     * @param keyMillis T_k: a key expires for messages after this time; it is refreshed half of it after its choice
     * @param retryMillis time after which an unanswered message is repeated; several message delays
     * @param watchdogMillis T_w, which all replicas of a group have in common
     * @param configuration the number of the configuration of replicas that these keys are for; not a time
     */
    public record Settings(long keyMillis, long retryMillis, long watchdogMillis, long configuration) {
        public Settings {
            if (retryMillis < 1 || keyMillis < 8 * retryMillis || watchdogMillis < 1) {
                throw new IllegalArgumentException(
                        keyMillis + " ms, " + retryMillis + " ms, " + watchdogMillis + " ms");
            }
        }
    }

    /** Under which a peer speaks to this replica. */
    private record Inbound(SessionKey key, long sinceMillis) {}

    private static final class Peer {
        private @Nullable Inbound current;
        private boolean used;
        private @Nullable Inbound previous;
        private boolean announces;
        private long askMillis = DistantPast.MILLIS;
        private long signedMillis = DistantPast.MILLIS;
        private long checkedMillis = DistantPast.MILLIS;
        private long wantMillis = DistantPast.MILLIS;
        private @Nullable Bytes nonce;
        private @Nullable SessionKey outbound;
    }

    private final int self;
    private final Settings settings;
    private final Signing signing;
    private final KeyCipher cipher;
    private final RandomGenerator random;
    private final Peer[] peers;
    private List<KeyEffect> effects = new ArrayList<>();

    /** @param random nobody can foresee it */
    public SessionKeys(
            int self, int replicas, Settings settings, Signing signing, KeyCipher cipher, RandomGenerator random) {
        this.self = self;
        this.settings = settings;
        this.signing = signing;
        this.cipher = cipher;
        this.random = random;
        peers = new Peer[replicas];
        for (int i = 0; i < replicas; i++) {
            peers[i] = new Peer();
        }
    }

    /** Returns the actions since the last call. Must be called after each other call. */
    public List<KeyEffect> drain() {
        List<KeyEffect> drained = effects;
        effects = new ArrayList<>();
        return drained;
    }

    /** Every 10 to 50 ms. */
    public void onTick(long nowMillis) {
        for (int replica = 0; replica < peers.length; replica++) {
            if (replica == self) {
                continue;
            }
            Peer peer = peers[replica];
            refresh(nowMillis, replica, peer);
            if (peer.announces && nowMillis - peer.askMillis >= settings.retryMillis()) {
                peer.askMillis = nowMillis;
                send(replica, new AskNonce(settings.watchdogMillis(), settings.configuration()));
            }
            if (peer.outbound == null && nowMillis - peer.wantMillis >= settings.retryMillis()) {
                peer.wantMillis = nowMillis;
                send(replica, new NoKey());
            }
        }
    }

    private void refresh(long nowMillis, int replica, Peer peer) {
        Inbound current = peer.current;
        if (current == null || nowMillis - current.sinceMillis() >= settings.keyMillis() / 2) {
            // One that was never used has nothing to go on with.
            boolean inForce = current != null && peer.used;
            peer.previous = inForce ? current : peer.previous;
            choose(nowMillis, peer);
        }
        Inbound previous = peer.previous;
        if (previous != null && nowMillis - previous.sinceMillis() >= settings.keyMillis()) {
            peer.previous = null;
            effects.add(new KeyEffect.Changed(replica));
        }
    }

    private void choose(long nowMillis, Peer peer) {
        peer.current = new Inbound(new SessionKey(draw(SessionKey.BYTES)), nowMillis);
        peer.used = false;
        peer.announces = true;
        peer.askMillis = nowMillis - settings.retryMillis();
    }

    private Bytes draw(int length) {
        byte[] drawn = new byte[length];
        random.nextBytes(drawn);
        return Bytes.of(drawn);
    }

    /** The keys under which this replica speaks may be known to an intruder: none of them counts from now on. */
    public void drop(long nowMillis, int replica) {
        Peer peer = peers[replica];
        peer.previous = null;
        choose(nowMillis, peer);
    }

    /** A message of another replica that is under no session key. */
    public void onMessage(long nowMillis, int from, KeyMessage message) {
        Peer peer = peers[from];
        switch (message) {
            case AskNonce ask -> {
                if (ask.configuration() != settings.configuration()) {
                    effects.add(new KeyEffect.ConfigurationMismatch(from, ask.configuration()));
                } else if (ask.watchdogMillis() == settings.watchdogMillis()) {
                    send(from, new GiveNonce(nonceFor(peer)));
                } else {
                    effects.add(new KeyEffect.WatchdogMismatch(from, ask.watchdogMillis()));
                }
            }
            case GiveNonce give -> onNonce(nowMillis, from, peer, give.nonce());
            case NewKey key -> onNewKey(nowMillis, from, peer, key);
            case NoKey ignored -> peer.announces = true;
            case Authentic ignored -> {} // to be verified
        }
    }

    private Bytes nonceFor(Peer peer) {
        Bytes nonce = peer.nonce;
        if (nonce == null) {
            nonce = draw(KeyMessage.NONCE_BYTES);
            peer.nonce = nonce;
        }
        return nonce;
    }

    private void onNonce(long nowMillis, int from, Peer peer, Bytes nonce) {
        Inbound current = peer.current;
        if (!peer.announces || current == null || nowMillis - peer.signedMillis < settings.retryMillis() / 2) {
            return;
        }
        peer.signedMillis = nowMillis;
        // One that was used may be wanted again only once: the peer has lost it.
        peer.announces = !peer.used;
        Bytes sealed = cipher.seal(from, current.key().secret());
        send(
                from,
                new NewKey(nonce, sealed, signing.sign(content(self, from, settings.configuration(), nonce, sealed))));
    }

    private void onNewKey(long nowMillis, int from, Peer peer, NewKey message) {
        if (!message.nonce().equals(nonceFor(peer))) {
            send(from, new GiveNonce(nonceFor(peer)));
            return;
        }
        if (nowMillis - peer.checkedMillis < settings.retryMillis() / 8) {
            return; // a check is dear
        }
        peer.checkedMillis = nowMillis;
        if (!signing.verify(
                from,
                content(from, self, settings.configuration(), message.nonce(), message.sealed()),
                message.signature())) {
            return;
        }
        Optional<Bytes> key = cipher.open(message.sealed()).filter(each -> each.length() == SessionKey.BYTES);
        key.ifPresent(secret -> {
            peer.nonce = null;
            peer.outbound = new SessionKey(secret);
        });
    }

    private static Bytes content(int from, int to, long configuration, Bytes nonce, Bytes sealed) {
        WireWriter out =
                new WireWriter().string(PURPOSE).u8(from).u8(to).raw(nonce).bytes(sealed);
        return (configuration == 0 ? out : out.i64(configuration)).toBytes();
    }

    /** The message under the key that the receiver has chosen last; none if it has told none yet. */
    public Optional<Authentic> authenticate(int to, int type, Bytes body) {
        SessionKey key = peers[to].outbound;
        return key == null ? Optional.empty() : Optional.of(new Authentic(type, body, key.mac(self, to, type, body)));
    }

    /**
     * Returns whether a message is authentic under a key in force. If so, the caller must process {@link #drain} before
     * the content of the message.
     */
    public boolean verify(long nowMillis, int from, Authentic message) {
        Peer peer = peers[from];
        refresh(nowMillis, from, peer);
        Inbound current = peer.current;
        if (current != null && verifies(current, from, message)) {
            if (!peer.used) {
                peer.used = true;
                peer.announces = false;
                peer.previous = null;
                effects.add(new KeyEffect.Changed(from));
            }
            return true;
        }
        Inbound previous = peer.previous;
        if (previous != null && verifies(previous, from, message)) {
            return true;
        }
        peer.announces = true;
        return false;
    }

    private boolean verifies(Inbound inbound, int from, Authentic message) {
        return inbound.key().verifies(from, self, message.type(), message.body(), message.mac());
    }

    /** Returns the age, in milliseconds, of the oldest key under which a message is still accepted. */
    public long oldestMillis(long nowMillis) {
        long oldest = 0;
        for (Peer peer : peers) {
            Inbound current = peer.current;
            Inbound previous = peer.previous;
            oldest = Math.max(oldest, current == null ? 0 : nowMillis - current.sinceMillis());
            oldest = Math.max(oldest, previous == null ? 0 : nowMillis - previous.sinceMillis());
        }
        return oldest;
    }

    private void send(int to, KeyMessage message) {
        effects.add(new KeyEffect.Send(to, message));
    }
}
