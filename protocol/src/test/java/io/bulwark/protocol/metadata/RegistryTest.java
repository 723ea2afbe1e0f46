package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.STRANGER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static io.bulwark.protocol.metadata.Samples.KEY;
import static io.bulwark.protocol.metadata.Samples.OTHER_KEY;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class RegistryTest {
    private static final Rights READ = new Rights(true, false, false);
    private static final Rights WRITE = new Rights(false, true, false);
    private static final Rights ADMINISTER = new Rights(false, false, true);
    private static final Scope ALL = new Scope.All();
    private static final Scope FILMS = new Scope.OfBucket("films");
    private static final Scope MAIN = new Scope.OfVolume("main");
    private static final PrincipalId NODE = PrincipalId.node(0);

    private final MetadataFixture rig = MetadataFixture.ready();
    private final User alice = rig.user(ALICE, 0);

    @Test
    void whoIsLetInBelongsWithItsKeyAndMayDoNothingYet() {
        assertFailed(rig.ask(STRANGER, new Query.GetMap()), MetadataError.NOT_AUTHORISED);
        alice.done(new Command.AddPrincipal(STRANGER, KEY));
        assertThat(list(-1)).isEqualTo(page(1, entry(STRANGER, KEY)));
        assertThat(rig.ask(STRANGER, new Query.GetMap())).isInstanceOf(Reply.Map.class);
        assertFailed(rig.ask(STRANGER, new Query.ListBuckets("", 10)), MetadataError.NOT_AUTHORISED);
        rig.user(STRANGER, 0)
                .refused(
                        MetadataError.NOT_AUTHORISED,
                        new Command.CreateBucket("music", "main", Versioning.LATEST_ONLY, 0));

        alice.refused(MetadataError.PRINCIPAL_EXISTS, new Command.AddPrincipal(STRANGER, OTHER_KEY));
        alice.refused(MetadataError.PRINCIPAL_EXISTS, new Command.AddPrincipal(BOB, OTHER_KEY));
        alice.refused(MetadataError.KEY_USED, new Command.AddPrincipal(PrincipalId.client(10), KEY));
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.AddPrincipal(PrincipalId.replica(9), OTHER_KEY));
    }

    @Test
    void onlyOperatorsChangeWhoBelongsButEveryoneItsOwnKey() {
        alice.done(new Command.AddPrincipal(STRANGER, KEY));
        for (PrincipalId principal : List.of(READER, STRANGER, NODE, PrincipalId.replica(0))) {
            User user = rig.user(principal, 0);
            user.refused(MetadataError.NOT_AUTHORISED, new Command.AddPrincipal(PrincipalId.client(10), OTHER_KEY));
            user.refused(MetadataError.NOT_AUTHORISED, new Command.RevokePrincipal(BOB));
            user.refused(MetadataError.NOT_AUTHORISED, new Command.RotateKey(BOB, List.of(OTHER_KEY)));
            user.refused(MetadataError.NOT_AUTHORISED, new Command.SetGrant(STRANGER, ALL, READ));
        }
        rig.user(STRANGER, 0).done(new Command.RotateKey(STRANGER, List.of(OTHER_KEY)));
        assertThat(list(-1)).isEqualTo(page(2, entry(STRANGER, OTHER_KEY)));
    }

    @PlantedBug(
            in = Registry.class,
            rule = "a key belongs to one principal",
            replace = "owner.isEmpty() || owner.get().equals(principal),",
            with = "owner.isEmpty() || owner.isPresent(),")
    @Test
    void aKeyIsExchangedInTwoStepsAndNeverBecomesAnothers() {
        alice.done(new Command.RotateKey(BOB, List.of(OTHER_KEY, KEY)));
        assertThat(list(-1)).isEqualTo(page(1, entry(BOB, OTHER_KEY, KEY)));
        alice.done(new Command.RotateKey(BOB, List.of(OTHER_KEY)));
        assertThat(list(1)).isEqualTo(page(2, entry(BOB, OTHER_KEY)));
        alice.refused(MetadataError.KEY_USED, new Command.AddPrincipal(STRANGER, KEY));
        alice.refused(MetadataError.NO_SUCH_PRINCIPAL, new Command.RotateKey(STRANGER, List.of(KEY)));
        assertThat(list(2)).as("nothing new").isEqualTo(page(2));
    }

    @PlantedBug(
            in = Registry.class,
            rule = "a revocation closes the client's sessions",
            replace = "sessions.openOf(principal).forEach(inodes::close);",
            with = "")
    @PlantedBug(
            in = Grants.class,
            rule = "a revoked client has no rights",
            replace = "return !member.get().revoked();",
            with = "return true;")
    @Test
    void afterARevocationNothingThatWasUnderWayTakesEffect() {
        User bob = rig.user(BOB, rig.volume);
        User other = rig.user(BOB, 0);
        bob.put("films", "before", 700);
        Command.PutObject held = bob.putOf("films", "held", Condition.NONE, bob.layout(700));
        bob.run(new Command.RegisterPending(List.of(bob.range(100, 3))));
        long seen = rig.changesAfter(0).getLast().sequence();

        alice.done(new Command.RevokePrincipal(BOB));
        assertFailed(bob.run(held), MetadataError.NOT_AUTHORISED);
        assertFailed(other.run(new Command.RenewSession()), MetadataError.NOT_AUTHORISED);
        assertFailed(
                rig.submit(BOB, new Submission.OpenSession(MetadataFixture.filled(16, 99), rig.volume)),
                MetadataError.NOT_AUTHORISED);
        assertFailed(rig.ask(BOB, new Query.GetMap()), MetadataError.NOT_AUTHORISED);
        assertThat(rig.ask(NODE, new Query.SessionOf(rig.volume, BOB, bob.session)))
                .isEqualTo(new Reply.Session(SessionState.CLOSED));
        assertThat(rig.ask(NODE, new Query.GrantOf(rig.volume, BOB))).isEqualTo(new Reply.Granted(false, false));
        assertThat(rig.changesAfter(seen)).as("nodes are told").isNotEmpty();
        assertThat(rig.references()).as("only the object that was there").hasSize(1);
        assertThat(rig.ask(ALICE, new Query.FindObject("films", "before", 0))).isInstanceOf(Reply.ObjectFound.class);
        assertFailed(rig.ask(ALICE, new Query.FindObject("films", "held", 0)), MetadataError.NO_SUCH_OBJECT);
    }

    @Test
    void aRevocationIsForGood() {
        alice.done(new Command.AddPrincipal(STRANGER, KEY));
        alice.done(new Command.SetGrant(STRANGER, FILMS, READ));
        alice.done(new Command.RevokePrincipal(STRANGER));
        Reply.PrincipalList revoked = page(2, new Reply.PrincipalEntry(STRANGER, List.of(), 0));
        assertThat(list(-1)).isEqualTo(revoked);
        alice.done(new Command.RevokePrincipal(STRANGER));
        alice.refused(MetadataError.PRINCIPAL_EXISTS, new Command.AddPrincipal(STRANGER, KEY));
        alice.refused(MetadataError.NO_SUCH_PRINCIPAL, new Command.RotateKey(STRANGER, List.of(OTHER_KEY)));
        alice.refused(MetadataError.NO_SUCH_PRINCIPAL, new Command.SetGrant(STRANGER, ALL, READ));
        alice.refused(MetadataError.KEY_USED, new Command.AddPrincipal(PrincipalId.client(10), KEY));
        assertThat(rig.ask(ALICE, new Query.ListGrants(STRANGER))).isEqualTo(new Reply.GrantList(List.of()));
        assertThat(list(-1)).isEqualTo(revoked);
    }

    @Test
    void ofTwoOperatorsWhoRevokeEachOtherTheSecondIsTooLateAndNobodyRevokesHimself() {
        User bob = rig.user(BOB, 0);
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.RevokePrincipal(ALICE));
        assertThat(alice.run(new Command.RevokePrincipal(ALICE)))
                .isInstanceOfSatisfying(
                        Reply.Failed.class,
                        failed -> assertThat(failed.message())
                                .isEqualTo(ALICE + " cannot revoke itself: another operator must"));
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.SetGrant(ALICE, ALL, READ));
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.RevokePrincipal(PrincipalId.replica(0)));
        alice.refused(MetadataError.NO_SUCH_PRINCIPAL, new Command.RevokePrincipal(STRANGER));
        bob.done(new Command.RevokePrincipal(ALICE));
        assertFailed(alice.run(new Command.RevokePrincipal(BOB)), MetadataError.NOT_AUTHORISED);
    }

    @Test
    void whoIsRevokedReadsThatAndNotThatAGrantIsMissing() {
        User bob = rig.user(BOB, rig.volume);
        alice.done(new Command.AddPrincipal(STRANGER, KEY));
        assertThat(message(rig.ask(STRANGER, new Query.ListBuckets("", 10))))
                .contains("no grant")
                .doesNotContain("revoked");
        alice.done(new Command.RevokePrincipal(BOB));
        assertThat(message(bob.run(new Command.RenewSession())))
                .isEqualTo(BOB + " may not do anything: it was revoked or never registered");
        assertThat(message(rig.ask(BOB, new Query.GetMap()))).contains("ask anything", "was revoked");
    }

    private static String message(Reply reply) {
        return ((Reply.Failed) reply).message();
    }

    @Test
    void aRevokedNodeIsToldNothing() {
        alice.done(new Command.RevokePrincipal(NODE));
        assertFailed(rig.ask(NODE, new Query.SessionChanges(0, 10)), MetadataError.NOT_AUTHORISED);
    }

    @Test
    void aGrantOnABucketIsForThatBucket() {
        alice.done(new Command.AddPrincipal(STRANGER, KEY));
        alice.done(new Command.SetGrant(STRANGER, FILMS, new Rights(true, true, false)));
        User stranger = rig.user(STRANGER, rig.volume);
        stranger.put("films", "mine", 700);
        assertThat(rig.ask(STRANGER, new Query.FindObject("films", "mine", 0))).isInstanceOf(Reply.ObjectFound.class);
        assertThat(rig.ask(STRANGER, new Query.ListBuckets("", 10))).isInstanceOf(Reply.BucketList.class);
        assertThat(rig.ask(NODE, new Query.GrantOf(rig.volume, STRANGER))).isEqualTo(new Reply.Granted(true, true));

        Command.PutObject elsewhere = stranger.putOf("diary", "mine", Condition.NONE, stranger.layout(700));
        stranger.refused(MetadataError.NOT_AUTHORISED, elsewhere);
        stranger.refused(MetadataError.NOT_AUTHORISED, new Command.DeleteObject("diary", "x", 0));
        stranger.refused(
                MetadataError.NOT_AUTHORISED, new Command.RenameObject("films", "mine", "diary", "x", Condition.NONE));
        stranger.refused(
                MetadataError.NOT_AUTHORISED, new Command.CopyObject("diary", "x", 0, "films", "x", Condition.NONE));
        stranger.refused(
                MetadataError.NOT_AUTHORISED, new Command.CreateBucket("music", "main", Versioning.LATEST_ONLY, 0));
        stranger.refused(MetadataError.NOT_AUTHORISED, new Command.DeleteVolume("main"));
        assertFailed(rig.ask(STRANGER, new Query.FindObject("diary", "x", 0)), MetadataError.NOT_AUTHORISED);
        assertFailed(
                rig.ask(STRANGER, new Query.ListObjects("diary", "", "", Bytes.EMPTY, 9, false)),
                MetadataError.NOT_AUTHORISED);

        alice.done(new Command.SetGrant(STRANGER, FILMS, READ));
        stranger.refused(MetadataError.NOT_AUTHORISED, new Command.DeleteObject("films", "mine", 0));
        assertThat(rig.ask(NODE, new Query.GrantOf(rig.volume, STRANGER))).isEqualTo(new Reply.Granted(true, false));
        alice.done(new Command.SetGrant(STRANGER, FILMS, Rights.NONE));
        assertThat(rig.ask(NODE, new Query.GrantOf(rig.volume, STRANGER))).isEqualTo(new Reply.Granted(false, false));
        assertFailed(rig.ask(STRANGER, new Query.ListBuckets("", 10)), MetadataError.NOT_AUTHORISED);
    }

    @Test
    void aGrantOnAVolumeIsForAllItsBucketsAndWhoAdministersItGivesGrantsThere() {
        alice.done(new Command.AddPrincipal(STRANGER, KEY));
        alice.done(new Command.AddPrincipal(PrincipalId.client(10), OTHER_KEY));
        alice.done(new Command.SetGrant(STRANGER, MAIN, new Rights(true, true, true)));
        User stranger = rig.user(STRANGER, rig.volume);
        stranger.put("films", "a", 700);
        stranger.put("diary", "a", 700);
        stranger.done(new Command.CreateBucket("music", "main", Versioning.LATEST_ONLY, 0));
        PrincipalId third = PrincipalId.client(10);
        stranger.done(new Command.SetGrant(third, FILMS, WRITE));
        stranger.done(new Command.SetGrant(third, MAIN, READ));
        stranger.refused(MetadataError.NOT_AUTHORISED, new Command.SetGrant(third, ALL, READ));
        stranger.refused(
                MetadataError.NOT_AUTHORISED,
                new Command.CreateVolume("own", VolumeKind.OBJECT, MetadataFixture.POLICY, 0, 0, 0));
        assertThat(rig.ask(third, new Query.ListGrants(third)))
                .isEqualTo(new Reply.GrantList(
                        List.of(new Reply.GrantEntry(MAIN, READ), new Reply.GrantEntry(FILMS, WRITE))));
        assertFailed(rig.ask(third, new Query.ListGrants(STRANGER)), MetadataError.NOT_AUTHORISED);
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.SetGrant(NODE, MAIN, READ));
        alice.refused(MetadataError.NO_SUCH_BUCKET, new Command.SetGrant(third, new Scope.OfBucket("none"), READ));
        alice.refused(MetadataError.NO_SUCH_VOLUME, new Command.SetGrant(third, new Scope.OfVolume("none"), READ));
    }

    @Test
    void anotherBucketOfTheSameNameBeginsWithoutGrants() {
        alice.done(new Command.AddPrincipal(STRANGER, KEY));
        alice.done(new Command.CreateBucket("music", "main", Versioning.LATEST_ONLY, 0));
        alice.done(new Command.SetGrant(STRANGER, new Scope.OfBucket("music"), new Rights(true, true, true)));
        alice.done(new Command.DeleteBucket("music"));
        assertThat(rig.ask(NODE, new Query.GrantOf(rig.volume, STRANGER))).isEqualTo(new Reply.Granted(false, false));
        alice.done(new Command.CreateBucket("music", "main", Versioning.LATEST_ONLY, 0));
        assertThat(rig.ask(ALICE, new Query.ListGrants(STRANGER))).isEqualTo(new Reply.GrantList(List.of()));
    }

    @Test
    void operatorsAreMadeByOperatorsAndTheStateSurvivesItsSnapshot() {
        alice.done(new Command.AddPrincipal(STRANGER, KEY));
        alice.done(new Command.SetGrant(STRANGER, ALL, ADMINISTER));
        alice.done(new Command.SetGrant(BOB, MAIN, READ));
        rig.user(STRANGER, 0).done(new Command.RevokePrincipal(BOB));
        MetadataStateMachine restored = MetadataStateMachine.restore(rig.machine.snapshot());
        assertThat(restored.digest()).isEqualTo(rig.machine.digest());
        rig.machine = restored;
        assertThat(list(-1)).isEqualTo(page(2, new Reply.PrincipalEntry(BOB, List.of(), 0), entry(STRANGER, KEY)));
        assertThat(rig.ask(ALICE, new Query.ListGrants(STRANGER)))
                .isEqualTo(new Reply.GrantList(List.of(new Reply.GrantEntry(ALL, ADMINISTER))));
    }

    @Test
    void pagesFollowEachOther() {
        alice.done(new Command.AddPrincipal(STRANGER, KEY));
        alice.done(new Command.RevokePrincipal(BOB));
        Reply.PrincipalList first =
                (Reply.PrincipalList) rig.ask(ALICE, new Query.ListPrincipals(-1, PrincipalId.NOBODY, 1));
        assertThat(first.principals()).containsExactly(new Reply.PrincipalEntry(BOB, List.of(), 0));
        assertThat(first.next()).isEqualTo(BOB);
        Reply.PrincipalList second =
                (Reply.PrincipalList) rig.ask(ALICE, new Query.ListPrincipals(-1, first.next(), 1));
        assertThat(second).isEqualTo(page(2, entry(STRANGER, KEY)));
    }

    private Reply list(long knownVersion) {
        return rig.ask(NODE, new Query.ListPrincipals(knownVersion, PrincipalId.NOBODY, 100));
    }

    private static Reply.PrincipalList page(long version, Reply.PrincipalEntry... entries) {
        return new Reply.PrincipalList(version, List.of(entries), PrincipalId.NOBODY);
    }

    private static Reply.PrincipalEntry entry(PrincipalId principal, PrincipalKey... keys) {
        return new Reply.PrincipalEntry(principal, List.of(keys), 0);
    }
}
