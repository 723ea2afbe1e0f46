package io.bulwark.metadata.bft;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.key.KeyEffect;
import io.bulwark.protocol.ordering.key.KeyMessage;
import io.bulwark.protocol.ordering.key.KeyMessage.Authentic;
import io.bulwark.protocol.ordering.key.SessionKeys;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessageCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.Arrays;
import java.util.BitSet;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Messages between a replica and the others, under session keys (4.1); only the messages that establish these keys come
 * without. Secrets that an intruder took from a replica before its last recovery therefore open nothing, whatever
 * connections he can make. A group without identities has no session keys, and trusts its connections. Used by one
 * thread.
 */
final class PeerMessenger {
    private static final Logger LOG = LoggerFactory.getLogger(PeerMessenger.class);

    /** Outgoing network. It may lose messages. */
    interface Network {
        void send(int to, Message message);
    }

    /** Receiver of messages. */
    interface Receiver {
        /** The keys under which this replica speaks have changed; comes before the next message. */
        void onKeyChange(int replica);

        void onMessage(long nowMillis, int from, ReplicaMessage message);

        /** Another replica says that it is in another configuration, which is not authenticated. */
        void onElsewhere(long nowMillis, PrincipalId replica, long other);
    }

    private final Configuration configuration;
    private final Network network;
    private final Receiver receiver;
    private final @Nullable SessionKeys keys;
    private final ReplicaMessageCodec codec = new ReplicaMessageCodec();
    private @Nullable ReplicaMessage encoded;
    private int type;
    private Bytes body = Bytes.EMPTY;
    private long refused;
    private final PeerFaultLog complaints;

    /** By replica: when something of it came last that was believed; 0 if never. */
    private long[] heardMillis = new long[0];

    private final BitSet everHeard = new BitSet();

    /**
     * Creates the mail of a life in a configuration.
     *
     * @param self the place of this replica
     * @param keys null if the group has no identities
     */
    PeerMessenger(
            Configuration configuration, int self, Network network, Receiver receiver, @Nullable SessionKeys keys) {
        this.configuration = configuration;
        this.network = network;
        this.receiver = receiver;
        this.keys = keys;
        complaints = new PeerFaultLog(configuration.members().size(), line -> LOG.error("{}: {}", nameOf(self), line));
    }

    /** May be lost, and is lost as long as the receiver has told no key. */
    @SuppressWarnings("ReferenceEquality") // the very same message again, to another replica
    void send(int to, ReplicaMessage message) {
        if (keys == null) {
            network.send(to, message);
            return;
        }
        if (message != encoded) {
            WireWriter out = new WireWriter();
            codec.write(message, out);
            encoded = message;
            type = codec.typeOf(message);
            body = out.toBytes();
        }
        keys.authenticate(to, type, body).ifPresent(authentic -> network.send(to, authentic));
    }

    void onMessage(long nowMillis, int from, Message message) {
        switch (message) {
            case ReplicaMessage said -> {
                if (keys == null) {
                    heard(nowMillis, from);
                    receiver.onMessage(nowMillis, from, said);
                } else {
                    refuse(nowMillis, from, "sent a message without a session key");
                }
            }
            case Authentic said -> hear(nowMillis, from, said);
            case KeyMessage said -> {
                if (keys != null) {
                    keys.onMessage(nowMillis, from, said);
                    carryOut(nowMillis, keys);
                }
            }
            default -> refuse(nowMillis, from, "sent a message that replicas do not send");
        }
    }

    private void hear(long nowMillis, int from, Authentic said) {
        if (keys == null) {
            return;
        }
        boolean authentic = keys.verify(nowMillis, from, said);
        carryOut(nowMillis, keys);
        if (!authentic) {
            refused++; // Common while keys change.
            return;
        }
        Message message;
        try {
            message = codec.read(said.type(), new WireReader(said.body()));
        } catch (MalformedException e) {
            refuse(nowMillis, from, "sent an invalid message: " + e.getMessage());
            return;
        }
        heard(nowMillis, from);
        receiver.onMessage(nowMillis, from, (ReplicaMessage) message);
    }

    private void heard(long nowMillis, int from) {
        if (from >= heardMillis.length) {
            heardMillis = Arrays.copyOf(heardMillis, from + 1);
        }
        heardMillis[from] = nowMillis;
        everHeard.set(from);
    }

    /** Returns the time since when fewer than {@code others} were heard, or an earlier one; 0 if so many never were. */
    long heardMillis(int others) {
        long[] latest = heardMillis.clone();
        Arrays.sort(latest);
        return others > latest.length ? 0 : latest[latest.length - others];
    }

    /** Returns whether at least so many others were ever heard. */
    boolean hasHeard(int others) {
        return everHeard.cardinality() >= others;
    }

    private PrincipalId nameOf(int place) {
        return configuration.members().get(place).replica();
    }

    private void refuse(long nowMillis, int from, String what) {
        refused++;
        reportFault(nowMillis, from, what);
    }

    /** The other replica did wrong. */
    void reportFault(long nowMillis, int of, String what) {
        complaints.add(nowMillis, of, nameOf(of) + " " + what);
    }

    /** Every 10 to 50 ms. */
    void onTick(long nowMillis) {
        encoded = null;
        if (keys != null) {
            keys.onTick(nowMillis);
            carryOut(nowMillis, keys);
        }
    }

    /** Handles a recovery of the other replica: messages under its earlier keys are refused from now on. */
    void drop(long nowMillis, int replica) {
        if (keys != null) {
            keys.drop(nowMillis, replica);
            carryOut(nowMillis, keys);
        }
    }

    private void carryOut(long nowMillis, SessionKeys own) {
        for (KeyEffect effect : own.drain()) {
            switch (effect) {
                case KeyEffect.Send send -> network.send(send.to(), send.message());
                case KeyEffect.Changed changed -> receiver.onKeyChange(changed.replica());
                case KeyEffect.ConfigurationMismatch elsewhere ->
                    receiver.onElsewhere(nowMillis, nameOf(elsewhere.replica()), elsewhere.configuration());
                case KeyEffect.WatchdogMismatch misfit ->
                    reportFault(
                            nowMillis,
                            misfit.replica(),
                            "has a watchdog period of " + misfit.watchdogMillis()
                                    + " ms, which differs from this replica's; until they are equal, each ignores "
                                    + "the other");
            }
        }
    }

    /** Returns the age of the oldest key under which another replica is heard, in milliseconds. */
    long oldestKeyMillis(long nowMillis) {
        return keys == null ? 0 : keys.oldestMillis(nowMillis);
    }

    /** Returns the number of rejected messages. */
    long refused() {
        return refused;
    }
}
