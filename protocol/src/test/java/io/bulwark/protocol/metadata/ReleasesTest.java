package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.STRANGER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class ReleasesTest {
    private static final Bytes OLD = MetadataFixture.filled(Command.RELEASE_BYTES, 1);
    private static final Bytes NEW = MetadataFixture.filled(Command.RELEASE_BYTES, 2);

    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, 0);

    @Test
    void allowedAreThoseThatAnOperatorNamedAndDidNotTakeBack() {
        assertThat(list()).isEqualTo(new Reply.ReleaseList(0, List.of()));
        alice.done(new Command.SetRelease(NEW, true));
        alice.done(new Command.SetRelease(OLD, true));
        assertThat(list()).isEqualTo(new Reply.ReleaseList(2, List.of(OLD, NEW)));
        alice.done(new Command.SetRelease(OLD, false));
        assertThat(list()).isEqualTo(new Reply.ReleaseList(3, List.of(NEW)));
    }

    @Test
    void theVersionCountsChangesOnly() {
        alice.done(new Command.SetRelease(OLD, false));
        alice.done(new Command.SetRelease(NEW, true));
        alice.done(new Command.SetRelease(NEW, true));
        assertThat(list()).isEqualTo(new Reply.ReleaseList(1, List.of(NEW)));
    }

    @Test
    void onlyOperatorsSayAndEverybodyWhoBelongsMayAsk() {
        for (PrincipalId principal : List.of(READER, PrincipalId.node(0), PrincipalId.replica(1))) {
            rig.user(principal, 0).refused(MetadataError.NOT_AUTHORISED, new Command.SetRelease(NEW, true));
            assertThat(rig.ask(principal, new Query.ListReleases())).isEqualTo(new Reply.ReleaseList(0, List.of()));
        }
        assertFailed(rig.ask(STRANGER, new Query.ListReleases()), MetadataError.NOT_AUTHORISED);
    }

    @Test
    void moreThanALimitAreRefusedUntilSomeAreForgotten() {
        for (int i = 0; i < Command.RELEASES_MAX; i++) {
            alice.done(new Command.SetRelease(MetadataFixture.filled(Command.RELEASE_BYTES, i), true));
        }
        Bytes more = MetadataFixture.filled(Command.RELEASE_BYTES, Command.RELEASES_MAX);
        alice.refused(MetadataError.LIMIT_REACHED, new Command.SetRelease(more, true));
        alice.done(new Command.SetRelease(OLD, false));
        alice.done(new Command.SetRelease(more, true));
        assertThat(list().hashes()).hasSize(Command.RELEASES_MAX).contains(more).doesNotContain(OLD);
    }

    @Test
    void aSnapshotKeepsThem() {
        alice.done(new Command.SetRelease(NEW, true));
        MetadataStateMachine restored = MetadataStateMachine.restore(rig.machine.snapshot());
        assertThat(Reply.decode(restored.query(ALICE, new Query.ListReleases().encoded())))
                .isEqualTo(list());
    }

    private Reply.ReleaseList list() {
        return (Reply.ReleaseList) rig.ask(ALICE, new Query.ListReleases());
    }
}
