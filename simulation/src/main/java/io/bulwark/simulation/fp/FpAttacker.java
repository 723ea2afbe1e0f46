package io.bulwark.simulation.fp;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fp.FpGroup;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpWrite;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.fp.Version;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.byzantine.Collusion;
import io.bulwark.simulation.byzantine.Forgery;
import io.bulwark.simulation.byzantine.StoppingOperation;
import io.bulwark.simulation.engine.Simulation;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/** A client that attacks registers, in every way that the messages allow. */
final class FpAttacker {
    private static final long NO_OPERATION = 1L << 40;
    private static final int HELD_MAX = 100;

    private final PrincipalId self;
    private final List<Effect.Send> held = new ArrayList<>();
    private long session;
    private final Simulation simulation;
    private final FpPlot plot;
    private final Timeouts times;
    private final Supplier<Bytes> values;
    private final Random random;

    /** @param values blocks' worth of bytes, each another */
    FpAttacker(
            PrincipalId self,
            long session,
            Simulation simulation,
            FpPlot plot,
            Timeouts times,
            Supplier<Bytes> values) {
        this.self = self;
        this.session = session;
        this.simulation = simulation;
        this.plot = plot;
        this.times = times;
        this.values = values;
        this.random = plot.random();
    }

    PrincipalId self() {
        return self;
    }

    long session() {
        return session;
    }

    /** The old one is closed; what was prepared in it may still be committed. */
    void reopened(long another) {
        session = another;
    }

    void move(FpGroup group) {
        switch (random.nextInt(12)) {
            case 0, 1 -> stop(group);
            case 2 -> write(group, 0, poison(group), some(group), _ -> true);
            case 3 -> bulk(group);
            case 4 -> forgedCommits(group);
            case 5 -> otherSession(group);
            case 6 -> replay();
            case 7 -> write(group, wildTs(group.block()), encode(group), _ -> true, some(group));
            case 8 -> equivocate(group);
            case 9 -> garbage(group);
            case 10 -> plot.swear(group.block(), plot.anyVersion(group.block()));
            default ->
                write(
                        group,
                        0,
                        encode(group),
                        _ -> true,
                        slot -> slot == random.nextInt(group.policy().n()));
        }
    }

    /** A correct write, up to some message, or to some nodes only. */
    private void stop(FpGroup group) {
        int n = group.policy().n();
        int last = random.nextInt(4 * n);
        int some = random.nextInt(1 << n);
        boolean stops = random.nextBoolean();
        FpWrite write = new FpWrite(group, session, values.get(), times);
        simulation.start(
                self,
                new StoppingOperation<>(
                        write,
                        (number, send) ->
                                stops ? number < last : (some >> send.to().number() & 1) == 1));
    }

    /** A correct write whose commits are kept for later, when its session is closed perhaps, or its epoch over. */
    void hold(FpGroup group) {
        simulation.start(self, new StoppingOperation<>(new FpWrite(group, session, values.get(), times), (_, send) -> {
            boolean commits = send.message() instanceof FpMessage.Commit;
            if (commits && held.size() < HELD_MAX) {
                held.add(send);
            }
            return !commits;
        }));
    }

    /** Some of the commits that were held go to their nodes now; all of them may go once more. */
    void commitHeld(Random which) {
        held.stream()
                .filter(_ -> which.nextInt(3) == 0)
                .forEach(send -> simulation.send(self, send.to(), NO_OPERATION, send.message()));
    }

    private BlockCode.Encoded poison(FpGroup group) {
        return Forgery.poison(
                group.code(), group.policy().m(), padded(group, values.get()), padded(group, values.get()), random);
    }

    private BlockCode.Encoded encode(FpGroup group) {
        return group.code().encode(padded(group, values.get()));
    }

    private static Bytes padded(FpGroup group, Bytes value) {
        return FpInvariants.padded(group, value);
    }

    private void write(FpGroup group, long ts, BlockCode.Encoded encoded, IntPredicate prepares, IntPredicate commits) {
        int[] first = new int[group.policy().m()];
        for (int i = 0; i < first.length; i++) {
            first[i] = i;
        }
        Bytes block =
                group.code().erasureCode().decode(first, encoded.fragments().subList(0, first.length));
        simulation.start(self, new FpAttackingWrite(group, session, ts, encoded, block, prepares, commits));
    }

    private IntPredicate some(FpGroup group) {
        int mask = random.nextInt(1 << group.policy().n());
        return slot -> (mask >> slot & 1) == 1;
    }

