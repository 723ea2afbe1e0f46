package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.fingerprint.Share;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Schedules aimed at one rule of docs/protocols/fp.md each: epochs, closings and what races with them, quorums one by one. */
@NullMarked
class FpRulesTest {
    private static final Timeouts TIMES = new Timeouts(100, 300, 0, 20_000);

    private final LocalNodes nodes = new LocalNodes(1, 2);
    private final List<Effect> effects = new ArrayList<>();

    @PlantedBug(
            in = FpWrite.class,
            rule = "a register write is done at m + f OKs",
            replace = "committed >= group.policy().writeQuorum()",
            with = "committed >= group.policy().writeQuorum() - 1")
    @Test
    void aWriteIsDoneAtMPlusFOksAndNotBefore() {
        FpWrite write = new FpWrite(nodes.group, SESSION, nodes.block(1), TIMES);
        effects.addAll(write.start(1));
        IntStream.range(0, 3).forEach(slot -> answer(write, nodes.one(CLIENT, nodes.fragment(slot, 0, 1))));
        Timestamp version = new Timestamp(1, nodes.encode(1).fpcc());
        for (int slot = 0; slot < 3; slot++) {
            assertThat(write.outcome()).as("before OK number %d", slot + 1).isEmpty();
            answer(write, new FpMessage.Committed(nodes.group.target(slot), version.version()));
        }
        assertThat(write.outcome()).contains(new FpWriteOutcome.Written(version));
    }

    /** A complete write that one of the three answers does not show, and a liar hides: the write-back must wait for three. */
    @PlantedBug(
            in = LatestReports.class,
            rule = "2f + 1 claims are needed to leave out the write-back",
            replace = "count(greatest, report -> !version.isAfter(report)) >= group.policy().timestampQuorum()",
            with = "count(greatest, report -> !version.isAfter(report)) >= group.policy().timestampQuorum() - 1")
    @Test
    void whatTwoOfThreeClaimIsWrittenBack() {
        Timestamp version = nodes.write(5, 1, 0, 1);
        FpRead read = FpRead.withWriteBack(nodes.group, SESSION, TIMES);
        effects.addAll(read.start(1));
        IntStream.range(0, 3)
                .forEach(slot -> answer(
                        read, nodes.one(CLIENT, new FpMessage.FindTimestamp(nodes.group.target(slot), slot < 2))));
        assertThat(read.outcome()).as("two claims of %s", version).isEmpty();
    }

    /** Two of three answers are below: if the third is above, or lies, nothing is known of the other write. */
    @PlantedBug(
            in = FpRead.class,
            rule = "a version is returned only if no greater one may be complete",
            replace = "if (reports.qualifies(attempt.version)) {",
            with = "if (true) {")
    @Test
    void aTimestampQualifiesByThreeReports() {
        nodes.write(5, 1, 0, 1, 2);
        FpRead read = FpRead.withWriteBack(nodes.group, SESSION, TIMES);
        effects.addAll(read.start(1));
        IntStream.range(0, 2)
                .forEach(slot ->
                        answer(read, nodes.one(CLIENT, new FpMessage.FindTimestamp(nodes.group.target(slot), true))));
        assertThat(read.outcome()).isEmpty();
        assertThat(effects.stream().filter(FpRulesTest::isPrepare))
                .as("nothing is written back")
                .isEmpty();
    }

    @PlantedBug(
            in = LatestReports.class,
            rule = "2f + 1 reports are needed for \"never written\"",
            replace = "count(first, Timestamp::isNone) >= group.policy().timestampQuorum()",
            with = "count(first, Timestamp::isNone) >= group.policy().timestampQuorum() - 1")
    @Test
    void twoReportsOfNothingAreNotEnough() {
        FpRead read = FpRead.withRepairRequests(nodes.group, TIMES);
        read.start(1);
        for (int slot = 0; slot < 3; slot++) {
            assertThat(read.outcome()).isEmpty();
            answer(read, new FpMessage.FoundTimestamp(nodes.group.target(slot), Timestamp.NONE, null));
        }
        assertThat(read.outcome()).containsInstanceOf(FpReadOutcome.NeverWritten.class);
    }

