package io.bulwark.simulation.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.key.KeyEffect;
import io.bulwark.protocol.ordering.key.KeyMessage;
import io.bulwark.protocol.ordering.key.KeyMessage.AskNonce;
import io.bulwark.protocol.ordering.key.KeyMessage.Authentic;
import io.bulwark.protocol.ordering.key.KeyMessage.NewKey;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessageCodec;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Messages that one replica sends to others and receives from them, under the production's session keys only. A correct
 * one has the keys of its life. A faulty one also has keys in earlier configurations of its own, and keeps them when
 * its process ends.
 */
final class ReplicaMessenger {
    /** Receiver of the messages. */
    interface Receiver {
        /** The keys under which the replica in this place speaks have changed; comes before the next message. */
        void onKeyChange(int place);

        void onReplica(long nowMillis, int from, ReplicaMessage said);

        /** Another replica says that it is in another configuration, which is not authenticated. */
        void onElsewhere(long nowMillis, PrincipalId other, long configuration);

        /** Handles a message to a faulty replica in a configuration that its own code is not in. */
        void onLate(int from, long configuration, ReplicaMessage said);
    }

    /** Receiver of a process that has ended. */
    static final Receiver NOBODY = new Receiver() {
        @Override
        public void onKeyChange(int place) {}

        @Override
        public void onReplica(long nowMillis, int from, ReplicaMessage said) {}

        @Override
        public void onElsewhere(long nowMillis, PrincipalId other, long configuration) {}

        @Override
        public void onLate(int from, long configuration, ReplicaMessage said) {}
    };

    private final OrderingWorld world;
    private final OrderingKeys all;
    private final int self;
    private final ReplicaMessageCodec codec = new ReplicaMessageCodec();
    private final Map<Long, IncarnationKeys> lives = new TreeMap<>();
    private long current = -1;
    private @Nullable ReplicaMessage encoded;
    private int type;
    private Bytes body = Bytes.EMPTY;

    /** @param self its name */
    ReplicaMessenger(OrderingWorld world, OrderingKeys all, int self) {
        this.world = world;
        this.all = all;
        this.self = self;
    }

    /** A life of the replica begins, with no key of before; in no configuration if that is null. */
    void begin(@Nullable Configuration configuration) {
        if (!world.isLying(self)) {
            lives.clear();
        }
        current = configuration == null ? -1 : configuration.number();
        if (configuration != null) {
            IncarnationKeys before = lives.put(current, all.begin(configuration, self));
            if (before != null) {
                all.lies().stolen(before);
            }
        }
    }

    /** An intruder loses the replica, and keeps what he has of it. */
    void lose() {
        lives.values().forEach(all.lies()::stolen);
        lives.clear();
    }

    private @Nullable IncarnationKeys life(long number) {
        IncarnationKeys life = lives.get(number);
        if (life == null && world.isLying(self)) {
            Configuration configuration = world.configuration(number);
            if (configuration != null && configuration.placeOf(PrincipalId.replica(self)) >= 0) {
                life = all.begin(configuration, self);
                lives.put(number, life);
            }
        }
        return life;
    }

    /** May be lost, and is lost as long as the receiver has told no key. */
    void send(int to, long configuration, ReplicaMessage message) {
        IncarnationKeys life = life(configuration);
        int place = life == null ? -1 : life.placeOf(to);
        if (life == null || place < 0 || to == self) {
            return;
        }
        encode(message);
        life.keys().authenticate(place, type, body).ifPresent(authentic -> {
            long stamp = OrderingKeys.stamp(world.simulation().nowMillis(), configuration);
            all.lies().passes(self, to, stamp, new OpenedMessage(message, authentic));
            world.simulation()
                    .send(
                            PrincipalId.replica(self),
                            PrincipalId.replica(to),
                            stamp,
                            new OpenedMessage(message, authentic));
        });
    }

    /** The same again to another replica is the usual case. */
    @SuppressWarnings("ReferenceEquality")
    private void encode(ReplicaMessage message) {
        if (message != encoded) {
            WireWriter out = new WireWriter();
            codec.write(message, out);
            encoded = message;
            type = codec.typeOf(message);
            body = out.toBytes();
        }
    }

    void onTick(long nowMillis, Receiver receiver) {
        for (IncarnationKeys life : List.copyOf(lives.values())) {
            life.keys().onTick(nowMillis);
            carryOut(nowMillis, life, receiver);
        }
    }

    /** The replica in this place recovers: what comes under the keys of before is refused from now on. */
    void drop(long nowMillis, int place, Receiver receiver) {
        IncarnationKeys life = lives.get(current);
        if (life != null) {
            life.keys().drop(nowMillis, place);
            if (!world.isFaulty(self)) {
                life.dropped(nowMillis, world.simulation().nowMillis(), place);
            }
            carryOut(nowMillis, life, receiver);
        }
    }

