package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.kernel.Failure;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** c_read and c_find_block, answer by answer, some of them lies. */
@NullMarked
class FpReadTest {
    private static final Timeouts TIMES = new Timeouts(100, 300, 0, 20_000);

    private LocalNodes nodes = new LocalNodes(1, 2);
    private FpRead read = FpRead.withWriteBack(nodes.group, SESSION, TIMES);
    private final List<Effect> effects = new ArrayList<>();
    private long now = 1;

    @PlantedBug(
            in = LatestReports.class,
            rule = "a timestamp qualifies by 2f + 1 reports",
            replace = "count(first, report -> !report.isAfter(candidate)) >= group.policy().timestampQuorum()",
            with = "count(first, report -> !report.isAfter(candidate)) >= group.policy().timestampQuorum() - 1")
    @Test
    void oneRoundIsEnoughWhereNothingIsWrong() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        start();
        assertThat(slots(FpMessage.FindTimestamp.class, FpMessage.FindTimestamp::withFragment))
                .containsExactly(0, 1);
        assertThat(slots(FpMessage.FindTimestamp.class, m -> !m.withFragment())).containsExactly(2);
        honest(0, true);
        honest(1, true);
        assertThat(read.outcome()).isEmpty();
        honest(2, false);
        assertValue(version, 1);
        assertThat(sends()).hasSize(3);
    }

    @PlantedBug(
            in = LatestReports.class,
            rule = "only the first 3f + 1 slots report",
            replace = "slot < group.policy().timestampSlots(); slot++) { Timestamp report = reports[slot];",
            with = "slot < reports.length; slot++) { Timestamp report = reports[slot];")
    @Test
    void onlyTheFirst3fPlus1SlotsCount() {
        use(new LocalNodes(1, 4));
        start();
        for (int slot : new int[] {0, 1, 4, 5}) {
            answer(slot, new FpMessage.FoundTimestamp(nodes.group.target(slot), Timestamp.NONE, null));
        }
        assertThat(read.outcome()).isEmpty();
        answer(0, new FpMessage.FoundTimestamp(nodes.group.target(0), Timestamp.NONE, null));
        assertThat(read.outcome()).isEmpty();
        answer(3, new FpMessage.FoundTimestamp(nodes.group.target(3), Timestamp.NONE, null));
        assertThat(read.outcome()).containsInstanceOf(FpReadOutcome.NeverWritten.class);
    }

    @Test
    void aTimestampThatNobodyCanProveIsNotReturned() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        Timestamp fake = new Timestamp(9, nodes.encode(7).fpcc());
        HeldVersion made = new HeldVersion(
                nodes.encode(7).fragments().getFirst(),
                null,
                Hashes.sha256(SampleMessages.filled(32, 1)),
                List.of(new HeldVersion.SlotNonce(0, SampleMessages.filled(32, 1))),
                false);
        start();
        answer(0, new FpMessage.FoundTimestamp(nodes.group.target(0), fake, made));
        honest(1, true);
        honest(2, false);
        assertThat(read.outcome()).isEmpty();
        assertThat(slots(FpMessage.FindTimestamp.class, m -> true)).contains(3);
        answer(3, new FpMessage.FoundTimestamp(nodes.group.target(3), Timestamp.NONE, null));
        ask(FpMessage.Read.class, version);
        writeBackHonestly();
        assertValue(version, 1);
    }

    /** Each of two liars answers everything with another later timestamp, for which all slots are asked. */
    @Test
    void liarsWithEverLaterTimestampsDoNotMultiplyTheMessages() {
        use(new LocalNodes(2, 3));
        start();
        for (int slot = 2; slot < 5; slot++) {
            answer(slot, new FpMessage.FoundTimestamp(nodes.group.target(slot), Timestamp.NONE, null));
        }
        int seen = 0;
        while (seen < sends().size() && seen < 5_000) {
            Effect.Send send = sends().get(seen++);
            for (int liar = 0; liar < 2; liar++) {
                if (!send.to().equals(nodes.group.node(liar))) {
                    continue;
                }
                Timestamp later = new Timestamp(100 + seen, nodes.encode(7).fpcc());
                if (send.message() instanceof FpMessage.Read asked) {
                    answer(liar, new FpMessage.ReadAnswer(asked.target(), asked.version(), later, null));
                } else if (send.message() instanceof FpMessage.FindTimestamp asked) {
                    answer(liar, new FpMessage.FoundTimestamp(asked.target(), later, null));
                }
            }
        }
        assertThat(seen).isLessThan(200);
        assertThat(read.outcome()).isEmpty();
    }

    @PlantedBug(
            in = BlockCode.class,
            rule = "a reader checks fragments against fpcc",
            replace = "if (fpcc.isConsistent(code, slot, share.fragment())) {",
            with = "if (true) {")
    @Test
    void whatTheVersionsBytesAreNotIsCorruptAndMasked() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        HeldVersion right = nodes.holding(0, version);
        Bytes wrong = nodes.encode(2).fragments().getFirst();
        start();
        answer(0, found(version, new HeldVersion(wrong, null, right.nonceHash(), right.nonces(), false)));
        honest(1, true);
        honest(2, false);
        ask(FpMessage.Read.class, version);
        assertValue(version, 1);
        assertCorrupt(0);
        assertThat(slots(FpMessage.Repair.class, m -> m.wanted().equals(version)))
                .contains(0);
    }

    @Test
    void fragmentsWithAnotherCrossChecksumAreTriedGroupByGroup() {
        // A poisonous write: the hash of slot 1 in fpcc is wrong, so node 1 holds its fragment with a cc of its own.
        Fpcc poisoned = Poison.of(nodes.group.code(), nodes.encode(1), 1);
        Timestamp version = new Timestamp(5, poisoned);
        List<FpMessage.Prepared> prepares = new ArrayList<>();
        for (int slot = 0; slot < 3; slot++) {
            prepares.add((FpMessage.Prepared) nodes.one(
                    CLIENT,
                    new FpMessage.PrepareBlock(nodes.group.target(slot), SESSION, 5, poisoned, nodes.block(1))));
        }
        for (int slot = 0; slot < 3; slot++) {
            FpMessage.Commit commit = nodes.commit(slot, 1, prepares);
            assertThat(nodes.one(
                            CLIENT, new FpMessage.Commit(commit.target(), SESSION, 5, poisoned, commit.prepares())))
                    .isInstanceOf(FpMessage.Committed.class);
        }
        // Node 0 lies: the fragment of another block, with a cross-checksum that fits it.
        HeldVersion right = nodes.holding(0, version);
        List<Bytes> otherCc = nodes.group.code().erasureCode().encode(nodes.block(2), 4).stream()
                .map(Hashes::sha256)
                .toList();
        Bytes other = nodes.encode(2).fragments().getFirst();
        start();
        answer(0, found(version, new HeldVersion(other, otherCc, right.nonceHash(), right.nonces(), false)));
        honest(1, true);
        honest(2, false);
        ask(FpMessage.Read.class, version);
        assertValue(version, 1);
        assertCorrupt(0);
    }

    @Test
    void aRedirectIsFollowed() {
        Timestamp old = nodes.write(5, 1, 0, 1);
        start();
        honest(0, true);
        FpMessage found1 = nodes.one(CLIENT, new FpMessage.FindTimestamp(nodes.group.target(1), false));
        nodes.write(6, 2, 0, 1, 2);
        nodes.write(7, 3, 0, 1, 2);
        Timestamp last = nodes.write(8, 4, 0, 1, 2);
        answer(1, found1);
        answer(2, new FpMessage.FoundTimestamp(nodes.group.target(2), Timestamp.NONE, null));
        // Version 5 is gone everywhere; the answers name version 8.
        assertThat(old.isAfter(last)).isFalse();
        ask(FpMessage.Read.class, old);
        ask(FpMessage.Read.class, last);
        assertValue(last, 4);
    }

    @Test
    void aReporterOfAnotherShapeIsNotCounted() {
        nodes.write(5, 1, 0, 1, 2);
        Fpcc shorter = nodes.group.code().encode(nodes.block(1).slice(0, 100)).fpcc();
        start();
        answer(0, new FpMessage.FoundTimestamp(nodes.group.target(0), new Timestamp(99, shorter), null));
        assertThat(effects)
                .anyMatch(effect -> effect instanceof Effect.Evidence evidence
                        && evidence.verdict() == Verdict.MISBEHAVED
                        && evidence.about().equals(nodes.group.node(0)));
    }

    /** Without the nonces, f + 1 reports of one timestamp still prove that it came from a client. */
    @Test
    void moreThanFReportsProveAVersion() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        start();
        for (int slot = 0; slot < 3; slot++) {
            HeldVersion held = nodes.holding(slot, version);
            HeldVersion bare = new HeldVersion(held.fragment(), null, held.nonceHash(), List.of(), false);
            answer(slot, new FpMessage.FoundTimestamp(nodes.group.target(slot), version, slot < 2 ? bare : null));
        }
        assertValue(version, 1);
    }

    @Test
    void fRefusalsEndNoReadAndMoreDoAfterAWhile() {
        start();
        refuse(0, RequestKind.FIND_TIMESTAMP, FpRefusal.NO_GRANT, 1);
        refuse(1, RequestKind.PREPARE, FpRefusal.NO_GRANT, 1);
        refuse(2, RequestKind.COMMIT, FpRefusal.NO_GRANT, 1);
        tick(700);
        assertThat(read.outcome()).as("one has refused the read").isEmpty();
        refuse(1, RequestKind.FIND_TIMESTAMP, FpRefusal.NO_GRANT, 1);
        assertThat(read.outcome()).contains(new FpReadOutcome.Failed(Failure.NO_GRANT));
    }

    @Test
    void refusalsAreGivenTimeAndALaterEpochIsNot() {
        start();
        refuse(0, RequestKind.FIND_TIMESTAMP, FpRefusal.NO_GRANT, 1);
        refuse(1, RequestKind.FIND_TIMESTAMP, FpRefusal.NO_GRANT, 1);
        assertThat(read.outcome()).isEmpty();
        read = FpRead.withWriteBack(nodes.group, SESSION, TIMES);
        start();
        refuse(0, RequestKind.FIND_TIMESTAMP, FpRefusal.OTHER_EPOCH, 2);
        assertThat(read.outcome()).isEmpty();
        refuse(1, RequestKind.FIND_TIMESTAMP, FpRefusal.OTHER_EPOCH, 2);
        assertThat(read.outcome()).contains(new FpReadOutcome.Failed(Failure.OTHER_EPOCH));
    }

    /** Nothing else is wanted of them any more. */
    @Test
    void whenOneNamesALaterEpochThoseWhoHaveAnsweredAreAskedAgain() {
        nodes.write(5, 1, 0, 1);
        start();
        honest(0, true);
        honest(1, true);
        refuse(2, RequestKind.FIND_TIMESTAMP, FpRefusal.OTHER_EPOCH, 2);
        effects.clear();
        tick(400);
        assertThat(slots(FpMessage.FindTimestamp.class, m -> !m.withFragment())).contains(0, 1);
        refuse(1, RequestKind.FIND_TIMESTAMP, FpRefusal.OTHER_EPOCH, 2);
        assertThat(read.outcome()).contains(new FpReadOutcome.Failed(Failure.OTHER_EPOCH));
    }

    @Test
    void aReaderWhoseSessionMayNotWriteAsksForRepair() {
        Timestamp version = nodes.write(5, 1, 0, 1);
        ClientOperation<FpReadOutcome> running = nodes.run(CLIENT, FpRead.withWriteBack(nodes.group, 99, TIMES));
        nodes.pass(5_000);
        assertThat(running.outcome())
                .contains(new FpReadOutcome.Value(version, nodes.group.trimmed(nodes.block(1)), nodes.block(1)));
        assertThat(nodes.latest(2)).isEqualTo(version);
    }

    @Test
    void aReadThatIsNotAnsweredIsSentAgain() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        start();
        for (int slot = 0; slot < 3; slot++) {
            answer(slot, new FpMessage.FoundTimestamp(nodes.group.target(slot), version, null));
        }
        List<Integer> first = slots(FpMessage.Read.class, m -> m.version().equals(version.version()));
        assertThat(first).contains(0, 1, 2);
        tick(400);
        assertThat(slots(FpMessage.Read.class, m -> m.version().equals(version.version())))
                .filteredOn(first::contains)
                .hasSizeGreaterThanOrEqualTo(2 * first.size());
    }

    @Test
    void withoutAnswersTheReadEndsInTime() {
        start();
        tick(150);
        assertThat(slots(FpMessage.FindTimestamp.class, m -> true)).contains(3);
        assertThat(effects).noneMatch(Effect.Evidence.class::isInstance);
        for (int times = 0; times < 10; times++) {
            tick(300);
        }
        assertThat(effects.stream().filter(Effect.Evidence.class::isInstance))
                .as("said once")
                .hasSize(4);
        tick(30_000);
        assertThat(read.outcome()).contains(new FpReadOutcome.Failed(Failure.TIMED_OUT));
        assertThat(read.isFinished()).isTrue();
    }

    @Test
    void aWholeReadThroughRealNodesWithOneCutOff() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        nodes.cutOff.add(0);
        ClientOperation<FpReadOutcome> running = nodes.run(CLIENT, FpRead.withRepairRequests(nodes.group, TIMES));
        nodes.pass(2_000);
        assertThat(running.outcome())
                .contains(new FpReadOutcome.Value(version, nodes.group.trimmed(nodes.block(1)), nodes.block(1)));
    }

    private void refuse(int slot, RequestKind asked, FpRefusal refusal, long epoch) {
        answer(slot, new FpMessage.Refused(nodes.group.target(slot), asked, 0, refusal, epoch));
    }

    private void use(LocalNodes other) {
        nodes = other;
        read = FpRead.withWriteBack(nodes.group, SESSION, TIMES);
    }

    private void start() {
        effects.addAll(read.start(now));
    }

    private void tick(long millis) {
        now += millis;
        effects.addAll(read.onTick(now));
    }

    private void answer(int slot, FpMessage message) {
        effects.addAll(read.onMessage(++now, nodes.group.node(slot), message));
    }

    /** Delivers the answer of the node itself. */
    private void honest(int slot, boolean withFragment) {
        answer(slot, nodes.one(CLIENT, new FpMessage.FindTimestamp(nodes.group.target(slot), withFragment)));
    }

    /** Lets the nodes answer the READs of a version that were sent. */
    private void ask(Class<FpMessage.Read> type, Timestamp version) {
        tick(150);
        for (Effect.Send send : sends()) {
            if (type.isInstance(send.message())
                    && type.cast(send.message()).version().equals(version.version())) {
                FpMessage.Request request = (FpMessage.Request) send.message();
                answer(request.target().slot(), nodes.one(CLIENT, request));
            }
        }
    }

    private void writeBackHonestly() {
        for (int round = 0; round < 3; round++) {
            for (Effect.Send send : sends()) {
                if (send.message() instanceof FpMessage.Prepare || send.message() instanceof FpMessage.Commit) {
                    FpMessage.Request request = (FpMessage.Request) send.message();
                    answer(request.target().slot(), nodes.one(CLIENT, request));
                }
            }
        }
    }

    private FpMessage.FoundTimestamp found(Timestamp latest, @Nullable HeldVersion holding) {
        return new FpMessage.FoundTimestamp(nodes.group.target(0), latest, holding);
    }

    private List<Effect.Send> sends() {
        return effects.stream()
                .filter(Effect.Send.class::isInstance)
                .map(Effect.Send.class::cast)
                .toList();
    }

    private <M extends FpMessage> List<Integer> slots(Class<M> type, Predicate<M> which) {
        return sends().stream()
                .map(Effect.Send::message)
                .filter(type::isInstance)
                .map(type::cast)
                .filter(which)
                .map(message -> message.target().slot())
                .toList();
    }

    private void assertValue(Timestamp version, int seed) {
        assertThat(read.outcome())
                .contains(new FpReadOutcome.Value(version, nodes.group.trimmed(nodes.block(seed)), nodes.block(seed)));
    }

    private void assertCorrupt(int slot) {
        assertThat(effects.stream()
                        .filter(Effect.Evidence.class::isInstance)
                        .map(Effect.Evidence.class::cast)
                        .filter(evidence -> evidence.verdict() == Verdict.CORRUPT)
                        .map(Effect.Evidence::about))
                .containsExactly(nodes.group.node(slot));
    }
}
