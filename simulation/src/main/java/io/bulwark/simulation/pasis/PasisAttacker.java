package io.bulwark.simulation.pasis;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.pasis.PasisGroup;
import io.bulwark.protocol.pasis.PasisMessage;
import io.bulwark.protocol.pasis.PasisWrite;
import io.bulwark.protocol.pasis.ValidatingTimestamp;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.byzantine.Collusion;
import io.bulwark.simulation.byzantine.StoppingOperation;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/** A client that attacks registers: poisonous writes, stuttering, far and doubled timestamps, others' names. */
final class PasisAttacker {
    private static final long NO_OPERATION = 1L << 40;

    private final PrincipalId self;
    private final Simulation simulation;
    private final PasisPlot plot;
    private final Timeouts times;
    private final Supplier<Bytes> values;
    private final Random random;
    private final List<PrincipalId> faultyNodes;
    private final Set<ValidatingTimestamp> poisonous = new HashSet<>();
    private final List<HeldWrite> held = new ArrayList<>();
    private long session;

    /** A write that is made and not sent yet. */
    private record HeldWrite(PrincipalId to, PasisMessage.Write write) {}

    /**
     * A faulty client.
     *
     * @param values blocks' worth of bytes, each another
     * @param faultyNodes send notices for it
     */
    PasisAttacker(
            PrincipalId self,
            long session,
            Simulation simulation,
            PasisPlot plot,
            Timeouts times,
            Supplier<Bytes> values,
            List<PrincipalId> faultyNodes) {
        this.self = self;
        this.session = session;
        this.simulation = simulation;
        this.plot = plot;
        this.times = times;
        this.values = values;
        this.random = plot.random();
        this.faultyNodes = List.copyOf(faultyNodes);
    }

    PrincipalId self() {
        return self;
    }

    long session() {
        return session;
    }

    /** Its session is closed, and another is open. */
    void reopened(long other) {
        session = other;
    }

    /** Keeps right fragments of a block, for when this session is closed and this epoch over. */
    void hold(PasisGroup group) {
        List<Bytes> fragments = fragments(group);
        ValidatingTimestamp version = group.timestamp(nextTime(group), self, fragments);
        for (int slot = 0; slot < group.policy().n(); slot++) {
            plot.learn(group.block(), version, slot, fragments.get(slot));
            held.add(new HeldWrite(
                    group.node(slot),
                    new PasisMessage.Write(group.target(slot), session, version, fragments.get(slot))));
        }
    }

    /** Sends the held messages, as they were made, or for the group's current epoch. */
    void sendHeld(PasisGroup now) {
        for (HeldWrite each : held) {
            PasisMessage.Write write = each.write;
            boolean moved = random.nextBoolean() && write.target().block().equals(now.block());
            Target target = moved ? now.target(write.target().slot()) : write.target();
            if (random.nextInt(4) != 0) {
                simulation.send(
                        self,
                        each.to,
                        NO_OPERATION,
                        new PasisMessage.Write(target, write.session(), write.timestamp(), write.fragment()));
            }
        }
        held.clear();
    }

    /** Timestamps that this client made of fragments that do not belong together. */
    boolean isPoisoned(ValidatingTimestamp version) {
        return poisonous.contains(version);
    }

    void move(PasisGroup group) {
        switch (random.nextInt(12)) {
            case 0, 1 -> stop(group);
            case 2, 3 -> poison(group);
            case 4 -> stutter(group);
            case 5 -> far(group);
            case 6 -> equivocate(group);
            case 7 -> replay();
            case 8, 9 -> falseNotices(group);
            case 10 -> garbage(group);
            default -> plot.swear(group.block(), plot.anyVersion(group.block()));
        }
    }

    private List<Bytes> fragments(PasisGroup group) {
        return group.encode(group.padded(values.get()));
    }

    private IntPredicate some(PasisGroup group) {
        int mask = random.nextInt(1 << group.policy().n());
        return slot -> (mask >> slot & 1) == 1;
    }

    private long nextTime(PasisGroup group) {
        return plot.lastTime(group.block()) + 1 + random.nextInt(2);
    }

    /** Returns any client's name: the name in a timestamp must not decide whose quota is charged. */
    private PrincipalId anyName() {
        return random.nextInt(3) == 0 ? PrincipalId.client(1 + random.nextInt(3)) : self;
    }

    private void send(PasisGroup group, ValidatingTimestamp version, List<Bytes> fragments, IntPredicate to) {
        for (int slot = 0; slot < group.policy().n(); slot++) {
            plot.learn(group.block(), version, slot, fragments.get(slot));
            if (to.test(slot)) {
                simulation.send(
                        self,
                        group.node(slot),
                        NO_OPERATION,
                        new PasisMessage.Write(group.target(slot), session, version, fragments.get(slot)));
            }
        }
    }

