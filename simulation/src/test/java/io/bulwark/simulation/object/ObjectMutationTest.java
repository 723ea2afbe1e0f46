package io.bulwark.simulation.object;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.bucket.ObjectGet;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Protocol;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.extent.ExtentLimits;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentServer;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ExtentWrite;
import io.bulwark.protocol.extent.WriteOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.object.Inode;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.campaign.Invariant;
import io.bulwark.simulation.campaign.InvariantViolation;
import io.bulwark.simulation.campaign.Run;
import io.bulwark.simulation.campaign.Shape;
import io.bulwark.simulation.engine.AlteringServer;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Rules of PROTOCOLS section 4 switched off: each of these must be found within a few seeds. */
@NullMarked
@Tag("long")
class ObjectMutationTest {
    private static final int SEEDS_MAX = 30;
    private static final Shape SHAPE = new Shape(
            OptionalInt.empty(), OptionalInt.of(1), OptionalInt.of(2), OptionalInt.empty(), OptionalInt.of(40));

    /** "A client accepts 2f+1 matching replies": one replica is enough. */
    @Test
    void whoListensToOneReplicaIsLiedTo() {
        ObjectParts parts = new ObjectParts() {
            @Override
            public int replicasHeard(int replicas) {
                return 1;
            }
        };
        assertThat(found(parts))
                .isIn(
                        Invariant.LINEARIZABLE,
                        ObjectInvariants.OWN_NAMES,
                        ObjectInvariants.WHOLE_OR_ABSENT,
                        ObjectInvariants.NEVER_FREED_WHILE_NAMED,
                        Invariant.NEVER_THROWS,
                        Invariant.OPERATIONS_END);
    }

    /** "Done at m+f OKs": the first is enough. */
    @Test
    void whatOneNodeAcknowledgedIsLost() {
        ObjectParts parts = new ObjectParts() {
            @Override
            public ClientOperation<WriteOutcome> write(
                    Volume volume, BlockId block, Bytes content, ExtentTiming timing) {
                return new HastyWrite(new ExtentWrite(volume, block, content, timing));
            }
        };
        assertThat(found(parts)).isIn(ObjectInvariants.WHOLE_OR_ABSENT, ObjectInvariants.STAYS_READABLE);
    }

    /** "Session closed, with these ranges referenced": the ranges are not looked at. */
    @Test
    void whatIsReferencedOfAClosedSessionIsFreed() {
        ObjectParts parts = altering(fact -> fact instanceof Fact.ClosedWith closed
                ? Optional.of(new Fact.ClosedWith(closed.volume(), closed.owner(), closed.session(), List.of()))
                : Optional.of(fact));
        assertThat(found(parts)).isIn(ObjectInvariants.WHOLE_OR_ABSENT, ObjectInvariants.STAYS_READABLE);
    }

    /** "Ranges are freed at zero after an agreed grace": nodes do not listen. */
    @Test
    void whatIsFreedStays() {
        ObjectParts parts = altering(fact -> fact instanceof Fact.Freed ? Optional.empty() : Optional.of(fact));
        assertThat(found(parts)).isEqualTo(ObjectInvariants.STORAGE_RETURNS);
    }

    /** "A reader that is slow to consume keeps nobody else from reading": what was read ahead stays taken. */
    @Test
    void roomThatIsNotGivenBackIsMissed() {
        ObjectParts parts = new ObjectParts() {
            @Override
            public ObjectGet get(Volume volume, Inode inode, long offset, long length, ObjectGet.Room room) {
                return new ObjectGet(volume, inode, offset, length, new ObjectGet.Room() {
                    @Override
                    public boolean take(int bytes) {
                        return room.take(bytes);
                    }

                    @Override
                    public void giveBack(int bytes) {}
                });
            }
        };
        assertThat(found(parts)).isEqualTo(ObjectInvariants.ROOM_RETURNS);
    }

    private interface Hearing {
        Optional<Fact> hear(Fact fact);
    }

    private static ObjectParts altering(Hearing hearing) {
        return new ObjectParts() {
            @Override
            public ProtocolServer extents(int node, ExtentLimits limits) {
                return new AlteringServer(new ExtentServer(node, limits)) {
                    @Override
                    public List<Effect> onFact(long nowMillis, Fact fact) {
                        Optional<Fact> heard = hearing.hear(fact);
                        return heard.isEmpty() ? List.of() : super.onFact(nowMillis, heard.get());
                    }

                    @Override
                    protected List<Effect> alter(long nowMillis, Effect effect) {
                        return List.of(effect);
                    }
                };
            }
        };
    }

    private static Invariant found(ObjectParts parts) {
        for (long seed = 1; seed <= SEEDS_MAX; seed++) {
            try {
                Optional<Invariant> violated = new Run(new ObjectProtocol(parts, Protocol.FP), SHAPE.setting(seed))
                        .go()
                        .map(InvariantViolation::invariant);
                if (violated.isPresent()) {
                    return violated.get();
                }
            } catch (MalformedException believed) {
                // What one replica said was no reply at all, before the run had begun.
                return Invariant.NEVER_THROWS;
            }
        }
        throw new AssertionError("not found within " + SEEDS_MAX + " seeds");
    }

    /** Is done, and sends no more, once one node has acknowledged. */
    private static final class HastyWrite implements ClientOperation<WriteOutcome> {
        private final ExtentWrite write;
        private boolean done;

        HastyWrite(ExtentWrite write) {
            this.write = write;
        }

        @Override
        public List<Effect> start(long nowMillis) {
            return write.start(nowMillis);
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            done |= message instanceof ExtentMessage.Acknowledged;
            return write.onMessage(nowMillis, from, message);
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            return write.onTick(nowMillis);
        }

        @Override
        public Optional<WriteOutcome> outcome() {
            return done ? Optional.of(new WriteOutcome.Complete(write.pin(), 1)) : write.outcome();
        }

        @Override
        public boolean finished() {
            return done || write.finished();
        }
    }
}
