package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.LockFixture.HeldLog;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests that nodes miss no reference, however late an inode comes whose id was given early (rule 3). */
@NullMarked
class ArrivalTest {
    private final LockFixture locks = new LockFixture();
    private final MetadataFixture rig = locks.rig;
    private final User bob = rig.user(BOB, rig.volume);

    private Reply.References after(long cursor) {
        return (Reply.References) rig.ask(PrincipalId.node(2), new Query.References(rig.volume, cursor, 1000));
    }

    private static List<Long> inodes(Reply.References page) {
        return page.references().stream().map(Reply.Reference::inode).toList();
    }

    @PlantedBug(
            in = Inodes.class,
            rule = "references are paged by arrival",
            replace = "return ++tables.totals().lastArrival;",
            with = "return tables.supply().nextInode();")
    @Test
    void aNodeSeesWhatArrivesBehindItsCursor() {
        HeldLog log = locks.lock(rig.user(ALICE, rig.volume), LockFixture.FILMS);
        Reply.ObjectStored logged = log.put("films", "a/x", 600);
        Reply.ObjectStored later = bob.put("diary", "x", 600);
        assertThat(logged.inode()).isLessThan(later.inode());
        Reply.References page = after(0);
        assertThat(inodes(page)).containsExactly(later.inode());
        log.close();
        assertThat(inodes(after(page.next()))).containsExactly(logged.inode());
        assertThat(inodes(after(0))).containsExactly(later.inode(), logged.inode());
    }

    @Test
    void anObjectWithoutBlocksDoesNotArrive() {
        Reply.ObjectStored stored = bob.put("diary", "x", 600);
        bob.put("diary", "empty", 0);
        Reply.References page = after(0);
        assertThat(inodes(page)).containsExactly(stored.inode());
    }

    /** A new holder confirms once its walk has come to the last: it waited for one that never came. */
    @Test
    void theLastPageReachesTheLastThoughThatIsGoneOrHasNoBlocks() {
        bob.put("diary", "x", 600);
        bob.put("diary", "empty", 0);
        Reply.References page = after(0);
        assertThat(page.more()).isFalse();
        assertThat(page.next()).isEqualTo(page.last());
        long pending =
                ((Reply.PendingRegistered) bob.run(new Command.RegisterPending(List.of(bob.range(50, 2))))).pending();
        bob.done(new Command.AbandonRanges(List.of(), List.of(pending)));
        Reply.References later = after(page.next());
        assertThat(later.references()).isEmpty();
        assertThat(later.next()).isEqualTo(later.last()).isGreaterThan(page.next());
    }

    @Test
    void pendingUploadsArriveTooAndGoWithTheirReference() {
        HeldLog log = locks.lock(rig.user(ALICE, rig.volume), LockFixture.FILMS);
        log.put("films", "a/x", 600);
        long pending =
                ((Reply.PendingRegistered) bob.run(new Command.RegisterPending(List.of(bob.range(50, 2))))).pending();
        long cursor = after(0).next();
        log.close();
        Reply.References page = after(cursor);
        assertThat(inodes(page)).containsExactly(log.locked.firstInode());
        bob.done(new Command.AbandonRanges(List.of(), List.of(pending)));
        assertThat(inodes(after(0))).containsExactly(log.locked.firstInode());
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot());
        Reply.ObjectStored next = bob.put("diary", "y", 600);
        assertThat(inodes(after(page.next()))).containsExactly(next.inode());
    }
}