    /** Versions of the other nodes are still tried, whatever one node reports. */
    @PlantedBug(
            in = FpRead.class,
            rule = "one liar's timestamps displace only its own",
            replace = "if (attempt.introducers.isEmpty() && !version.equals(wanted) && attempt != writtenBack) {",
            with = "if (true) {")
    @Test
    void aLiarsTimestampsPushOutOnlyItsOwn() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        FpRead read = FpRead.withWriteBack(nodes.group, SESSION, TIMES);
        read.start(1);
        IntStream.range(0, 2)
                .forEach(slot ->
                        answer(read, nodes.one(CLIENT, new FpMessage.FindTimestamp(nodes.group.target(slot), true))));
        for (int lie = 0; lie < 20; lie++) {
            answer(read, new FpMessage.ReadAnswer(nodes.group.target(1), version.version(), version, null));
            Timestamp made = new Timestamp(100 + lie, nodes.encode(lie).fpcc());
            answer(read, new FpMessage.ReadAnswer(nodes.group.target(3), version.version(), made, null));
            answer(read, new FpMessage.RepairAnswer(nodes.group.target(0), made));
        }
        answer(read, nodes.one(CLIENT, new FpMessage.FindTimestamp(nodes.group.target(2), false)));
        assertThat(read.outcome())
                .hasValueSatisfying(outcome -> assertThat(outcome)
                        .isInstanceOfSatisfying(
                                FpReadOutcome.Value.class,
                                value -> assertThat(value.timestamp()).isEqualTo(version)));
    }

    @PlantedBug(
            in = PrepareTag.class,
            rule = "two versions of one timestamp have different nonces",
            replace = "version.write(out); return keys.own(out.toBytes());",
            with = "return keys.own(out.i64(version.ts()).toBytes());")
    @Test
    void theNonceNamesTheBlockAndTheVersion() {
        Timestamp one = new Timestamp(5, nodes.encode(1).fpcc());
        Bytes nonce = PrepareTag.nonce(nodes.keysOf(0), nodes.group.block(), one);
        Timestamp sameTs = new Timestamp(5, nodes.encode(2).fpcc());
        BlockId other = BlockId.register(LocalNodes.VOLUME, 8);
        assertThat(PrepareTag.nonce(nodes.keysOf(0), nodes.group.block(), sameTs))
                .isNotEqualTo(nonce);
        assertThat(PrepareTag.nonce(nodes.keysOf(0), other, one)).isNotEqualTo(nonce);
        assertThat(PrepareTag.nonce(nodes.keysOf(1), nodes.group.block(), one)).isNotEqualTo(nonce);
    }

    @Test
    void twoVersionsOfOneTsAreKeptApart() {
        nodes.one(CLIENT, nodes.fragment(0, 5, 1));
        nodes.one(CLIENT, nodes.fragment(0, 5, 2));
        for (int seed = 1; seed <= 2; seed++) {
            BlockCode.Encoded encoded = nodes.encode(seed);
            assertThat(nodes.holding(0, new Timestamp(5, encoded.fpcc())).fragment())
                    .isEqualTo(encoded.fragments().getFirst());
        }
    }

    @PlantedBug(
            in = FpCodec.class,
            rule = "a COMMIT names each slot once",
            replace = "last = ascending(last, in.u8()); prepares.add(",
            with = "last = in.u8(); prepares.add(")
    @Test
    void aCommitThatNamesASlotTwiceIsMalformed() {
        FpMessage.Commit right = nodes.commit(0, 1, nodes.prepare(3, 5, 1));
        FpMessage.PrepareMac first = right.prepares().getFirst();
        FpMessage.Commit twice =
                new FpMessage.Commit(right.target(), SESSION, right.ts(), right.fpcc(), List.of(first, first, first));
        FpCodec codec = new FpCodec();
        WireWriter out = new WireWriter();
        codec.write(twice, out);
        assertThatThrownBy(() -> codec.read(codec.typeOf(twice), new WireReader(out.toBytes())))
                .isInstanceOf(MalformedException.class);
    }

    @PlantedBug(
            in = FpPrepare.class,
            rule = "a prepare that is under way does not pass the closing of its session",
            replace = "if (node.access().isClosing(session)) {",
            with = "if (false) {")
    @Test
    void aPrepareThatWaitedIsRefusedOnceItsSessionIsClosed() {
        nodes.one(CLIENT, nodes.fragment(0, 1, 1));
        nodes.holdStores = true;
        nodes.ask(CLIENT, nodes.fragment(0, 5, 2));
        nodes.ask(CLIENT, nodes.fragment(0, 6, 3));
        nodes.session(SESSION, SessionState.CLOSED);
        nodes.answers.clear();
        nodes.releaseStores();
        assertThat(nodes.answers)
                .filteredOn(answer -> answer instanceof FpMessage.Refused)
                .singleElement()
                .isEqualTo(refusal(0, RequestKind.PREPARE, 6, FpRefusal.SESSION_CLOSED, 1));
        assertThat(nodes.versionsOnDisk(0)).as("what was let in in time stays").isEqualTo(2);
    }

    @Test
    void aCommitThatWaitedIsRefusedInALaterEpoch() {
        List<FpMessage.Prepared> prepares = nodes.prepare(3, 5, 1);
        nodes.holdStores = true;
        nodes.ask(CLIENT, nodes.fragment(0, 6, 2));
        nodes.ask(CLIENT, nodes.commit(0, 1, prepares));
        nodes.epoch(2);
        nodes.answers.clear();
        nodes.releaseStores();
        // It is refused at once; the later epoch is served once that is durable.
        assertThat(nodes.answers).contains(refusal(0, RequestKind.COMMIT, 5, FpRefusal.OTHER_EPOCH, 1));
    }

    @PlantedBug(
            in = FpAccess.class,
            rule = "a register map of an older epoch is ignored",
            replace = "volumes.merge(volume.id(), volume, FpAccess::later)",
            with = "volumes.put(volume.id(), volume)")
    @Test
    void anOlderEpochIsRefusedWhateverMapComesLater() {
        FpMessage.FindTimestamp old = new FpMessage.FindTimestamp(nodes.group.target(0), false);
        nodes.one(CLIENT, old);
        nodes.epoch(2);
        assertThat(nodes.one(CLIENT, old))
                .isEqualTo(refusal(0, RequestKind.FIND_TIMESTAMP, 0, FpRefusal.OTHER_EPOCH, 2));
        nodes.epoch(1);
        assertThat(nodes.one(CLIENT, old))
                .isEqualTo(refusal(0, RequestKind.FIND_TIMESTAMP, 0, FpRefusal.OTHER_EPOCH, 2));
        Target now = new Target(nodes.group.block(), 2, 0);
        assertThat(nodes.one(CLIENT, new FpMessage.FindTimestamp(now, false)))
                .isInstanceOf(FpMessage.FoundTimestamp.class);
    }

    @PlantedBug(
            in = FpAccess.class,
            rule = "a register request for another slot is refused",
            replace = "if (group.slotOf(self) != target.slot()) {",
            with = "if (group.slotOf(self) < 0) {")
    @Test
    void aRequestForAnotherSlotIsRefused() {
        FpMessage.FindTimestamp forSlot1 = new FpMessage.FindTimestamp(nodes.group.target(1), false);
        nodes.one(CLIENT, forSlot1);
        assertThat(nodes.askNode(0, CLIENT, forSlot1))
                .containsExactly(refusal(1, RequestKind.FIND_TIMESTAMP, 0, FpRefusal.WRONG_SLOT, 1));
    }

    /** The MACs came in time, the commit with them had to wait, and the epoch that they are good for is over. */
    @Test
    void aRepairThatWaitedAdoptsNothingInALaterEpoch() {
        Timestamp version = nodes.write(5, 1, 0, 1, 2);
        nodes.holdStores = true;
        nodes.ask(CLIENT, new FpMessage.Repair(nodes.group.target(3), version));
        nodes.cutOff.addAll(List.of(0, 1, 2));
        nodes.releaseStores();
        nodes.holdStores = true;
        nodes.ask(CLIENT, nodes.wholeBlock(3, 6, 2));
        nodes.cutOff.clear();
        nodes.pass(1_000);
        nodes.epoch(2);
        nodes.releaseStores();
        Target now = new Target(nodes.group.block(), 2, 3);
        FpMessage.FoundTimestamp found =
                (FpMessage.FoundTimestamp) nodes.one(CLIENT, new FpMessage.FindTimestamp(now, false));
        assertThat(found.latest()).isEqualTo(Timestamp.NONE);
        // The next repair runs, in the later epoch.
        nodes.ask(CLIENT, new FpMessage.Repair(now, version));
        nodes.pass(1_000);
        assertThat(nodes.answers).contains(new FpMessage.RepairAnswer(now, version));
    }

    @Test
    void overwrittenVersionsAreKeptOnTheWritersAccount() {
        int kept = 0;
        for (int number = 20; number < 28; number++) {
            for (long ts = 1; ts <= 3; ts++) {
                writeAt0(number, ts, (int) ts);
                kept = nodes.versionsOnDisk(0) - (number - 19);
                assertThat(kept).as("on one account").isLessThanOrEqualTo(LocalNodes.LIMITS.stagedPerClient());
            }
        }
        assertThat(kept).isGreaterThanOrEqualTo(2);
    }

    @PlantedBug(
            in = FpGroup.class,
            rule = "a node answers for its own slot only",
            replace = "target.epoch() == placement.epoch() && target.slot() == slot ? slot : -1",
            with = "target.epoch() == placement.epoch() && slot >= 0 ? target.slot() : -1")
    @Test
    void aNodeAnswersForItsOwnSlotOnly() {
        FpRead read = FpRead.withRepairRequests(nodes.group, TIMES);
        read.start(1);
        for (int slot = 0; slot < 3; slot++) {
            FpMessage none = new FpMessage.FoundTimestamp(nodes.group.target(slot), Timestamp.NONE, null);
            read.onMessage(2, nodes.group.node(0), none);
        }
        assertThat(read.outcome()).isEmpty();
    }

    @PlantedBug(
            in = FpRead.class,
            rule = "a read ends only after its write-back is complete",
            replace = "back.outcome().orElse(null) instanceof FpWriteOutcome.Written",
            with = "true")
    @Test
    void aWriteBackThatIsUnderWayIsNotEnough() {
        Timestamp version = nodes.write(5, 1, 0, 1);
        FpRead read = FpRead.withWriteBack(nodes.group, SESSION, TIMES);
        effects.addAll(read.start(1));
        IntStream.range(0, 3)
                .forEach(slot -> answer(
                        read, nodes.one(CLIENT, new FpMessage.FindTimestamp(nodes.group.target(slot), slot < 2))));
        IntStream.range(0, 3)
                .forEach(slot -> answer(
                        read, nodes.one(CLIENT, new FpMessage.Read(nodes.group.target(slot), version.version()))));
        assertThat(effects).as("writes back").anyMatch(FpRulesTest::isPrepare);
        answer(read, nodes.one(CLIENT, new FpMessage.Read(nodes.group.target(3), version.version())));
        assertThat(read.outcome()).isEmpty();
    }

    @PlantedBug(
            in = FpRegister.class,
            rule = "a commit is durable before it is answered",
            replace = "commit( version, nonces, call.from(), call, now -> { answer(call, done);",
            with = "answer(call, done); commit(version, nonces, call.from(), call, now -> {")
    @Test
    void nothingIsAnsweredBeforeItIsDurable() {
        List<FpMessage.Prepared> prepares = nodes.prepare(3, 5, 1);
        nodes.holdStores = true;
        assertThat(nodes.ask(CLIENT, nodes.commit(0, 1, prepares))).isEmpty();
        assertThat(nodes.ask(CLIENT, nodes.fragment(1, 6, 2))).isEmpty();
        assertThat(nodes.ask(CLIENT, new FpMessage.FindTimestamp(nodes.group.target(0), false)))
                .as("nor shown")
                .isEmpty();
        nodes.answers.clear();
        nodes.releaseStores();
        assertThat(nodes.answers).hasSize(3);
    }

    @Test
    void aNodeThatHasNotClosedTheSessionSaysSo() {
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        nodes.one(CLIENT, nodes.fragment(0, 1, 2));
        FpMessage.AskLeftover ask = new FpMessage.AskLeftover(nodes.group.target(0), CLIENT, SESSION, version);
        assertThat(((FpMessage.Leftover) nodes.one(PrincipalId.node(1), ask)).state())
                .isEqualTo(FpMessage.LeftoverState.SESSION_NOT_CLOSED);
        nodes.session(SESSION, SessionState.CLOSED);
        assertThat(((FpMessage.Leftover) nodes.one(PrincipalId.node(1), ask)).state())
                .isEqualTo(FpMessage.LeftoverState.NEVER_PREPARED);
    }

    /** The node's own knowledge of the session is not final: it asks, and knows the answer when it is asked again. */
    @Test
    void aNodeThatIsAskedAboutAnOpenSessionAsksTheReplicas() {
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        nodes.one(CLIENT, nodes.fragment(0, 1, 2));
        nodes.sessionAtReplicas(SESSION, SessionState.CLOSED);
        FpMessage.AskLeftover ask = new FpMessage.AskLeftover(nodes.group.target(0), CLIENT, SESSION, version);
        assertThat(((FpMessage.Leftover) nodes.one(PrincipalId.node(1), ask)).state())
                .isEqualTo(FpMessage.LeftoverState.SESSION_NOT_CLOSED);
        assertThat(((FpMessage.Leftover) nodes.one(PrincipalId.node(1), ask)).state())
                .isEqualTo(FpMessage.LeftoverState.NEVER_PREPARED);
    }

    @Test
    void aLeftoverPollAsksAgainAndEndsWhenAllHaveAnsweredOrTimeIsUp() {
        OrphanPoll poll = leftoverPoll();
        assertThat(poll.start(1)).hasSize(3);
        assertThat(poll.onTick(300)).isEmpty();
        answer(poll, leftover(1, FpMessage.LeftoverState.NEVER_PREPARED));
        answer(poll, leftover(2, FpMessage.LeftoverState.SESSION_NOT_CLOSED));
        assertThat(poll.onTick(301)).as("the two others").hasSize(2);
        answer(poll, leftover(3, FpMessage.LeftoverState.PROVEN));
        assertThat(poll.onTick(302)).isEmpty();
        assertThat(poll.outcome()).as("one has not heard of the closing").isEmpty();
        answer(poll, leftover(2, FpMessage.LeftoverState.COMMITTED_OR_OVERWRITTEN));
        poll.onTick(303);
        assertThat(poll.outcome()).contains(OrphanPoll.Outcome.OPEN);
        OrphanPoll silent = leftoverPoll();
        silent.start(1);
        silent.onTick(20_000);
        assertThat(silent.outcome()).isEmpty();
        silent.onTick(20_001);
        assertThat(silent.outcome()).contains(OrphanPoll.Outcome.OPEN);
    }

    private OrphanPoll leftoverPoll() {
        FpAccess.SessionKey session = new FpAccess.SessionKey(LocalNodes.VOLUME, CLIENT, SESSION);
        return new OrphanPoll(
                nodes.group, 0, session, new Timestamp(5, nodes.encode(1).fpcc()), _ -> false, TIMES);
    }

    private FpMessage.Leftover leftover(int slot, FpMessage.LeftoverState state) {
        Version version = new Timestamp(5, nodes.encode(1).fpcc()).version();
        return new FpMessage.Leftover(nodes.group.target(slot), version, state, Timestamp.NONE);
    }

    @PlantedBug(
            in = OrphanPoll.class,
            rule = "2f + 1 nodes must never have prepared a leftover before it is dropped",
            replace = "if (never >= group.policy().timestampQuorum() ||",
            with = "if (never >= group.policy().timestampQuorum() - 1 ||")
    @Test
    void aLeftoverIsDroppedAtThreeWhoNeverPreparedIt() {
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        FpAccess.SessionKey session = new FpAccess.SessionKey(LocalNodes.VOLUME, CLIENT, SESSION);
        OrphanPoll poll = new OrphanPoll(nodes.group, 0, session, version, _ -> false, TIMES);
        poll.start(1);
        for (int slot = 1; slot <= 3; slot++) {
            assertThat(poll.outcome()).isEmpty();
            answer(
                    poll,
                    new FpMessage.Leftover(
                            nodes.group.target(slot),
                            version.version(),
                            FpMessage.LeftoverState.NEVER_PREPARED,
                            Timestamp.NONE));
        }
        assertThat(poll.outcome()).contains(OrphanPoll.Outcome.NEVER);
    }

    /** A cross-checksum of its own proves nothing of the length, which fpcc fixes. */
    @Test
    void aShareOfAnotherLengthIsNone() {
        BlockCode.Encoded encoded = nodes.encode(1);
        Bytes longer = SampleMessages.filled(encoded.fpcc().length() + 1, 7);
        List<Bytes> hashes = Collections.nCopies(nodes.group.n(), Hashes.sha256(longer));
        assertThat(nodes.group.code().isShareOf(encoded.fpcc(), 1, new Share(longer, hashes)))
                .isFalse();
        Bytes sameLength = SampleMessages.filled(encoded.fpcc().length(), 7);
        List<Bytes> others = Collections.nCopies(nodes.group.n(), Hashes.sha256(sameLength));
        assertThat(nodes.group.code().isShareOf(encoded.fpcc(), 1, new Share(sameLength, others)))
                .isTrue();
    }

    private void writeAt0(int number, long ts, int seed) {
        BlockId block = BlockId.register(LocalNodes.VOLUME, number);
        BlockCode.Encoded encoded = nodes.encode(seed);
        Fpcc fpcc = encoded.fpcc();
        List<FpMessage.PrepareMac> prepareMacs = new ArrayList<>();
        for (int slot = 0; slot < 3; slot++) {
            FpMessage.Prepared prepared = (FpMessage.Prepared) nodes.one(
                    CLIENT,
                    new FpMessage.PrepareFragment(
                            new Target(block, 1, slot),
                            SESSION,
                            ts,
                            fpcc,
                            encoded.fragments().get(slot)));
            prepareMacs.add(new FpMessage.PrepareMac(
                    slot, prepared.nonce(), prepared.macs().getFirst()));
        }
        FpMessage.Commit commit = new FpMessage.Commit(new Target(block, 1, 0), SESSION, ts, fpcc, prepareMacs);
        assertThat(nodes.one(CLIENT, commit)).isInstanceOf(FpMessage.Committed.class);
    }

    private static boolean isPrepare(Effect effect) {
        return effect instanceof Effect.Send send && send.message() instanceof FpMessage.Prepare;
    }

    private void answer(ClientOperation<?> operation, FpMessage message) {
        PrincipalId from = nodes.group.node(message.target().slot());
        effects.addAll(operation.onMessage(2, from, message));
    }

    private FpMessage.Refused refusal(int slot, RequestKind asked, long ts, FpRefusal refusal, long epoch) {
        return new FpMessage.Refused(nodes.group.target(slot), asked, ts, refusal, epoch);
    }
}
