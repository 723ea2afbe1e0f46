package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.LockFixture.FILMS;
import static io.bulwark.protocol.metadata.LockFixture.lockOf;
import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.locking.LogLimits;
import io.bulwark.protocol.locking.Subtree;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.state.TreeMapState;
import java.util.stream.IntStream;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the limits of the lock table. Agreed time stands still, so that no log grows old meanwhile. */
@NullMarked
class LockLimitsTest {
    private final MetadataFixture rig = MetadataFixture.ready();
    private final User admin = rig.user(ALICE, 0);
    private final long nowMillis = rig.nowMillis;

    private User client(int number) {
        rig.nowMillis = nowMillis;
        return rig.user(PrincipalId.client(100 + number), rig.volume);
    }

    private void authorize(int number) {
        rig.nowMillis = nowMillis;
        PrincipalId client = PrincipalId.client(100 + number);
        admin.done(new Command.AddPrincipal(client, Signer.fresh().key()));
        admin.done(new Command.SetGrant(client, new Scope.All(), new Rights(true, true, false)));
    }

    private static Subtree[] subtrees(int holder, int count) {
        return IntStream.range(0, count)
                .mapToObj(i -> new Subtree("diary", holder + "/" + i + "/"))
                .toArray(Subtree[]::new);
    }

    @Test
    void thereAreAsManyLocksAsAllowed() {
        int holders = LockTable.LOCKS_MAX / LogLimits.SUBTREES_MAX;
        for (int holder = 0; holder < holders; holder++) {
            int number = holder / LockTable.HOLDERS_OF_ONE_MAX;
            if (holder % LockTable.HOLDERS_OF_ONE_MAX == 0) {
                authorize(number);
            }
            assertThat(client(number).run(lockOf(subtrees(holder, LogLimits.SUBTREES_MAX))))
                    .isInstanceOf(Reply.Locked.class);
        }
        User next = rig.user(BOB, rig.volume);
        next.refused(MetadataError.LIMIT_REACHED, lockOf(FILMS));
    }

    /** Nobody gets more sessions with locks than are left for all others together. */
    @Test
    void thereAreAsManySessionsWithLocksAsAllowed() {
        int holders = 0;
        for (int number = 0; holders < LockTable.HOLDERS_MAX; number++) {
            authorize(number);
            int own = 0;
            while (own < Math.min(LockTable.HOLDERS_OF_ONE_MAX, LockTable.HOLDERS_MAX - holders)) {
                assertThat(client(number).run(lockOf(subtrees(holders, 1)))).isInstanceOf(Reply.Locked.class);
                own++;
                holders++;
            }
            client(number).refused(MetadataError.LIMIT_REACHED, lockOf(FILMS));
        }
        User next = rig.user(BOB, rig.volume);
        next.refused(MetadataError.LIMIT_REACHED, lockOf(FILMS));
    }

    @Test
    void nothingIsLockedAmongTooManyMarks() {
        TreeMapState state = new TreeMapState();
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot(), state, GenesisKeys.NONE);
        User holder = rig.user(BOB, rig.volume);
        setMarks(state, Contention.MARKS_MAX);
        holder.refused(MetadataError.LIMIT_REACHED, lockOf(FILMS));
        setMarks(state, Contention.MARKS_MAX - 1);
        assertThat(holder.run(lockOf(FILMS))).isInstanceOf(Reply.Locked.class);
    }

    private static void setMarks(TreeMapState state, int count) {
        Tables tables = new Tables(state, Weight.BYTES_MAX);
        tables.begin();
        tables.totals().marks = count;
        tables.end();
    }
}
