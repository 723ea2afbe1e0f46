package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.locking.HolderEffect;
import io.bulwark.protocol.locking.LockingMessage;
import io.bulwark.protocol.locking.LogEffect;
import io.bulwark.protocol.locking.LogEntry;
import io.bulwark.protocol.locking.LogHolder;
import io.bulwark.protocol.locking.LogId;
import io.bulwark.protocol.locking.LogServer;
import io.bulwark.protocol.locking.LogStoreRecord;
import io.bulwark.protocol.locking.LogSubmissions;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Log servers beside four real state machines, which execute one order of commands. */
@NullMarked
class LoggedMetadataTest {
    private static final Bytes CLUSTER = GenesisKeys.NONE.cluster();
    private static final Signer SIGNER = Signer.fresh();
    private static final Subtree FILMS = new Subtree("films", "a/");
    private static final List<PrincipalId> REPLICAS =
            IntStream.range(0, 4).mapToObj(PrincipalId::replica).toList();
    private static final long STEP_MILLIS = 50;
    private static final int STEPS_MAX = 400;

    private static final LogSubmissions SUBMISSIONS = new ServerSubmissions();

    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, rig.volume);
    private final User bob = rig.user(BOB, rig.volume);
    private final LogId log = ((Reply.Locked) alice.run(new Command.Lock(List.of(FILMS), SIGNER.key()))).log();
    private final List<Replica> replicas =
            IntStream.range(0, 4).mapToObj(Replica::new).toList();
    private final LogHolder holder =
            new LogHolder(new LogHolder.Terms(CLUSTER, log, REPLICAS), SIGNER::sign, new Timeouts(100, 300, 0, 60_000));
    private final Deque<HolderEffect.Send> toServers = new ArrayDeque<>();
    private final SortedMap<Long, Bytes> answers = new TreeMap<>();
    private Optional<HolderEffect.Ended> end = Optional.empty();
    private final Set<Integer> silent = new HashSet<>();
    private long now = 1_000;

    /** A replica that is up to date with the order after each step. */
    private final class Replica {
        private final int index;
        private MetadataStateMachine machine = new MetadataStateMachine(MetadataFixture.genesis(5));
        private int executed;
        private final List<LogStoreRecord> disk = new ArrayList<>();
        private final List<LogEffect.Store> unsynced = new ArrayList<>();
        private LogServer server;

        private Replica(int index) {
            this.index = index;
            server = server();
        }

        private LogServer server() {
            return new LogServer(
                    new LogServer.Config(CLUSTER, REPLICAS, REPLICAS.get(index), 0),
                    machine.locks(),
                    SUBMISSIONS,
                    List.copyOf(disk));
        }

        /** Loses what is not synced, and begins again from nothing. */
        private void crash() {
            unsynced.clear();
            machine = new MetadataStateMachine(MetadataFixture.genesis(5));
            executed = 0;
            server = server();
        }

        private void step() {
            for (; executed < rig.history.size(); executed++) {
                MetadataFixture.Executed next = rig.history.get(executed);
                machine.execute(next.submitter(), next.submission(), next.atMillis());
            }
            perform(server.onExecuted(now));
            sync();
            perform(server.onTick(now));
        }

        private void sync() {
            List<LogEffect.Store> stores = List.copyOf(unsynced);
            unsynced.clear();
            for (LogEffect.Store store : stores) {
                disk.add(store.record());
                perform(server.onStored(now, store.token()));
            }
        }

        private void perform(List<LogEffect> effects) {
            for (LogEffect effect : effects) {
                switch (effect) {
                    case LogEffect.Store store -> unsynced.add(store);
                    case LogEffect.Delete(LogId gone) ->
                        disk.removeIf(record -> record.log().equals(gone));
                    case LogEffect.Send send -> hear(holder.onMessage(now, REPLICAS.get(index), send.message()));
                    case LogEffect.Submit(Bytes submission) ->
                        assertThat(rig.submit(REPLICAS.get(index), Submission.decode(submission)))
                                .isEqualTo(new Reply.Done());
                }
            }
        }
    }

    private void hear(List<HolderEffect> effects) {
        for (HolderEffect effect : effects) {
            switch (effect) {
                case HolderEffect.Send send -> toServers.add(send);
                case HolderEffect.Answered(long token, Bytes reply) -> answers.put(token, reply);
                case HolderEffect.Ended ended -> end = Optional.of(ended);
            }
        }
    }

    private void deliver() {
        while (!toServers.isEmpty()) {
            HolderEffect.Send send = toServers.remove();
            Replica replica = replicas.get(send.to().number());
            if (!silent.contains(replica.index)) {
                replica.perform(replica.server.onMessage(ALICE, 1, send.message()));
            }
        }
    }

    private void step() {
        now += STEP_MILLIS;
        hear(holder.onTick(now));
        deliver();
        replicas.forEach(Replica::step);
    }

    private void append(long token, Command command) {
        LogEntry entry = new LogEntry(rig.nowMillis, Optional.empty(), LockFixture.encoded(command));
        assertThat(holder.canAppend(entry)).isTrue();
        hear(holder.append(now, token, entry));
    }

    private Command put(String key) {
        return alice.putOf("films", key, Condition.NONE, alice.layout(700));
    }

    private Reply answer(long token) {
        return Reply.decode(Objects.requireNonNull(answers.get(token)));
    }

    private void stepUntilAnswered(int count) {
        for (int i = 0; i < STEPS_MAX && answers.size() < count; i++) {
            step();
        }
        assertThat(answers).hasSize(count);
    }

    @Test
    void logOfACrashedHolderIsExecutedBeforeTheCommandOfAnother() {
        replicas.forEach(Replica::step);
        for (int i = 0; i < 100; i++) {
            append(i, put("a/" + i));
        }
        append(100, new Command.DeleteObject("films", "a/7", 0));
        append(101, new Command.RenameObject("films", "a/8", "films", "a/moved", Condition.IF_ABSENT));
        append(102, put("elsewhere"));
        stepUntilAnswered(103);
        assertThat(answer(0)).isInstanceOf(Reply.ObjectStored.class);
        assertFailed(answer(102), MetadataError.NOT_LOCKABLE);
        hear(holder.read(now, 103, Optional.empty(), new Query.FindObject("films", "a/moved", 0).encoded()));
        stepUntilAnswered(104);
        assertThat(answer(103)).isInstanceOf(Reply.ObjectFound.class);

        // One more entry comes to two servers, one of which crashes before its sync.
        Replica crashed = replicas.get(0);
        silent.addAll(List.of(2, 3));
        append(104, put("a/late"));
        deliver();
        crashed.crash();
        assertFailed(bob.run(bob.putOf("films", "a/mine", Condition.NONE, bob.layout(0))), MetadataError.LOCKED);
        Reply reply = new Reply.Done();
        for (int i = 0; i < STEPS_MAX && !(reply instanceof Reply.ObjectStored); i++) {
            step();
            reply = bob.run(bob.putOf("films", "a/mine", Condition.NONE, bob.layout(0)));
        }
        assertThat(reply).isInstanceOf(Reply.ObjectStored.class);
        silent.clear();
        for (int i = 0; i < STEPS_MAX && end.isEmpty(); i++) {
            step();
        }
        checkEnd();
    }

    private void checkEnd() {
        HolderEffect.Ended ended = end.orElseThrow();
        assertThat(ended.outstanding()).singleElement().satisfies(late -> {
            assertThat(late.token()).isEqualTo(104);
            assertThat(late.number()).isEqualTo(104);
        });
        Reply.LogOutcome outcome =
                (Reply.LogOutcome) rig.ask(ALICE, new Query.LogOutcome(log.session(), log.lock(), 1));
        assertThat(outcome.length()).isBetween(103L, 104L);
        assertThat(outcome.replies().subList(0, 103))
                .isEqualTo(List.copyOf(answers.headMap(103L).values()));
        Reply late = rig.ask(ALICE, new Query.FindObject("films", "a/late", 0));
        assertThat(late instanceof Reply.ObjectFound).isEqualTo(outcome.length() == 104);
        assertThat(rig.ask(ALICE, new Query.FindObject("films", "a/moved", 0))).isInstanceOf(Reply.ObjectFound.class);
        assertFailed(rig.ask(ALICE, new Query.FindObject("films", "a/7", 0)), MetadataError.NO_SUCH_OBJECT);
        for (Replica replica : replicas) {
            replica.step();
            assertThat(replica.machine.digest()).isEqualTo(rig.machine.digest());
            assertThat(replica.server.onStable(replica.machine.locks().commands()))
                    .contains(new LogEffect.Delete(log));
        }
    }

    @Test
    void holderThatStopsAndUnlocksLocksAgain() {
        replicas.forEach(Replica::step);
        append(1, put("a/1"));
        hear(holder.stop(now));
        stepUntilAnswered(1);
        assertThat(end.orElseThrow().outstanding()).isEmpty();
        alice.done(new Command.Unlock());
        for (int i = 0;
                i < STEPS_MAX && !rig.machine.locks().log(ALICE, alice.session).isEmpty();
                i++) {
            step();
            bob.done(new Command.RenewSession());
        }
        assertThat(rig.ask(BOB, new Query.FindObject("films", "a/1", 0))).isInstanceOf(Reply.ObjectFound.class);
        Reply again = alice.run(new Command.Lock(List.of(FILMS), SIGNER.key()));
        assertThat(((Reply.Locked) again).log().lock()).isGreaterThan(log.lock());
        replicas.forEach(Replica::step);
        LockingMessage.ToServer old = new LockingMessage.LogRead(
                log,
                9,
                LockingMessage.ALL,
                1,
                Optional.empty(),
                new Query.FindInode(1, BlockId.register(1, 0)).encoded());
        assertThat(replicas.getFirst().server.onMessage(ALICE, 1, old))
                .singleElement()
                .isInstanceOfSatisfying(
                        LogEffect.Send.class,
                        send -> assertThat(send.message()).isInstanceOf(LockingMessage.LogRefused.class));
    }
}
