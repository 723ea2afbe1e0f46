package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Mutation;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests a version that is committed at one node alone and staged at all correct ones. A liar shows a reader others,
 * which nobody can complete: two of the correct nodes have staged them for a faulty client and can prove them, and the
 * third does not see them. The reader must not ask for repairs of these alone.
 */
@NullMarked
class FpReaderAttackTest {
    private static final PrincipalId READER = PrincipalId.client(42);
    private static final PrincipalId LIAR = PrincipalId.node(0);
    private static final PrincipalId NOT_SHOWN = PrincipalId.node(2);
    private static final FpLimits LIMITS = new FpLimits(64, 16, 2, 1_000, 50, 100, 64, 10_000, 3_000);

    private final LocalNodes nodes = new LocalNodes(1, 2, LIMITS);
    private final Timestamp version = new Timestamp(20, nodes.encode(1).fpcc());
    private final Map<Timestamp, FpMessage.ReadAnswer> fakes = new LinkedHashMap<>();
    private final Map<Timestamp, Integer> asked = new TreeMap<>();

    private void written() {
        nodes.write(4, 4, 0, 1, 2, 3);
        List<FpMessage.Prepared> prepares = List.of(
                (FpMessage.Prepared) nodes.one(CLIENT, nodes.fragment(1, 20, 1)),
                (FpMessage.Prepared) nodes.one(CLIENT, nodes.fragment(2, 20, 1)),
                (FpMessage.Prepared) nodes.one(CLIENT, nodes.wholeBlock(3, 20, 1)));
        assertThat(nodes.one(CLIENT, nodes.commit(2, 1, prepares))).isInstanceOf(FpMessage.Committed.class);
    }

    /** Prepared at the liar and at one or two correct nodes, which the liar shows what it has. */
    private void fake(long ts) {
        int seed = (int) ts;
        Timestamp fake = new Timestamp(ts, nodes.encode(seed).fpcc());
        List<HeldVersion.SlotNonce> nonces = new ArrayList<>();
        for (int slot : List.of(0, 1)) {
            FpMessage.Prepared prepared = (FpMessage.Prepared) nodes.one(CLIENT, nodes.fragment(slot, ts, seed));
            nonces.add(new HeldVersion.SlotNonce(slot, prepared.nonce()));
        }
        FpMessage.Prepared third = (FpMessage.Prepared) nodes.one(CLIENT, nodes.wholeBlock(3, ts, seed));
        nonces.add(new HeldVersion.SlotNonce(3, third.nonce()));
        HeldVersion held = nodes.holding(0, fake);
        HeldVersion shown = new HeldVersion(held.fragment(), held.cc(), held.nonceHash(), nonces, false);
        fakes.put(fake, new FpMessage.ReadAnswer(nodes.group.target(0), fake.version(), fake, shown));
    }

    /** The liar takes part in nothing but answering reads, and tells one node nothing. */
    private void lie() {
        nodes.lost = arrival -> {
            if (arrival.from().equals(READER) && arrival.message() instanceof FpMessage.Repair of) {
                asked.merge(of.wanted(), 1, Integer::sum);
            }
            boolean hidden = (arrival.from().equals(LIAR) && arrival.to().equals(NOT_SHOWN))
                    || (arrival.to().equals(LIAR) && arrival.from().equals(NOT_SHOWN));
            boolean more = arrival.from().equals(LIAR)
                    && (arrival.message() instanceof FpMessage.RepairMac
                            || arrival.message() instanceof FpMessage.Request
                            || (arrival.message() instanceof FpMessage.FoundTimestamp
                                    && arrival.to().equals(READER)));
            return hidden || more;
        };
    }

    /** Makes the liar claim that it had committed each fake. */
    private void swear() {
        fakes.forEach((fake, answer) -> {
            HeldVersion shown = Objects.requireNonNull(answer.holding());
            VersionRecord sworn = new VersionRecord(fake, 1, true, shown.cc(), CLIENT, SESSION, shown.nonces());
            nodes.putOnDisk(0, sworn);
            nodes.disk(0).apply(new Mutation.UpdateMeta(sworn.key(nodes.group.block()), sworn.encoded()));
        });
        nodes.restart(0);
    }

    /** Read to which the liar shows one version after the other, repeatedly. */
    private final class Shown implements ClientOperation<FpReadOutcome> {
        private final FpRead read = FpRead.withWriteBack(nodes.group, SESSION, new Timeouts(100, 400, 0, 120_000));
        private int turn;

        @Override
        public List<Effect> start(long nowMillis) {
            return read.start(nowMillis);
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            return read.onMessage(nowMillis, from, message);
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            List<Effect> effects = new ArrayList<>(read.onTick(nowMillis));
            List<FpMessage.ReadAnswer> all = List.copyOf(fakes.values());
            effects.addAll(read.onMessage(nowMillis, LIAR, all.get(turn++ % all.size())));
            return effects;
        }

        @Override
        public Optional<FpReadOutcome> outcome() {
            return read.outcome();
        }

        @Override
        public boolean isFinished() {
            return read.isFinished();
        }
    }

    private long read() {
        lie();
        swear();
        ClientOperation<FpReadOutcome> read = nodes.run(READER, new Shown());
        long begun = nodes.now;
        while (read.outcome().isEmpty()) {
            swear();
            nodes.pass(50);
        }
        assertThat(read.outcome()).get().isInstanceOf(FpReadOutcome.Value.class);
        assertThat(((FpReadOutcome.Value) read.outcome().orElseThrow()).timestamp())
                .isEqualTo(version);
        return nodes.now - begun;
    }

    @Test
    void aLaterOneThatNobodyCanCompleteKeepsNoReaderFromAskingForTheOther() {
        written();
        fake(21);
        assertThat(read()).isLessThan(5_000);
    }

    @Test
    void asManyAsALiarMayBringUpAboveKeepNoReaderWaiting() {
        written();
        for (long ts = 21; ts < 25; ts++) {
            fake(ts);
        }
        assertThat(read()).isLessThan(20_000);
    }

    @Test
    void asManyAboveAndBelowKeepNoReaderWaiting() {
        written();
        for (long ts = 21; ts < 25; ts++) {
            fake(ts - 6);
            fake(ts);
        }
        assertThat(read()).isLessThan(40_000);
        // The one in between may be repaired by then, as what f + 1 have proven is proven to all.
        assertThat(asked.keySet().stream().map(Timestamp::ts))
                .anyMatch(ts -> ts > 20)
                .anyMatch(ts -> ts < 20);
    }
}