    /** More prepares than anybody may have. */
    private void bulk(FpGroup group) {
        int many = 1 + random.nextInt(12);
        for (int i = 0; i < many; i++) {
            write(group, random.nextBoolean() ? 0 : 1 + random.nextInt(200), encode(group), some(group), _ -> false);
        }
    }

    private long wildTs(BlockId block) {
        Timestamp wrong = plot.falseTimestamp(block);
        return wrong.isNone() ? random.nextLong() : wrong.ts();
    }

    /** Sends MACs that were made for others, for another version or node, or for nobody at all. */
    private void forgedCommits(FpGroup group) {
        FpMessage.Commit real = plot.collusion()
                .recall(
                        FpMessage.Commit.class,
                        commit -> commit.target().block().equals(group.block()));
        FpMessage.Prepared stolen = plot.collusion()
                .recall(
                        FpMessage.Prepared.class,
                        answer -> answer.target().block().equals(group.block()));
        Fpcc fpcc = real == null ? encode(group).fpcc() : real.fpcc();
        long ts = real == null || random.nextInt(4) == 0 ? 1L + random.nextInt(8) : real.ts();
        for (int to = 0; to < group.policy().n(); to++) {
            List<FpMessage.PrepareMac> vouches = new ArrayList<>();
            for (int slot = 0; slot < group.policy().n(); slot++) {
                Bytes nonce = stolen == null ? plot.bytes(32) : stolen.nonce();
                Bytes mac = stolen == null || to >= stolen.macs().size() || random.nextInt(4) == 0
                        ? plot.bytes(16)
                        : stolen.macs().get(to);
                vouches.add(new FpMessage.PrepareMac(slot, nonce, mac));
            }
            send(
                    group,
                    to,
                    new FpMessage.Commit(
                            target(group, to),
                            real == null ? session : real.session(),
                            ts,
                            fpcc,
                            real == null || random.nextBoolean() ? vouches : real.prepares()));
        }
    }

    /** Prepares under the session of another client, a closed one, or one that nobody opened. */
    private void otherSession(FpGroup group) {
        BlockCode.Encoded encoded = encode(group);
        long other = random.nextInt(30);
        for (int slot = 0; slot < encoded.fragments().size(); slot++) {
            send(
                    group,
                    slot,
                    new FpMessage.PrepareFragment(
                            target(group, slot),
                            other,
                            0,
                            encoded.fpcc(),
                            encoded.fragments().get(slot)));
        }
    }

    /** Sends again, in its own name, what any of the faulty ever saw. */
    private void replay() {
        for (int i = 0; i < 20; i++) {
            Collusion.SeenMessage known = plot.collusion().anySeen();
            if (known != null && known.message() instanceof FpMessage.Request request) {
                simulation.send(self, known.to(), NO_OPERATION, request);
            }
        }
    }

    /** Two blocks at one timestamp, each to some nodes. */
    private void equivocate(FpGroup group) {
        long ts = 1L + plot.anyVersion(group.block()).ts();
        for (int i = 0; i < 2; i++) {
            write(group, ts == 0 ? 1 : ts, encode(group), some(group), some(group));
        }
    }

    /** Requests about other epochs, slots and blocks, and those that only nodes may make. */
    private void garbage(FpGroup group) {
        BlockId block = group.block();
        Timestamp wrong = plot.falseTimestamp(block);
        Timestamp version = wrong.isNone() ? new Timestamp(1, encode(group).fpcc()) : wrong;
        for (int slot = 0; slot < group.policy().n(); slot++) {
            Target target = switch (random.nextInt(4)) {
                case 0 -> new Target(block, 1 + random.nextInt(3), slot);
                case 1 -> new Target(block, 1, random.nextInt(255));
                case 2 -> new Target(BlockId.register(random.nextInt(9), random.nextInt(9)), 1, slot);
                default -> target(group, slot);
            };
            FpMessage message = switch (random.nextInt(6)) {
                case 0 -> new FpMessage.Repair(target, version);
                case 1 -> new FpMessage.AskRepairMac(target, version);
                case 2 -> new FpMessage.AskLeftover(target, PrincipalId.client(1), 1, version);
                case 3 -> new FpMessage.Read(target, new Version(version.ts(), plot.bytes(32)));
                case 4 -> new FpMessage.PrepareFragment(target, session, -1, version.written(), plot.bytes(256));
                default -> new FpMessage.FindTimestamp(target, true);
            };
            send(group, slot, message);
        }
    }

    private static Target target(FpGroup group, int slot) {
        return new Target(group.block(), group.placement().epoch(), slot);
    }

    private void send(FpGroup group, int slot, FpMessage message) {
        PrincipalId to = PrincipalId.node(group.placement().holders().get(slot));
        simulation.send(self, to, NO_OPERATION, message);
    }
}
