package io.bulwark.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.fp.FpLimits;
import io.bulwark.protocol.fp.FpMessage;
import io.bulwark.protocol.fp.FpRead;
import io.bulwark.protocol.fp.FpReadOutcome;
import io.bulwark.protocol.fp.FpWriteOutcome;
import io.bulwark.protocol.fp.HeldVersion;
import io.bulwark.protocol.fp.Timestamp;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.AlteringServer;
import io.bulwark.simulation.engine.NetworkFaults;
import io.bulwark.simulation.engine.RunningOperation;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Lurking writes (thesis 3.3.2) that continue without their writer. Before the writer is revoked, colluders show its
 * nonces to a correct reader, or to a correct node that repairs. The messages of that reader or node arrive late.
 */
@NullMarked
class FpLurkingWriteTest {
    private static final PrincipalId WRITER = PrincipalId.client(1);
    private static final PrincipalId LURKING = PrincipalId.client(2);
    private static final PrincipalId READER = PrincipalId.client(3);
    private static final PrincipalId LATER = PrincipalId.client(4);
    private static final long BLOCK = 9;
    /** The one that has prepared it, where one is enough. */
    private static final int HOLDER = 0;

    private static final int REPAIRING = 1;

    /** f nodes that have what the lurking client has, and swear that they have committed its write. */
    private static final class Attack {
        final Set<Integer> liars = new HashSet<>();
        final Map<Integer, Bytes> nonces = new HashMap<>();
        final FpCluster cluster;
        /** To whom they show it. */
        Predicate<PrincipalId> audience = _ -> false;
        /** Nodes whose answers to the repairing node are in flight. */
        final Set<Integer> late = new HashSet<>();

        @Nullable
        Timestamp version;

        Attack(int f) {
            Map<Integer, UnaryOperator<ProtocolServer>> servers = new HashMap<>();
            for (int liar = 2; liar < 2 + f; liar++) {
                liars.add(liar);
                servers.put(liar, Liar::new);
            }
            servers.put(HOLDER, server -> new Late(HOLDER, server));
            servers.put(3 * f, server -> new Late(3 * f, server));
            cluster = new FpCluster(1, f, f + 1, NetworkFaults.calm(), FpLimits.standard(), servers);
            cluster.simulation.observe((from, to, _, message) -> saw(from, to, message));
            for (PrincipalId client : List.of(WRITER, LURKING, READER, LATER)) {
                cluster.open(client, 1);
            }
        }

        private void saw(PrincipalId from, PrincipalId to, Message message) {
            if (message instanceof FpMessage.PrepareFragment prepare && from.equals(LURKING) && prepare.ts() == 0) {
                version = new Timestamp(2, prepare.fpcc());
            } else if (message instanceof FpMessage.Prepared prepared && to.equals(LURKING)) {
                nonces.put(prepared.target().slot(), prepared.nonce());
            } else if (message instanceof FpMessage.RepairMac mac && liars.contains(to.number())) {
                nonces.put(mac.target().slot(), mac.nonce());
            }
        }

        Timestamp version() {
            return Objects.requireNonNull(version);
        }

        Target target(int slot) {
            return new Target(cluster.group(BLOCK).block(), 1, slot);
        }

        /** Some node that is neither a liar nor has a part of its own. */
        PrincipalId other() {
            return PrincipalId.node(cluster.policy.n() - 1);
        }

        /** The write before, and that of the client that lurks, which is prepared and no more. */
        Bytes written(IntPredicate at) {
            Bytes value = cluster.value();
            assertThat(cluster.await(cluster.write(WRITER, 1, BLOCK, value)))
                    .isInstanceOf(FpWriteOutcome.Written.class);
            cluster.simulation.runFor(500);
            cluster.stoppingWrite(
                    LURKING,
                    1,
                    BLOCK,
                    (_, send) -> !(send.message() instanceof FpMessage.Commit)
                            && at.test(send.to().number()));
            cluster.simulation.runFor(1_000);
            return value;
        }

        Bytes read() {
            RunningOperation<FpReadOutcome> read = cluster.read(LATER, 1, BLOCK);
            return ((FpReadOutcome.Value) cluster.await(read)).block();
        }