    /** A correct write, up to some message, or to some nodes only. */
    private void stop(PasisGroup group) {
        int n = group.policy().n();
        int last = random.nextInt(3 * n);
        int some = random.nextInt(1 << n);
        boolean stops = random.nextBoolean();
        PasisWrite write = new PasisWrite(group, self, session, values.get(), times);
        simulation.start(
                self,
                new StoppingOperation<>(
                        write,
                        (number, send) -> stops
                                ? number < last
                                : send.message() instanceof PasisMessage.FindTime
                                        || (some >> send.to().number() & 1) == 1));
    }

    /** Fragments of two blocks under one timestamp whose hashes are right. */
    private void poison(PasisGroup group) {
        List<Bytes> mixed = new ArrayList<>(fragments(group));
        List<Bytes> other = fragments(group);
        int n = group.policy().n();
        int changed = random.nextInt(n);
        for (int slot = 0; slot < n; slot++) {
            if (slot == changed || random.nextInt(3) == 0) {
                mixed.set(slot, other.get(slot));
            }
        }
        ValidatingTimestamp version = group.timestamp(nextTime(group), anyName(), mixed);
        if (group.hashes() > 1 && !mixed.equals(other)) {
            poisonous.add(version);
        }
        send(group, version, mixed, random.nextBoolean() ? _ -> true : some(group));
    }

    /** Many versions, each at too few nodes. */
    private void stutter(PasisGroup group) {
        int many = 1 + random.nextInt(12);
        long time = nextTime(group);
        for (int i = 0; i < many; i++) {
            List<Bytes> fragments = fragments(group);
            send(group, group.timestamp(time + i, anyName(), fragments), fragments, some(group));
        }
    }

    /** Steps far ahead, at some nodes. */
    private void far(PasisGroup group) {
        IntPredicate to = some(group);
        long time = plot.lastTime(group.block());
        for (int step = 0; step < 3; step++) {
            time = random.nextInt(3) == 0 ? plot.wildTime(time) : time + (1L << 16) - random.nextInt(2);
            List<Bytes> fragments = fragments(group);
            send(group, group.timestamp(time == 0 ? 1 : time, anyName(), fragments), fragments, to);
        }
    }

    /** Two blocks at one time, each to some nodes. */
    private void equivocate(PasisGroup group) {
        long time = nextTime(group);
        for (int i = 0; i < 2; i++) {
            List<Bytes> fragments = fragments(group);
            send(group, group.timestamp(time, self, fragments), fragments, some(group));
        }
    }

    /** Sends again, in its own name, what any of the faulty ever saw. */
    private void replay() {
        for (int i = 0; i < 20; i++) {
            Collusion.SeenMessage known = plot.collusion().anySeen();
            if (known != null && known.message() instanceof PasisMessage.Write write) {
                simulation.send(
                        self,
                        known.to(),
                        NO_OPERATION,
                        new PasisMessage.Write(write.target(), session, write.timestamp(), write.fragment()));
            } else if (known != null && known.message() instanceof PasisMessage.Request request) {
                simulation.send(self, known.to(), NO_OPERATION, request);
            }
        }
    }

    /** Makes some or all faulty nodes notify others of a version that is not verified, or that nobody wrote. */
    private void falseNotices(PasisGroup group) {
        ValidatingTimestamp known =
                random.nextInt(3) == 0 ? plot.falseTimestamp(group) : plot.anyVersion(group.block());
        ValidatingTimestamp version = known.isNone() ? plot.falseTimestamp(group) : known;
        boolean isPoisonous = random.nextInt(3) == 0;
        for (PrincipalId liar : faultyNodes) {
            for (int slot = 0; slot < group.policy().n(); slot++) {
                if (random.nextInt(4) != 0) {
                    simulation.send(
                            liar,
                            group.node(slot),
                            NO_OPERATION,
                            new PasisMessage.Notify(group.target(slot), version, isPoisonous));
                }
            }
        }
    }

    /** Requests about other epochs, slots and blocks, those that only nodes may make, and repairs of anything. */
    private void garbage(PasisGroup group) {
        BlockId block = group.block();
        ValidatingTimestamp wrong = plot.falseTimestamp(group);
        ValidatingTimestamp any = plot.anyVersion(block);
        for (int slot = 0; slot < group.policy().n(); slot++) {
            Target target = switch (random.nextInt(5)) {
                case 0 -> new Target(block, 1 + random.nextInt(3), slot);
                case 1 -> new Target(block, 1, random.nextInt(255));
                case 2 -> new Target(BlockId.register(random.nextInt(9), random.nextInt(9)), 1, slot);
                default -> group.target(slot);
            };
            PasisMessage message = switch (random.nextInt(6)) {
                case 0 -> new PasisMessage.Repair(target, any.isNone() ? wrong : any);
                case 1 -> new PasisMessage.Notify(target, wrong, random.nextBoolean());
                case 2 -> new PasisMessage.Read(target, wrong, true, wrong.name());
                case 3 -> new PasisMessage.ReadFragment(target, wrong.name());
                case 4 -> new PasisMessage.Write(target, random.nextInt(30), wrong, plot.bytes(256));
                default -> new PasisMessage.FindTime(target);
            };
            simulation.send(self, group.node(slot), NO_OPERATION, message);
        }
    }
}
