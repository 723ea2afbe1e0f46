package io.bulwark.simulation.ordering;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.key.KeyEffect;
import io.bulwark.protocol.ordering.key.KeyMessage;
import io.bulwark.protocol.ordering.key.KeyMessage.AskNonce;
import io.bulwark.protocol.ordering.key.KeyMessage.GiveNonce;
import io.bulwark.protocol.ordering.key.KeyMessage.NewKey;
import io.bulwark.protocol.ordering.key.KeyMessage.NoKey;
import io.bulwark.protocol.ordering.key.SessionKeys;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Attacks of an intruder on session keys. It replays messages from the network, in the name of their sender or of a
 * faulty replica. It sends wrong nonces, and keys that differ from those of its own code. It signs for others without
 * their keys, and uses keys stolen from earlier lives.
 */
final class KeyLies {
    private static final int REMEMBERED = 64;
    private static final int STOLEN_MAX = 16;
    private static final int FORGERY_ONE_IN = 16;
    private static final int LIE_ONE_IN = 8;

    private record PassedMessage(int from, int to, long stamp, Message message) {}

    private record StolenKeys(IncarnationKeys life, long millis) {}

    private final OrderingWorld world;
    private final OrderingKeys keys;
    private final Random random;
    private final List<PassedMessage> aboutKeys = new ArrayList<>();
    private final List<PassedMessage> underKeys = new ArrayList<>();
    private final List<StolenKeys> stolen = new ArrayList<>();

    KeyLies(OrderingWorld world, OrderingKeys keys, Random random) {
        this.world = world;
        this.keys = keys;
        this.random = random;
    }

    /** Records a message that passes on the network. */
    void passes(int from, int to, long stamp, Message message) {
        remember(
                message instanceof OpenedMessage ? underKeys : aboutKeys,
                REMEMBERED,
                new PassedMessage(from, to, stamp, message));
    }

    private <T> void remember(List<T> list, int max, T one) {
        if (list.size() < max) {
            list.add(one);
        } else if (random.nextInt(4) == 0) {
            list.set(random.nextInt(max), one);
        }
    }

    /** An intruder has these keys; the replica has them no more. */
    void stolen(IncarnationKeys life) {
        remember(stolen, STOLEN_MAX, new StolenKeys(life, world.simulation().nowMillis()));
    }

    /** Reacts to a message of a correct replica: the moment to answer in the name of the other. */
    void seen(int from, int to, long configuration, KeyMessage message) {
        if (message instanceof GiveNonce given && !world.liars().isEmpty() && random.nextInt(FORGERY_ONE_IN) == 0) {
            long stamp = OrderingKeys.stamp(world.simulation().nowMillis(), configuration);
            Bytes sealed = MemberSignatures.sealed(from, bytes(32));
            transmit(new PassedMessage(to, from, stamp, new NewKey(given.nonce(), sealed, bytes(32))));
        }
    }

    /** Returns the messages that a faulty replica sends instead of its own code's. */
    List<KeyMessage> alter(IncarnationKeys life, int place, KeyMessage message) {
        if (world.mayLiarsHelp() || random.nextInt(LIE_ONE_IN) != 0) {
            return List.of(message);
        }
        return switch (message) {
            case GiveNonce _ -> List.of(message, new GiveNonce(bytes(KeyMessage.NONCE_BYTES)));
            case NewKey key -> {
                NewKey other = otherKey(life, place, key.nonce());
                yield other == null || random.nextBoolean() ? List.of() : List.of(other, key);
            }
            default -> List.of();
        };
    }

    private Bytes bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return Bytes.of(bytes);
    }

    /** Rightly signed, with a key that the liar's own code does not know. */
    private @Nullable NewKey otherKey(IncarnationKeys life, int place, Bytes nonce) {
        int liar = life.nameOf(life.self());
        SessionKeys twin = keys.sessionKeys(life.configuration(), liar);
        twin.onTick(0);
        twin.onMessage(0, place, new GiveNonce(nonce));
        for (KeyEffect effect : twin.drain()) {
            if (effect instanceof KeyEffect.Send send && send.message() instanceof NewKey key) {
                keys.signed(liar, key);
                return key;
            }
        }
        return null;
    }

    /** Sends an unsolicited message now and then. */
    void step() {
        switch (random.nextInt(8)) {
            case 0, 1 -> any(aboutKeys, this::transmit);
            case 2, 3 -> any(underKeys, this::transmit);
            case 4, 5 -> any(stolen, this::speak);
            case 6 -> liar(liar -> any(aboutKeys, passed -> say(liar, (KeyMessage) passed.message())));
            default -> liar(liar -> say(liar, wrong()));
        }
    }

    private KeyMessage wrong() {
        return switch (random.nextInt(4)) {
            case 0 -> new NoKey();
            case 1 -> new GiveNonce(bytes(KeyMessage.NONCE_BYTES));
            case 2 -> new AskNonce(OrderingKeys.WATCHDOG_MILLIS + 1, 0);
            default -> new NewKey(bytes(KeyMessage.NONCE_BYTES), bytes(32), bytes(32));
        };
    }

    private <T> void any(List<T> list, Consumer<T> deed) {
        if (!list.isEmpty()) {
            deed.accept(list.get(random.nextInt(list.size())));
        }
    }

    private void liar(Consumer<Integer> deed) {
        if (!world.mayLiarsHelp()) {
            any(List.copyOf(world.liars()), deed);
        }
    }

    private void say(int liar, KeyMessage message) {
        int to = random.nextInt(world.nodes().size());
        OrderedMember receiver = world.processes().memberOf(to);
        if (to != liar && receiver != null) {
            long stamp = OrderingKeys.stamp(world.simulation().nowMillis(), receiver.configuration());
            transmit(new PassedMessage(liar, to, stamp, message));
        }
    }

    /** Sends a message under keys of a past life, in its name, as if from the end of that life. */
    private void speak(StolenKeys taken) {
        IncarnationKeys life = taken.life();
        int place = random.nextInt(life.configuration().members().size());
        any(underKeys, passed -> {
            OpenedMessage said = (OpenedMessage) passed.message();
            life.keys()
                    .authenticate(
                            place, said.authentic().type(), said.authentic().body())
                    .ifPresent(authentic -> transmit(new PassedMessage(
                            life.nameOf(life.self()),
                            life.nameOf(place),
                            OrderingKeys.stamp(
                                    taken.millis(), life.configuration().number()),
                            new OpenedMessage(said.message(), authentic))));
        });
    }

    private void transmit(PassedMessage message) {
        if (message.from() != message.to()) {
            world.simulation()
                    .send(
                            PrincipalId.replica(message.from()),
                            PrincipalId.replica(message.to()),
                            message.stamp(),
                            message.message());
        }
    }
}