        /** Delivers the delayed answers, the holder's first. */
        void arrives() {
            late.remove(HOLDER);
            cluster.simulation.runFor(300);
            late.clear();
            cluster.simulation.runFor(700);
        }

        /** Makes the colluders ask all nodes to look at the version that they swear to. */
        void push() {
            for (int i = 0; i < 8; i++) {
                for (int node = 0; node < cluster.policy.n(); node++) {
                    for (int liar : liars) {
                        PrincipalId from = PrincipalId.node(liar);
                        PrincipalId to = PrincipalId.node(node);
                        cluster.simulation.send(from, to, 0, new FpMessage.AskRepairMac(target(node), version()));
                        cluster.simulation.send(from, to, 0, new FpMessage.Repair(target(node), version()));
                    }
                }
                cluster.simulation.runFor(1_000);
            }
        }

        /** Reads while one correct node is slow. At first only the version that the liars swear to is readable. */
        void readSlowly() {
            cluster.simulation.crash(other());
            RunningOperation<FpReadOutcome> read = cluster.read(READER, 1, BLOCK);
            cluster.simulation.runFor(2_000);
            cluster.simulation.restart(other());
            cluster.await(read);
        }

        private final class Liar extends AlteringServer {
            Liar(ProtocolServer correct) {
                super(correct);
            }

            @Override
            protected List<Effect> alter(long nowMillis, Effect effect) {
                if (effect instanceof Effect.Send(var to, var id, FpMessage.Leftover of)) {
                    // It never heard of the write, and refuses its writer of course.
                    FpMessage never = new FpMessage.Leftover(
                            of.target(), of.version(), FpMessage.LeftoverState.REFUSED, of.latest());
                    return List.of(new Effect.Send(to, id, never));
                }
                boolean tells = effect instanceof Effect.Send send
                        && audience.test(send.to())
                        && send.message() instanceof FpMessage.Answer answer
                        && answer.target().block().equals(target(0).block());
                return tells
                        ? List.of(new Effect.Send(
                                ((Effect.Send) effect).to(),
                                ((Effect.Send) effect).requestId(),
                                sworn((FpMessage.Answer) ((Effect.Send) effect).message())))
                        : List.of(effect);
            }

            private FpMessage sworn(FpMessage.Answer answer) {
                return switch (answer) {
                    case FpMessage.FoundTimestamp of -> new FpMessage.FoundTimestamp(of.target(), version(), null);
                    case FpMessage.RepairAnswer of -> new FpMessage.RepairAnswer(of.target(), version());
                    case FpMessage.ReadAnswer of ->
                        new FpMessage.ReadAnswer(of.target(), of.version(), version(), sworn(of.holding()));
                    default -> answer;
                };
            }

            private @Nullable HeldVersion sworn(@Nullable HeldVersion holding) {
                if (holding == null) {
                    return null;
                }
                List<HeldVersion.SlotNonce> all = new ArrayList<>();
                nonces.forEach((slot, nonce) -> all.add(new HeldVersion.SlotNonce(slot, nonce)));
                return new HeldVersion(holding.fragment(), holding.cc(), holding.nonceHash(), all, holding.damaged());
            }
        }

        /** A correct node, from which to one other messages take long. */
        private final class Late extends AlteringServer {
            private final int node;
            private final List<Effect> held = new ArrayList<>();

            Late(int node, ProtocolServer correct) {
                super(correct);
                this.node = node;
            }

            @Override
            protected List<Effect> alter(long nowMillis, Effect effect) {
                boolean slow = late.contains(node)
                        && effect instanceof Effect.Send send
                        && send.to().equals(PrincipalId.node(REPAIRING))
                        && shows(send.message());
                if (slow) {
                    held.add(effect);
                }
                return slow ? List.of() : List.of(effect);
            }

            /**
             * Returns whether the message shows the holder's evidence of the version, or that 2f + 1 nodes have the
             * write before.
             */
            private boolean shows(Message message) {
                return node == HOLDER
                        ? message instanceof FpMessage.ReadAnswer answer && answer.holding() != null
                        : message instanceof FpMessage.FoundTimestamp || message instanceof FpMessage.ReadAnswer;
            }

            @Override
            public List<Effect> onTick(long nowMillis) {
                List<Effect> effects = new ArrayList<>(super.onTick(nowMillis));
                if (!late.contains(node)) {
                    effects.addAll(held);
                    held.clear();
                }
                return effects;
            }
        }
    }

