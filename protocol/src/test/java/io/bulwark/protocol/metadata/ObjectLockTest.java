package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.metadata.Command.DeleteMode;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.Retention;
import io.bulwark.protocol.object.Retention.Mode;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the locks of versions, judged by agreed time. */
@NullMarked
class ObjectLockTest {
    private static final String BUCKET = "vault";
    private static final String KEY = "deed";
    private static final long DAY_MILLIS = 24 * 3_600_000L;

    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, rig.volume);

    ObjectLockTest() {
        alice.done(new Command.CreateBucket(BUCKET, "main", Versioning.KEEP_ALL, 0, true));
    }

    private Reply put(ObjectLock lock) {
        return alice.run(new Command.PutObject(
                BUCKET, KEY, Condition.NONE, alice.layout(0), ObjectAttributes.NONE, lock, List.of(), List.of()));
    }

    private long locked(Mode mode, long millis) {
        Retention retention = new Retention(mode, rig.nowMillis + millis);
        return ((Reply.ObjectStored) put(new ObjectLock(retention, false))).version();
    }

    private Reply delete(long version, DeleteMode mode) {
        return alice.run(new Command.DeleteObject(BUCKET, KEY, version, Condition.NONE, mode));
    }

    /** Lets agreed time pass without a jump. */
    private void pass(long millis) {
        for (long left = millis; left > 0; left -= DAY_MILLIS / 48) {
            rig.nowMillis += Math.min(left, DAY_MILLIS / 48);
            alice.done(new Command.RenewSession());
        }
    }

    @EnumSource(
            value = Mode.class,
            names = {"GOVERNANCE", "COMPLIANCE"})
    @ParameterizedTest
    void aRetainedVersionIsDeletedOnlyAfterItsTime(Mode mode) {
        long version = locked(mode, DAY_MILLIS);
        assertFailed(delete(version, DeleteMode.STRICT), MetadataError.OBJECT_LOCKED);
        Reply.Deleted marker = (Reply.Deleted) delete(0, DeleteMode.STRICT);
        assertThat(marker.marker()).isTrue();
        assertFailed(delete(version, DeleteMode.STRICT), MetadataError.OBJECT_LOCKED);
        alice.refused(MetadataError.BUCKET_NOT_EMPTY, new Command.DeleteBucket(BUCKET));
        pass(DAY_MILLIS);
        assertThat(delete(version, DeleteMode.STRICT)).isInstanceOf(Reply.Deleted.class);
    }

    @Test
    void aPrimaryFromTheFutureEndsNoRetention() {
        long version = locked(Mode.COMPLIANCE, DAY_MILLIS);
        rig.nowMillis += 400 * DAY_MILLIS;
        assertFailed(delete(version, DeleteMode.STRICT), MetadataError.OBJECT_LOCKED);
    }

    @Test
    void governanceIsBypassedByAdministratorsAndComplianceByNobody() {
        long governed = locked(Mode.GOVERNANCE, DAY_MILLIS);
        long complied = locked(Mode.COMPLIANCE, DAY_MILLIS);
        assertThat(delete(governed, DeleteMode.BYPASS_GOVERNANCE)).isInstanceOf(Reply.Deleted.class);
        assertFailed(delete(complied, DeleteMode.BYPASS_GOVERNANCE), MetadataError.OBJECT_LOCKED);
    }

    @Test
    void retentionInForceIsOnlyProlonged() {
        for (Mode mode : List.of(Mode.GOVERNANCE, Mode.COMPLIANCE)) {
            long version = locked(mode, DAY_MILLIS);
            long until = rig.nowMillis + DAY_MILLIS;
            alice.refused(MetadataError.OBJECT_LOCKED, retention(version, Retention.NONE, false));
            alice.refused(
                    MetadataError.OBJECT_LOCKED,
                    retention(version, new Retention(mode, until - DAY_MILLIS / 2), false));
            Mode other = mode == Mode.GOVERNANCE ? Mode.COMPLIANCE : Mode.GOVERNANCE;
            alice.refused(MetadataError.OBJECT_LOCKED, retention(version, new Retention(other, until), false));
            assertThat(alice.run(retention(version, new Retention(mode, until + 1), false)))
                    .isInstanceOf(Reply.ObjectStored.class);
            Reply ended = alice.run(retention(version, Retention.NONE, true));
            if (mode == Mode.COMPLIANCE) {
                assertFailed(ended, MetadataError.OBJECT_LOCKED);
            } else {
                assertThat(ended).isInstanceOf(Reply.ObjectStored.class);
                assertThat(delete(version, DeleteMode.STRICT)).isInstanceOf(Reply.Deleted.class);
            }
        }
    }

    private static Command retention(long version, Retention retention, boolean bypass) {
        return new Command.SetRetention(BUCKET, KEY, version, retention, bypass);
    }

    @Test
    void aRetentionThatIsOverMayNotBegin() {
        assertFailed(put(new ObjectLock(new Retention(Mode.GOVERNANCE, 1), false)), MetadataError.BAD_ARGUMENT);
        long version = ((Reply.ObjectStored) put(ObjectLock.NONE)).version();
        alice.refused(MetadataError.BAD_ARGUMENT, retention(version, new Retention(Mode.GOVERNANCE, 1), true));
    }

    @Test
    void aLegalHoldKeepsAVersionUntilItIsLifted() {
        long version = ((Reply.ObjectStored) put(new ObjectLock(Retention.NONE, true))).version();
        assertFailed(delete(version, DeleteMode.BYPASS_GOVERNANCE), MetadataError.OBJECT_LOCKED);
        assertThat(alice.run(new Command.SetLegalHold(BUCKET, KEY, version, false)))
                .isInstanceOf(Reply.ObjectStored.class);
        assertThat(delete(version, DeleteMode.STRICT)).isInstanceOf(Reply.Deleted.class);
    }

    @Test
    void newVersionsHaveTheDefaultRetention() {
        DefaultRetention twoDays = new DefaultRetention(Mode.COMPLIANCE, 2, false);
        alice.done(new Command.UpdateBucket(BUCKET, BucketChange.NONE.withRetention(twoDays)));
        Reply.ObjectStored put = (Reply.ObjectStored) put(ObjectLock.NONE);
        Retention expected = new Retention(Mode.COMPLIANCE, rig.machine.agreedMillis() + 2 * DAY_MILLIS);
        assertThat(put.lock()).isEqualTo(new ObjectLock(expected, false));
        alice.put("films", "a", 0);
        Reply.ObjectStored copy =
                (Reply.ObjectStored) alice.run(new Command.CopyObject("films", "a", 0, BUCKET, "copy", Condition.NONE));
        assertThat(copy.lock().retention().mode()).isEqualTo(Mode.COMPLIANCE);
        Reply.ObjectStored own = (Reply.ObjectStored)
                put(new ObjectLock(new Retention(Mode.GOVERNANCE, rig.nowMillis + DAY_MILLIS), false));
        assertThat(own.lock().retention().mode()).isEqualTo(Mode.GOVERNANCE);
    }

    @Test
    void aRenamedVersionStaysLockedBelowItsMarker() {
        long version = locked(Mode.COMPLIANCE, DAY_MILLIS);
        assertThat(alice.run(new Command.RenameObject(BUCKET, KEY, BUCKET, "other", Condition.NONE)))
                .isInstanceOf(Reply.ObjectStored.class);
        assertFailed(delete(version, DeleteMode.STRICT), MetadataError.OBJECT_LOCKED);
    }

    @Test
    void objectLockKeepsAllVersionsForGood() {
        alice.refused(
                MetadataError.BAD_BUCKET_STATE,
                new Command.UpdateBucket(BUCKET, BucketChange.NONE.withVersioning(Versioning.SUSPENDED)));
        alice.refused(
                MetadataError.BAD_BUCKET_STATE,
                new Command.CreateBucket("other", "main", Versioning.LATEST_ONLY, 0, true));
        alice.refused(
                MetadataError.BAD_BUCKET_STATE, new Command.UpdateBucket("films", BucketChange.NONE.withObjectLock()));
        alice.refused(
                MetadataError.BAD_BUCKET_STATE,
                new Command.UpdateBucket(
                        "diary", BucketChange.NONE.withRetention(new DefaultRetention(Mode.GOVERNANCE, 1, false))));
        alice.done(new Command.UpdateBucket("diary", BucketChange.NONE.withObjectLock()));
        alice.refused(
                MetadataError.BAD_BUCKET_STATE,
                new Command.UpdateBucket("diary", BucketChange.NONE.withVersioning(Versioning.SUSPENDED)));
    }

    @Test
    void withoutObjectLockNothingIsLocked() {
        alice.put("diary", "a", 0);
        alice.refused(MetadataError.BAD_BUCKET_STATE, new Command.SetLegalHold("diary", "a", 0, true));
        alice.refused(
                MetadataError.BAD_BUCKET_STATE,
                new Command.PutObject(
                        "diary",
                        "a",
                        Condition.NONE,
                        alice.layout(0),
                        ObjectAttributes.NONE,
                        new ObjectLock(Retention.NONE, true),
                        List.of(),
                        List.of()));
    }

    @Test
    void aLockedVersionKeepsItsTagsChangeable() {
        locked(Mode.COMPLIANCE, DAY_MILLIS);
        assertThat(alice.run(new Command.SetTags(BUCKET, KEY, 0, ObjectAttributes.NONE.tags())))
                .isInstanceOf(Reply.ObjectStored.class);
        assertThat(((Reply.ObjectFound) rig.ask(ALICE, new Query.FindObject(BUCKET, KEY, 0)))
                        .state()
                        .lock()
                        .retention()
                        .mode())
                .isEqualTo(Mode.COMPLIANCE);
    }
}