    void onMessage(long nowMillis, int from, long stamp, KeyMessage message, Receiver receiver) {
        boolean lies = world.isLying(self);
        long said = OrderingKeys.configurationOf(stamp);
        IncarnationKeys life = life(lies ? said : current);
        int place = life == null ? -1 : life.placeOf(from);
        if (message instanceof AskNonce ask && (life == null || place < 0 || (lies && said != current))) {
            receiver.onElsewhere(nowMillis, PrincipalId.replica(from), ask.configuration());
        }
        if (life == null || place < 0 || place == life.self()) {
            return;
        }
        if (message instanceof Authentic authentic) {
            hear(nowMillis, from, stamp, life, authentic, receiver);
            return;
        }
        if (message instanceof NewKey key && !world.isFaulty(self)) {
            life.take(nowMillis, place, key, () -> all.hasSigned(from, key));
        } else {
            life.keys().onMessage(nowMillis, place, message);
        }
        carryOut(nowMillis, life, receiver);
    }

    private void hear(
            long nowMillis, int from, long stamp, IncarnationKeys life, Authentic authentic, Receiver receiver) {
        int place = life.placeOf(from);
        boolean believed = life.keys().verify(nowMillis, place, authentic);
        carryOut(nowMillis, life, receiver);
        if (!believed) {
            return;
        }
        if (!world.isFaulty(self)) {
            life.believed(world.simulation().nowMillis(), place, OrderingKeys.millisOf(stamp), authentic);
        }
        ReplicaMessage said = (ReplicaMessage) codec.read(authentic.type(), new WireReader(authentic.body()));
        long configuration = life.configuration().number();
        if (configuration == current) {
            receiver.onReplica(nowMillis, from, said);
        } else {
            receiver.onLate(from, configuration, said);
        }
    }

    /** Returns whether the other replica would now accept this one's messages. */
    boolean isBelievedBy(ReplicaMessenger other) {
        IncarnationKeys life = lives.get(current);
        IncarnationKeys others = other.lives.get(current);
        if (life == null || others == null) {
            return life == null || other.current < 0;
        }
        int place = others.placeOf(self);
        int to = life.placeOf(other.self);
        long nowMillis = world.simulation().localMillis(PrincipalId.replica(other.self));
        return place < 0
                || to < 0
                || life.keys()
                        .authenticate(to, 0, Bytes.EMPTY)
                        .filter(said -> others.keys().verify(nowMillis, place, said))
                        .isPresent();
    }

    private void carryOut(long nowMillis, IncarnationKeys life, Receiver receiver) {
        boolean isOwn = life.configuration().number() == current;
        for (KeyEffect effect : life.keys().drain()) {
            switch (effect) {
                case KeyEffect.Send send -> send(life, life.nameOf(send.to()), send.message());
                case KeyEffect.Changed changed -> {
                    if (isOwn) {
                        receiver.onKeyChange(changed.replica());
                    }
                }
                case KeyEffect.ConfigurationMismatch elsewhere ->
                    receiver.onElsewhere(
                            nowMillis,
                            PrincipalId.replica(life.nameOf(elsewhere.replica())),
                            elsewhere.configuration());
                case KeyEffect.WatchdogMismatch misfit ->
                    world.onAccused(self, life.nameOf(misfit.replica()), "another watchdog period");
            }
        }
    }

    /**
     * Sends a key message. A liar sends none in a configuration that nobody is in, and now and then sends another
     * message instead.
     */
    private void send(IncarnationKeys life, int to, KeyMessage message) {
        long configuration = life.configuration().number();
        long nowMillis = world.simulation().nowMillis();
        all.signed(self, message);
        if (!world.isLying(self)) {
            life.tells(life.placeOf(to), message);
            transmit(to, OrderingKeys.stamp(nowMillis, configuration), message);
            all.lies().seen(self, to, configuration, message);
            return;
        }
        OrderedMember receiver = world.processes().memberOf(to);
        if (configuration == current || (receiver != null && receiver.configuration() == configuration)) {
            for (KeyMessage said : all.lies().alter(life, life.placeOf(to), message)) {
                transmit(to, OrderingKeys.stamp(nowMillis, configuration), said);
            }
        }
    }

    private void transmit(int to, long stamp, KeyMessage message) {
        all.lies().passes(self, to, stamp, message);
        world.simulation().send(PrincipalId.replica(self), PrincipalId.replica(to), stamp, message);
    }
}
