package io.bulwark.metadata.bft;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.metadata.NamespaceMachine;
import io.bulwark.metadata.ordering.StateMachine;
import io.bulwark.protocol.cluster.NodeAddress;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Genesis;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.state.DamagedPageException;
import io.bulwark.protocol.state.KeyValueState;
import io.bulwark.protocol.state.MemoryPageStore;
import io.bulwark.protocol.state.PageBatch;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The state machine over its pages: commands that fail, pages that are damaged, checkpoints that are not written yet. */
@NullMarked
class TreeApplicationTest {
    private static final PrincipalId CLIENT = PrincipalId.client(1);
    private static final Bytes FAILS = Bytes.of((byte) 0xFF);
    private static final Bytes ONE = Bytes.of((byte) 1);
    private static final Bytes TWO = Bytes.of((byte) 2);

    /** A machine that puts each command under itself, then fails if told to. */
    private record Putting(KeyValueState state) implements StateMachine {
        @Override
        public Bytes execute(PrincipalId client, Bytes command, long agreedMillis) {
            state.put(command, command);
            if (command.equals(FAILS)) {
                throw new IllegalStateException("a command that fails");
            }
            return command;
        }

        @Override
        public Bytes query(PrincipalId client, Bytes query) {
            return state.get(query).orElse(Bytes.EMPTY);
        }
    }

    private final MemoryPageStore store = new MemoryPageStore();
    private final Deque<Runnable> writes = new ArrayDeque<>();
    private final List<Long> written = new ArrayList<>();

    private TreeApplication open() {
        return new TreeApplication(Putting::new, store, 0, 128, writes::add, written::add);
    }

    private void write(TreeApplication application) {
        while (!writes.isEmpty()) {
            writes.remove().run();
        }
        written.forEach(application::onDurable);
        written.clear();
    }

    @PlantedBug(
            in = TreeApplication.class,
            rule = "a failed command leaves no part of its changes",
            replace = "LOG.error(\"a command of {} failed\", client, e); tree.rollback();",
            with = "LOG.error(\"a command of {} failed\", client, e);")
    @Test
    void aCommandThatFailsChangesNothing() {
        TreeApplication application = open();
        assertThat(application.execute(CLIENT, ONE, 1)).isEqualTo(ExecutionResult.done(ONE));
        assertThat(application.execute(CLIENT, FAILS, 2)).isEqualTo(ExecutionResult.failed());
        assertThat(application.query(CLIENT, FAILS)).isEqualTo(ExecutionResult.done(Bytes.EMPTY));
        assertThat(application.query(CLIENT, ONE)).isEqualTo(ExecutionResult.done(ONE));
    }

    /** The others have the page, so that a reply of a failed command would differ from theirs. */
    @Test
    void aDamagedPageIsNoResult() {
        TreeApplication application = open();
        application.execute(CLIENT, ONE, 1);
        application.checkpoint(128, ONE);
        write(application);
        List<Bytes> pages = new ArrayList<>();
        store.forEach(pages::add);
        TreeApplication damaged = open();
        store.write(new PageBatch(Map.of(), Map.of(), pages, Map.of(), Set.of(), false, false));
        assertThatThrownBy(() -> damaged.execute(CLIENT, TWO, 2)).isInstanceOf(DamagedPageException.class);
        assertThatThrownBy(() -> damaged.query(CLIENT, ONE)).isInstanceOf(DamagedPageException.class);
    }

    /** Damage is found where a life can begin without a state, or during the life, but not in between. */
    @Test
    void whicheverPageOfTheRealStateRotsALifeBegins() {
        Genesis genesis =
                new Genesis(List.of(new NodeAddress(0, "127.0.0.1", 4_000)), List.of(Genesis.Grant.all(CLIENT)));
        StateMachine.Factory machines = state -> new NamespaceMachine(genesis, 1, state);
        TreeApplication filled = new TreeApplication(
                state -> {
                    StateMachine machine = machines.over(state);
                    for (int i = 0; i < 1_000; i++) {
                        state.put(new WireWriter().u8(0x20).i64(i).toBytes(), Bytes.of(new byte[100]));
                    }
                    return machine;
                },
                store,
                0,
                128,
                writes::add,
                written::add);
        filled.checkpoint(128, ONE);
        write(filled);
        int found = 0;
        int later = 0;
        for (Bytes digest : store.digests(Bytes.EMPTY, 1_000)) {
            Optional<Bytes> page = store.get(digest);
            store.rot(digest, Optional.empty());
            try {
                TreeApplication begun = new TreeApplication(machines, store, 0, 128, writes::add, written::add);
                assertThat(begun.engineState()).isEqualTo(ONE);
                assertThat(begun.nextMembers()).isEmpty();
                later++;
            } catch (DamagedPageException e) {
                assertThat(e.getStackTrace())
                        .anyMatch(frame -> frame.getClassName().equals(TreeApplication.class.getName())
                                && frame.getMethodName().equals("<init>"));
                found++;
            }
            store.rot(digest, page);
        }
        assertThat(found).as("the root, the first leaf and the last").isGreaterThanOrEqualTo(3);
        assertThat(later).isPositive();
    }

    @PlantedBug(
            in = TreeApplication.class,
            rule = "a checkpoint is served only after it is written",
            replace = "staged = false; writer.execute(() -> {",
            with = "staged = false; durable.put(sequence, taken.digest()); writer.execute(() -> {")
    @Test
    void aCheckpointCountsOnceItIsWritten() {
        TreeApplication application = open();
        application.execute(CLIENT, ONE, 1);
        Bytes digest = application.checkpoint(128, ONE);
        assertThat(application.last()).isEqualTo(128);
        assertThat(application.checkpoints()).doesNotContain(new Numbered(128, digest));
        write(application);
        assertThat(application.checkpoints()).contains(new Numbered(128, digest));
        application.discard(128);
        assertThat(application.checkpoints()).containsExactly(new Numbered(128, digest));
    }
}
