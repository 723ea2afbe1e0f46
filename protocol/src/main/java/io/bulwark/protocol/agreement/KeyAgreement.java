package io.bulwark.protocol.agreement;

import io.bulwark.protocol.agreement.AgreementMessage.AskNonce;
import io.bulwark.protocol.agreement.AgreementMessage.GiveNonce;
import io.bulwark.protocol.agreement.AgreementMessage.KeyAccepted;
import io.bulwark.protocol.agreement.AgreementMessage.NewKey;
import io.bulwark.protocol.effect.DistantPast;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Outbox;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.id.PrincipalKind;
import io.bulwark.protocol.mac.KeyBook;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.ordering.key.KeyCipher;
import io.bulwark.protocol.ordering.key.Signing;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The keys of one storage node towards its peers (4.1; decision 17). Each pair of nodes has one for each direction. The
 * verifier chooses it, and sends it to the sender by NEW-KEY. That is signed over a fresh nonce of the sender, so that
 * an earlier signature, or one made in advance, is worthless. A nonce is repeated until a NEW-KEY has used it. No key
 * and no nonce outlives the process.
 *
 * <p>After a scheduled refresh the former key stays valid until it is T_k old, for MACs in flight with clients. Each
 * NEW-KEY names its sender's life. A changed life means that an attacker may still have the sender's former keys. From
 * then on nothing counts that the sender has vouched for before, and it receives another key. The same holds when
 * operators exchange a node's identity. If a MAC is refused, the client has it made again. Single-threaded but for
 * {@link #standing}.
 */
public final class KeyAgreement implements ProtocolServer {
    private static final String PURPOSE = "bulwark node key";

    /**
     * Times of the key agreement, in milliseconds.
     *
     * @param keyMillis T_k: the age at which MACs under a key are no longer accepted; it is refreshed at half of that
     * @param retryMillis time before an unanswered message is repeated; several message delays
     */
    public record Settings(long keyMillis, long retryMillis) {
        private static final long RETRY_MILLIS_MAX = 500;

        public Settings {
            if (retryMillis < 1 || keyMillis < 8 * retryMillis) {
                throw new IllegalArgumentException(keyMillis + " ms, " + retryMillis + " ms");
            }
        }

        public static Settings every(long keyMillis) {
            return new Settings(keyMillis, Math.clamp(keyMillis / 16, 1, RETRY_MILLIS_MAX));
        }
    }

    /**
     * Status of the key agreement.
     *
     * @param oldestMillis the age of the oldest key under which this node still accepts a MAC
     * @param unspoken number of peers that have sent no key yet, so that this node can vouch for nothing towards them
     * @param chosen number of keys that this node has chosen in this life of the process
     */
    public record KeyStatus(long oldestMillis, int unspoken, long chosen) {}

    private record Chosen(Bytes key, long sinceMillis) {}

    private static final class Peer {
        private @Nullable Chosen current;
        /** True once the peer has confirmed that it uses the current key. */
        private boolean taken;

        private @Nullable Chosen previous;
        private boolean offering;

        private long checkedMillis = DistantPast.MILLIS;
        private @Nullable Bytes nonce;
        private @Nullable Bytes life;
        private @Nullable List<PrincipalKey> identity;
    }

    private final KeyBook book;
    private final Settings settings;
    private final Signing signing;
    private final KeyCipher cipher;
    private final Function<PrincipalId, List<PrincipalKey>> identities;
    private final RandomGenerator random;
    private final Outbox out = new Outbox();
    private final TreeMap<PrincipalId, Peer> peers = new TreeMap<>();
    private Bytes life;
    private long chosen;
    private volatile KeyStatus standing;

    /**
     * Begins a life.
     *
     * @param others the current nodes; later ones are added when they join
     * @param signing works with the numbers of nodes, as {@code cipher} does
     * @param identities the public keys of a node that are trusted now
     * @param random unpredictable to everybody
     */
    public KeyAgreement(
            KeyBook book,
            Collection<PrincipalId> others,
            Settings settings,
            Signing signing,
            KeyCipher cipher,
            Function<PrincipalId, List<PrincipalKey>> identities,
            RandomGenerator random) {
        this.book = book;
        this.settings = settings;
        this.signing = signing;
        this.cipher = cipher;
        this.identities = identities;
        this.random = random;
        this.life = draw(AgreementMessage.LIFE_BYTES);
        others.forEach(other -> {
            if (other.kind() != PrincipalKind.NODE) {
                throw new IllegalArgumentException(other + " is not a storage node");
            }
            peers.put(other, new Peer());
        });
        peers.put(book.self(), new Peer());
        this.standing = new KeyStatus(0, peers.size(), 0);
    }

    private Bytes draw(int length) {
        byte[] drawn = new byte[length];
        random.nextBytes(drawn);
        return Bytes.of(drawn);
    }

    /** May be asked by any thread. */
    public KeyStatus standing() {
        return standing;
    }

    /**
     * Sets the current nodes. New ones are contacted from the next tick on; nothing that came from removed ones counts
     * any more.
     */
    public void setMembers(Collection<PrincipalId> others) {
        others.forEach(other -> peers.computeIfAbsent(other, ignored -> new Peer()));
        peers.keySet().removeIf(known -> {
            boolean left = !known.equals(book.self()) && !others.contains(known);
            if (left) {
                book.believe(known, List.of());
            }
            return left;
        });
    }

    /**
     * Begins a new life, as after a restart: nothing counts any more that this node or the others towards it have
     * vouched for.
     */
    public void renew(long nowMillis) {
        life = draw(AgreementMessage.LIFE_BYTES);
        peers.forEach((id, peer) -> drop(nowMillis, id, peer));
    }

    /** The keys under which the peer speaks may be known to somebody else. */
    private void drop(long nowMillis, PrincipalId id, Peer peer) {
        peer.previous = null;
        choose(nowMillis, id, peer);
    }

    private void choose(long nowMillis, PrincipalId id, Peer peer) {
        Chosen fresh = new Chosen(draw(PairwiseKeys.KEY_BYTES), nowMillis);
        chosen++;
        peer.current = fresh;
        peer.taken = id.equals(book.self());
        if (peer.taken) {
            book.speak(id, fresh.key());
        }
        believe(id, peer);
    }

    private void believe(PrincipalId id, Peer peer) {
        book.believe(id, keysInForce(peer).stream().map(Chosen::key).toList());
    }

    private static List<Chosen> keysInForce(Peer peer) {
        List<Chosen> keys = new ArrayList<>();
        Optional.ofNullable(peer.current).ifPresent(keys::add);
        Optional.ofNullable(peer.previous).ifPresent(keys::add);
        return keys;
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        if (from.kind() != PrincipalKind.NODE || from.equals(book.self())) {
            return List.of();
        }
        // The transport lets in who belongs, and nobody else.
        Peer peer = peers.computeIfAbsent(from, ignored -> new Peer());
        switch (message) {
            case AskNonce ignored -> out.send(from, requestId, new GiveNonce(nonceFor(peer)));
            case NewKey key -> onNewKey(nowMillis, from, requestId, peer, key);
            default -> {} // the answers of an offer that is over
        }
        return out.drain();
    }

    private Bytes nonceFor(Peer peer) {
        Bytes nonce = peer.nonce;
        if (nonce == null) {
            nonce = draw(AgreementMessage.NONCE_BYTES);
            peer.nonce = nonce;
        }
        return nonce;
    }

    private void onNewKey(long nowMillis, PrincipalId from, long requestId, Peer peer, NewKey message) {
        if (!message.nonce().equals(nonceFor(peer))) {
            out.send(from, requestId, new GiveNonce(nonceFor(peer)));
            return;
        }
        if (nowMillis - peer.checkedMillis < settings.retryMillis() / 8) {
            return; // a check is dear
        }
        peer.checkedMillis = nowMillis;
        Bytes content = content(from, book.self(), message.nonce(), message.life(), message.sealed());
        if (!signing.verify(from.number(), content, message.signature())) {
            return;
        }
        Optional<Bytes> key = cipher.open(message.sealed()).filter(each -> each.length() == PairwiseKeys.KEY_BYTES);
        if (key.isEmpty()) {
            return;
        }
        peer.nonce = null;
        book.speak(from, key.get());
        if (!Objects.equals(message.life(), peer.life)) {
            peer.life = message.life();
            drop(nowMillis, from, peer);
        }
        out.send(from, requestId, new KeyAccepted(message.nonce()));
        offer(from, peer);
    }

    private static Bytes content(PrincipalId from, PrincipalId to, Bytes nonce, Bytes life, Bytes sealed) {
        WireWriter content = new WireWriter().string(PURPOSE);
        from.write(content);
        to.write(content);
        return content.raw(nonce).raw(life).bytes(sealed).toBytes();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        long oldest = nowMillis;
        int unspoken = 0;
        for (var entry : peers.entrySet()) {
            Peer peer = entry.getValue();
            refresh(nowMillis, entry.getKey(), peer);
            offer(entry.getKey(), peer);
            for (Chosen key : keysInForce(peer)) {
                oldest = Math.min(oldest, key.sinceMillis());
            }
            unspoken += book.knows(entry.getKey()) ? 0 : 1;
        }
        standing = new KeyStatus(nowMillis - oldest, unspoken, chosen);
        return out.drain();
    }

    private void refresh(long nowMillis, PrincipalId id, Peer peer) {
        List<PrincipalKey> identity = identities.apply(id);
        if (!identity.equals(peer.identity)) {
            boolean exchanged = peer.identity != null;
            peer.identity = identity;
            if (exchanged && id.equals(book.self())) {
                renew(nowMillis);
            } else if (exchanged) {
                drop(nowMillis, id, peer);
            }
        }
        Chosen current = peer.current;
        if (current == null || nowMillis - current.sinceMillis() >= settings.keyMillis() / 2) {
            peer.previous = current;
            choose(nowMillis, id, peer);
        }
        Chosen previous = peer.previous;
        if (previous != null && nowMillis - previous.sinceMillis() >= settings.keyMillis()) {
            peer.previous = null;
            believe(id, peer);
        }
    }

    /** Tells the peer the key under which it shall speak, unless it has taken that or is being told. */
    private void offer(PrincipalId id, Peer peer) {
        Chosen current = peer.current;
        if (peer.taken || peer.offering || current == null) {
            return;
        }
        peer.offering = true;
        Bytes of = life;
        KeyOffer offer = new KeyOffer(id, settings.retryMillis(), nonce -> sign(id, nonce, of, current.key()));
        out.run(offer, (ignored, taken) -> {
            peer.offering = false;
            // Meanwhile another one may have been chosen, or another life begun.
            peer.taken = peer.taken || ((Boolean) taken && current.equals(peer.current) && of.equals(life));
        });
    }

    private NewKey sign(PrincipalId to, Bytes nonce, Bytes of, Bytes key) {
        return signed(signing, book.self(), to, nonce, of, cipher.seal(to.number(), key));
    }

    /** A NEW-KEY of one node for another. */
    public static NewKey signed(
            Signing signing, PrincipalId from, PrincipalId to, Bytes nonce, Bytes life, Bytes sealed) {
        return new NewKey(nonce, life, sealed, signing.sign(content(from, to, nonce, life, sealed)));
    }

    @Override
    public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
        out.completed(nowMillis, token, outcome);
        peers.forEach(this::offer);
        return out.drain();
    }
}