    /** Shows that the attack works without revocation. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void withoutRevocationItTakesEffectThoughItsWriterSendsNothing(int f) {
        Attack attack = new Attack(f);
        Bytes before = attack.written(_ -> true);
        attack.audience = _ -> true;
        attack.push();
        assertThat(attack.read()).isNotEqualTo(before);
    }

    @PlantedBug(
            in = FpRead.class,
            rule = "a reader does not write back a version that nonces alone prove",
            replace = "if (settling == SettlingMode.WRITE_BACK && attempt.committed()) {",
            with = "if (settling == SettlingMode.WRITE_BACK) {")
    @PlantedBug(
            inClass = "io.bulwark.protocol.fp.ReadAttempt",
            rule = "the word of f nodes is no reason to write back",
            replace = "return reporters.size() > group.f();",
            with = "return reporters.size() >= group.f();")
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatAReaderWasAboutToWriteBackStaysWithoutEffect(int f) {
        Attack attack = new Attack(f);
        Bytes before = attack.written(_ -> true);
        attack.audience = READER::equals;
        boolean[] held = {true};
        attack.cluster.simulation.crash(attack.other());
        attack.cluster.stoppingRead(
                READER,
                1,
                BLOCK,
                (_, send) -> !held[0]
                        || send.message() instanceof FpMessage.FindTimestamp
                        || send.message() instanceof FpMessage.Read);
        attack.cluster.simulation.runFor(2_000);
        attack.cluster.simulation.restart(attack.other());
        assertThat(attack.cluster.revoke(LURKING, attack.liars, 20_000)).isTrue();
        assertThat(attack.read()).isEqualTo(before);
        held[0] = false;
        attack.audience = _ -> true;
        attack.cluster.simulation.runFor(8_000);
        attack.push();
        attack.readSlowly();
        assertThat(attack.read()).isEqualTo(before);
    }

    private static Attack repairing(int f) {
        Attack attack = new Attack(f);
        attack.written(node -> node == HOLDER || attack.liars.contains(node));
        attack.audience = PrincipalId.node(REPAIRING)::equals;
        attack.late.addAll(Set.of(HOLDER, attack.other().number()));
        attack.cluster.simulation.send(
                PrincipalId.node(2),
                PrincipalId.node(REPAIRING),
                0,
                new FpMessage.Repair(attack.target(REPAIRING), attack.version()));
        attack.cluster.simulation.runFor(500);
        return attack;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatANodeWasAboutToRepairIsDecidedBeforeRevokingEnds(int f) {
        Attack attack = repairing(f);
        boolean returned = attack.cluster.revoke(LURKING, attack.liars, 6_000);
        Bytes early = attack.read();
        attack.arrives();
        attack.audience = _ -> true;
        attack.push();
        if (!returned) {
            assertThat(attack.cluster.revoke(LURKING, attack.liars, 20_000)).isTrue();
        }
        Bytes atTheEnd = returned ? early : attack.read();
        attack.push();
        attack.readSlowly();
        assertThat(attack.read()).isEqualTo(atTheEnd);
    }

    /** Colluders that had one node prove it, and show it to no other, keep the operator waiting, until the block is written. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatOneNodeAloneHasProvenKeepsItWaitingUntilTheBlockIsWritten(int f) {
        Attack attack = repairing(f);
        attack.arrives();
        attack.audience = _ -> false;
        assertThat(attack.cluster.revoke(LURKING, attack.liars, 20_000)).isFalse();
        assertThat(attack.cluster.undecided()).containsEntry(REPAIRING, 1);
        Bytes value = attack.cluster.value();
        // The first may be at the same ts, and below.
        for (Bytes each : List.of(attack.cluster.value(), value)) {
            assertThat(attack.cluster.await(attack.cluster.write(WRITER, 1, BLOCK, each)))
                    .isInstanceOf(FpWriteOutcome.Written.class);
        }
        assertThat(attack.cluster.revoke(LURKING, attack.liars, 20_000)).isTrue();
        attack.audience = _ -> true;
        attack.push();
        attack.readSlowly();
        assertThat(attack.read()).isEqualTo(value);
    }
}
