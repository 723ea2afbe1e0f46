package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.STRANGER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Verification;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Act-for grants: Alice operates, client 20 is the door, clients 21 and 22 are persons without rights at first. */
@NullMarked
class ActForTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261129L);
    private static final Scope ALL = new Scope.All();
    private static final Scope MAIN = new Scope.OfVolume("main");
    private static final Scope FILMS = new Scope.OfBucket("films");
    private static final Rights READ = new Rights(true, false, false);
    private static final Rights WRITE = new Rights(false, true, false);
    private static final Rights ADMINISTER = new Rights(false, false, true);
    private static final PrincipalId DOOR = PrincipalId.client(20);
    private static final PrincipalId PERSON = PrincipalId.client(21);
    private static final PrincipalId OTHER = PrincipalId.client(22);
    private static final PrincipalId NODE = PrincipalId.node(0);
    private static final Command DELETE = new Command.DeleteObject("films", "a", 0);
    private static final Query FIND = new Query.FindObject("films", "a", 0);

    private MetadataFixture rig = MetadataFixture.ready();
    private User alice = rig.user(ALICE, rig.volume);
    private User door;

    ActForTest() {
        for (PrincipalId client : List.of(DOOR, PERSON, OTHER)) {
            alice.done(new Command.AddPrincipal(client, Signer.fresh().key()));
        }
        alice.put("films", "a", 10);
        door = rig.user(DOOR, 0);
    }

    private void grant(PrincipalId client, Scope scope, Rights rights) {
        alice.done(new Command.SetGrant(client, scope, rights));
    }

    private void actFor(PrincipalId person, Rights ceiling) {
        alice.done(new Command.SetActFor(DOOR, person, ceiling));
    }

    private Reply ask(PrincipalId person, Query query) {
        return rig.ask(DOOR, new Query.OnBehalf(person, query));
    }

    private static boolean isPermitted(Reply reply) {
        return !(reply instanceof Reply.Failed failed) || failed.error() != MetadataError.NOT_AUTHORISED;
    }

    private Reply.ActForList list(PrincipalId asker, PrincipalId after, int limit) {
        return (Reply.ActForList) rig.ask(asker, new Query.ListActFor(DOOR, after, limit));
    }

    @PlantedBug(
            in = ActForGrants.class,
            rule = "a door acts for nobody without a grant",
            replace = "!ceiling.isNone() && grants.joined(person),",
            with = "grants.joined(person),")
    @PlantedBug(
            in = Authority.class,
            rule = "the ceiling of an act-for grant bounds the person's rights",
            replace = "return right.in(ceiling);",
            with = "return !ceiling.isNone() && right != null;")
    @Test
    void commandOnBehalfNeedsBothTheGrantAndThePersonsRight() {
        grant(PERSON, FILMS, new Rights(true, true, false));
        door.refusedFor(PERSON, MetadataError.NOT_AUTHORISED, DELETE);
        assertFailed(ask(PERSON, FIND), MetadataError.NOT_AUTHORISED);
        assertFailed(ask(PERSON, new Query.ListGrants(PERSON)), MetadataError.NOT_AUTHORISED);
        actFor(PERSON, READ);
        assertThat(ask(PERSON, new Query.ListGrants(PERSON))).isInstanceOf(Reply.GrantList.class);
        door.refusedFor(PERSON, MetadataError.NOT_AUTHORISED, DELETE);
        assertThat(ask(PERSON, FIND)).isInstanceOf(Reply.ObjectFound.class);
        actFor(PERSON, WRITE);
        assertFailed(ask(PERSON, FIND), MetadataError.NOT_AUTHORISED);
        assertThat(door.runFor(PERSON, DELETE)).isInstanceOf(Reply.Deleted.class);
        grant(PERSON, FILMS, READ);
        door.refusedFor(PERSON, MetadataError.NOT_AUTHORISED, DELETE);
        actFor(PERSON, Rights.NONE);
        assertFailed(ask(PERSON, FIND), MetadataError.NOT_AUTHORISED);
    }

    @PlantedBug(
            in = Authority.class,
            rule = "the door's own rights do not count on behalf of a person",
            replace = "return onBehalfOf.orElse(sender);",
            with = "return sender.number() < 0 ? onBehalfOf.orElse(sender) : sender;")
    @Test
    void ownRightsOfADoorCountForItselfOnly() {
        grant(DOOR, ALL, Rights.ALL);
        actFor(PERSON, Rights.ALL);
        door.refusedFor(PERSON, MetadataError.NOT_AUTHORISED, DELETE);
        assertFailed(ask(PERSON, FIND), MetadataError.NOT_AUTHORISED);
        assertFailed(ask(PERSON, new Query.ListAudit(0, 10)), MetadataError.NOT_AUTHORISED);
        grant(PERSON, ALL, Rights.ALL);
        grant(DOOR, ALL, Rights.NONE);
        door.refused(MetadataError.NOT_AUTHORISED, DELETE);
        assertThat(door.runFor(PERSON, DELETE)).isInstanceOf(Reply.Deleted.class);
        assertThat(ask(PERSON, new Query.ListAudit(0, 10))).isInstanceOf(Reply.AuditList.class);
    }

    @Test
    void grantOverADoorGivesWhatThatDoorMayDoItself() {
        alice.done(new Command.SetActFor(PERSON, OTHER, Rights.ALL));
        grant(OTHER, ALL, Rights.ALL);
        actFor(PERSON, Rights.ALL);
        door.refusedFor(PERSON, MetadataError.NOT_AUTHORISED, DELETE);
        door.refusedFor(OTHER, MetadataError.NOT_AUTHORISED, DELETE);
        assertThat(rig.ask(NODE, new Query.GrantOf(rig.volume, DOOR))).isEqualTo(new Reply.Granted(false, false));
        assertThat(rig.ask(NODE, new Query.GrantOf(rig.volume, PERSON))).isEqualTo(new Reply.Granted(true, true));
    }

    @Test
    void strangerInvitedOrRevokedPersonIsRefused() {
        alice.refused(MetadataError.NO_SUCH_PRINCIPAL, new Command.SetActFor(DOOR, STRANGER, READ));
        alice.refused(MetadataError.NO_SUCH_PRINCIPAL, new Command.SetActFor(STRANGER, PERSON, READ));
        alice.done(new Command.InvitePrincipal(STRANGER, Signer.fresh().key(), rig.nowMillis + 3_600_000));
        alice.refused(MetadataError.NO_SUCH_PRINCIPAL, new Command.SetActFor(DOOR, STRANGER, READ));
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.SetActFor(DOOR, DOOR, READ));
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.SetActFor(NODE, PERSON, READ));
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.SetActFor(DOOR, NODE, READ));
        rig.user(READER, 0).refused(MetadataError.NOT_AUTHORISED, new Command.SetActFor(DOOR, PERSON, READ));
        grant(PERSON, ALL, Rights.ALL);
        actFor(PERSON, Rights.ALL);
        assertFailed(rig.ask(STRANGER, new Query.OnBehalf(PERSON, FIND)), MetadataError.NOT_AUTHORISED);
        alice.done(new Command.RevokePrincipal(PERSON));
        door.refusedFor(PERSON, MetadataError.NOT_AUTHORISED, DELETE);
        assertFailed(ask(PERSON, new Query.GetMap()), MetadataError.NOT_AUTHORISED);
    }

    @PlantedBug(
            in = MetadataStateMachine.class,
            rule = "an act-for grant ends with the revocation of either",
            replace = "actFor.forget(revoke.principal());",
            with = "")
    @Test
    void revocationOfEitherEndsTheGrant() {
        actFor(PERSON, READ);
        actFor(OTHER, ADMINISTER);
        alice.done(new Command.RevokePrincipal(PERSON));
        assertThat(list(ALICE, PrincipalId.NOBODY, 10).entries())
                .containsExactly(new Reply.ActForEntry(OTHER, ADMINISTER));
        alice.done(new Command.RevokePrincipal(DOOR));
        assertThat(list(ALICE, PrincipalId.NOBODY, 10).entries()).isEmpty();
        assertFailed(door.runFor(OTHER, DELETE), MetadataError.NOT_AUTHORISED);
    }

    @PlantedBug(
            in = MetadataStateMachine.class,
            rule = "a suspended person writes by no door",
            replace = "submission.onBehalfOf().ifPresent(suspensions::requireNone);",
            with = "")
    @Test
    void suspendedPersonReadsAndDoesNotWrite() {
        rig = new MetadataFixture();
        rig.machine = new MetadataStateMachine(MetadataFixture.genesis(6));
        alice = rig.user(ALICE, 0);
        alice.done(new Command.AddPrincipal(DOOR, Signer.fresh().key()));
        alice.done(new Command.AddPrincipal(PERSON, Signer.fresh().key()));
        door = rig.user(DOOR, 0);
        ProtectionPolicy lazy = ProtectionPolicy.pasis(1, 2, 5, 4096, Verification.LAZY);
        Reply made = alice.run(new Command.CreateVolume("main", VolumeKind.OBJECT, lazy, 0, 6, 0));
        int volume = ((Reply.VolumeCreated) made).volume();
        alice.done(new Command.CreateBucket("films", "main", Versioning.LATEST_ONLY, 0));
        grant(PERSON, MAIN, new Rights(true, true, false));
        actFor(PERSON, Rights.ALL);
        User person = rig.user(PERSON, volume);
        for (int node = 0; node < 2; node++) {
            rig.user(PrincipalId.node(node), 0)
                    .done(new Command.ReportPoison(PERSON, person.range(0, 1).at(0), person.session, "poisonous"));
        }
        assertThat(rig.ask(NODE, new Query.GrantOf(volume, PERSON))).isEqualTo(new Reply.Granted(true, false));
        assertThat(rig.ask(NODE, new Query.GrantOf(volume, DOOR))).isEqualTo(new Reply.Granted(true, false));
        door.refusedFor(PERSON, MetadataError.SUSPENDED, DELETE);
        assertThat(isPermitted(ask(PERSON, FIND))).isTrue();
        alice.done(new Command.LiftSuspension(PERSON));
        assertFailed(door.runFor(PERSON, DELETE), MetadataError.NO_SUCH_OBJECT);
    }

    @PlantedBug(
            in = Permissions.class,
            rule = "nobody renews a session, reports as a node or names replicas on behalf of another",
            replace = "if (by.onBehalfOf().isPresent()) {",
            with = "if (by.sender().number() < 0) {")
    @Test
    void commandsOfThePrincipalItselfAreRefusedOnBehalf() {
        grant(PERSON, ALL, Rights.ALL);
        grant(DOOR, ALL, Rights.ALL);
        actFor(PERSON, Rights.ALL);
        for (Command own : List.of(
                new Command.RenewSession(),
                new Command.CloseSession(),
                new Command.RotateKey(PERSON, List.of(Signer.fresh().key())),
                new Command.RotateKey(DOOR, List.of(Signer.fresh().key())),
                new Command.ChangeReplicas(1, List.of(PrincipalId.replica(0)), List.of()),
                new Command.SealEpoch(rig.volume, 0, 1),
                new Command.ConfirmEpoch(rig.volume, 0, 1))) {
            door.refusedFor(PERSON, MetadataError.NOT_AUTHORISED, own);
        }
        assertThat(((Reply.Failed) door.runFor(
                                PERSON, new Command.ChangeReplicas(1, List.of(PrincipalId.replica(0)), List.of())))
                        .message())
                .endsWith(DOOR + " for " + PERSON + " may not change the set of replicas, only for itself");
    }

    @PlantedBug(
            in = MetadataStateMachine.class,
            rule = "nobody takes the right to administer from an operator on behalf of a person",
            replace = "submission.onBehalfOf().ifPresent(ignored -> requireOperatorStays(by, command));",
            with = "")
    @Test
    void operatorsAreNotRemovedOnBehalf() {
        grant(PERSON, ALL, Rights.ALL);
        actFor(PERSON, ADMINISTER);
        grant(OTHER, ALL, Rights.ALL);
        door.refusedFor(PERSON, MetadataError.NOT_AUTHORISED, new Command.RevokePrincipal(OTHER));
        door.refusedFor(PERSON, MetadataError.NOT_AUTHORISED, new Command.SetGrant(OTHER, ALL, READ));
        assertThat(door.runFor(PERSON, new Command.SetGrant(OTHER, ALL, ADMINISTER)))
                .isEqualTo(new Reply.Done());
        assertThat(door.runFor(
                        PERSON,
                        new Command.AddPrincipal(STRANGER, Signer.fresh().key())))
                .isEqualTo(new Reply.Done());
        assertThat(door.runFor(PERSON, new Command.SetGrant(STRANGER, ALL, Rights.ALL)))
                .isEqualTo(new Reply.Done());
        assertThat(door.runFor(PERSON, new Command.RevokePrincipal(STRANGER)))
                .as("an administrator whom a door made")
                .isEqualTo(new Reply.Done());
        alice.done(new Command.RevokePrincipal(OTHER));
    }

    @Test
    void operatorAtADoorKeepsTheLimitsOfAnOperator() {
        grant(PERSON, ALL, Rights.ALL);
        actFor(PERSON, ADMINISTER);
        door.refusedFor(PERSON, MetadataError.BAD_ARGUMENT, new Command.RevokePrincipal(PERSON));
        door.refusedFor(PERSON, MetadataError.BAD_ARGUMENT, new Command.SetGrant(PERSON, ALL, READ));
        assertThat(door.runFor(PERSON, new Command.SetGrant(OTHER, FILMS, READ)))
                .isEqualTo(new Reply.Done());
        assertThat(door.runFor(PERSON, new Command.RevokePrincipal(OTHER))).isEqualTo(new Reply.Done());
        assertThat(door.runFor(PERSON, new Command.SetActFor(DOOR, BOB, READ))).isEqualTo(new Reply.Done());
    }

    @PlantedBug(
            in = Submission.class,
            rule = "the number of a command is bound to its person",
            replace = "in.onBehalfOf.ifPresent(person -> person.write(out));",
            with = "in.onBehalfOf.ifPresent(person -> PrincipalId.client(21).write(out));")
    @Test
    void numberUsedForOnePersonIsNotGoodForAnother() {
        grant(PERSON, ALL, Rights.ALL);
        grant(OTHER, ALL, Rights.ALL);
        actFor(PERSON, Rights.ALL);
        actFor(OTHER, Rights.ALL);
        Submission.InSession plain = new Submission.InSession(door.session, 900, 900, DELETE);
        Reply first = rig.submit(DOOR, plain.onBehalfOf(PERSON));
        assertThat(first).isInstanceOf(Reply.Deleted.class);
        assertThat(rig.submit(DOOR, plain.onBehalfOf(PERSON))).isEqualTo(first);
        assertFailed(rig.submit(DOOR, plain.onBehalfOf(OTHER)), MetadataError.NUMBER_REUSED);
        assertFailed(rig.submit(DOOR, plain), MetadataError.NUMBER_REUSED);
    }

    @Test
    void doorReachesTheUnionOfWhatItMayDoForAnybody() {
        Query reach = new Query.GrantOf(rig.volume, DOOR);
        Submission open = new Submission.OpenSession(MetadataFixture.filled(16, 99), rig.volume);
        grant(PERSON, FILMS, new Rights(true, true, false));
        grant(OTHER, MAIN, READ);
        actFor(OTHER, Rights.ALL);
        assertThat(rig.ask(NODE, reach)).isEqualTo(new Reply.Granted(true, false));
        assertFailed(rig.submit(DOOR, open), MetadataError.NOT_AUTHORISED);
        actFor(OTHER, WRITE);
        assertThat(rig.ask(NODE, reach)).isEqualTo(new Reply.Granted(false, false));
        actFor(PERSON, WRITE);
        assertThat(rig.ask(NODE, reach)).isEqualTo(new Reply.Granted(false, true));
        assertThat(rig.submit(DOOR, open)).isInstanceOf(Reply.SessionOpened.class);
        // A door learns what it may do for just one person.
        assertThat(ask(PERSON, new Query.GrantOf(rig.volume, PERSON))).isEqualTo(new Reply.Granted(false, true));
        assertThat(ask(OTHER, new Query.GrantOf(rig.volume, OTHER))).isEqualTo(new Reply.Granted(false, false));
        assertFailed(ask(OTHER, new Query.GrantOf(rig.volume, PERSON)), MetadataError.NOT_AUTHORISED);
        grant(PERSON, FILMS, Rights.NONE);
        assertThat(rig.ask(NODE, reach)).isEqualTo(new Reply.Granted(false, false));
    }

    @Test
    void objectPutOnBehalfLiesInTheDoorsSession() {
        grant(PERSON, FILMS, WRITE);
        actFor(PERSON, WRITE);
        User writer = rig.user(DOOR, rig.volume);
        Command.PutObject put = writer.putOf("films", "b", Condition.NONE, writer.layout(700));
        writer.refused(MetadataError.NOT_AUTHORISED, put);
        Command.PutObject elsewhere = writer.putOf("diary", "b", Condition.NONE, writer.layout(700));
        writer.refusedFor(PERSON, MetadataError.NOT_AUTHORISED, elsewhere);
        assertThat(writer.runFor(PERSON, new Command.RegisterPending(List.of(writer.range(100, 2)))))
                .isInstanceOf(Reply.PendingRegistered.class);
        assertThat(writer.runFor(PERSON, put)).isInstanceOf(Reply.ObjectStored.class);
        assertThat(rig.ask(ALICE, new Query.FindObject("films", "b", 0))).isInstanceOf(Reply.ObjectFound.class);
    }

    @Test
    void doorsCountAmongTheWritersOfVersions() {
        alice.run(new Command.CreateVolume(
                "disk", VolumeKind.REGISTER, ProtectionPolicy.pasis(1, 2, 5, 4096, Verification.LAZY), 1000, 0, 0));
        Reply.Writers before = (Reply.Writers) rig.ask(ALICE, new Query.CountWriters());
        grant(PERSON, new Scope.OfVolume("disk"), WRITE);
        assertThat(rig.ask(ALICE, new Query.CountWriters())).isEqualTo(new Reply.Writers(before.count() + 1));
        actFor(PERSON, READ);
        assertThat(rig.ask(ALICE, new Query.CountWriters())).isEqualTo(new Reply.Writers(before.count() + 1));
        actFor(PERSON, WRITE);
        actFor(OTHER, WRITE);
        assertThat(rig.ask(ALICE, new Query.CountWriters())).isEqualTo(new Reply.Writers(before.count() + 2));
    }

    @Test
    void listOfADoorIsPagedAndShownToThoseConcerned() {
        actFor(PERSON, READ);
        actFor(OTHER, WRITE);
        actFor(BOB, ADMINISTER);
        alice.done(new Command.SetActFor(/* door= */ PERSON, /* person= */ DOOR, READ));
        List<Reply.ActForEntry> all = List.of(
                new Reply.ActForEntry(BOB, ADMINISTER),
                new Reply.ActForEntry(PERSON, READ),
                new Reply.ActForEntry(OTHER, WRITE));
        for (PrincipalId asker : List.of(ALICE, DOOR)) {
            assertThat(list(asker, PrincipalId.NOBODY, 10)).isEqualTo(new Reply.ActForList(all, PrincipalId.NOBODY));
            assertThat(list(asker, PrincipalId.NOBODY, 2)).isEqualTo(new Reply.ActForList(all.subList(0, 2), PERSON));
            assertThat(list(asker, PERSON, 2)).isEqualTo(new Reply.ActForList(all.subList(2, 3), PrincipalId.NOBODY));
        }
        assertThat(list(OTHER, PrincipalId.NOBODY, 10).entries()).isEqualTo(all.subList(2, 3));
        assertThat(list(READER, PrincipalId.NOBODY, 10).entries()).isEmpty();
        // On behalf of a person a door sees what that person sees.
        assertThat(((Reply.ActForList) ask(OTHER, new Query.ListActFor(DOOR, PrincipalId.NOBODY, 10))).entries())
                .isEqualTo(all.subList(2, 3));
    }

    /** A thousand persons take some seconds: the limit is no smaller. */
    @Test
    void doorActsForAtMostAThousandPersons() {
        for (int number = 0; number < Command.ACT_FOR_MAX; number++) {
            PrincipalId each = PrincipalId.client(1000 + number);
            alice.done(new Command.AddPrincipal(each, Signer.fresh().key()));
            actFor(each, READ);
        }
        alice.refused(MetadataError.LIMIT_REACHED, new Command.SetActFor(DOOR, PERSON, READ));
        actFor(PrincipalId.client(1000), WRITE);
        actFor(PrincipalId.client(1000), Rights.NONE);
        actFor(PERSON, READ);
        assertThat(MetadataStateMachine.restore(rig.machine.snapshot()).digest())
                .isEqualTo(rig.machine.digest());
    }

    /** A command with the rights that it needs, all on the same side of its scopes. */
    private record NeedingCommand(Command command, Rights needed) {}

    private static final List<NeedingCommand> COMMANDS = List.of(
            new NeedingCommand(new Command.CreateBucket("music", "main", Versioning.LATEST_ONLY, 0), WRITE),
            new NeedingCommand(new Command.DeleteBucket("diary"), WRITE),
            new NeedingCommand(DELETE, WRITE),
            new NeedingCommand(new Command.SetTags("films", "a", 0, new TreeMap<>()), WRITE),
            new NeedingCommand(new Command.UpdateBucket("films", BucketChange.NONE.withQuota(7)), ADMINISTER),
            new NeedingCommand(new Command.PutDocument("films", "cors", Condition.NONE, Bytes.EMPTY), ADMINISTER),
            new NeedingCommand(
                    new Command.DeleteObject("films", "a", 0, Condition.NONE, Command.DeleteMode.BYPASS_GOVERNANCE),
                    new Rights(false, true, true)),
            new NeedingCommand(new Command.RenameObject("films", "a", "diary", "b", Condition.NONE), WRITE),
            new NeedingCommand(
                    new Command.CopyObject("films", "a", 0, "diary", "b", Condition.NONE),
                    new Rights(true, true, false)),
            new NeedingCommand(new Command.SetGrant(READER, FILMS, READ), ADMINISTER),
            new NeedingCommand(new Command.SetGrant(READER, MAIN, READ), ADMINISTER),
            new NeedingCommand(new Command.SetGrant(READER, ALL, READ), ADMINISTER),
            new NeedingCommand(new Command.RevokePrincipal(READER), ADMINISTER),
            new NeedingCommand(new Command.DeleteVolume("main"), ADMINISTER),
            new NeedingCommand(MetadataFixture.objectVolume("other"), ADMINISTER),
            new NeedingCommand(new Command.LiftSuspension(READER), ADMINISTER),
            new NeedingCommand(new Command.SetRelease(MetadataFixture.filled(32, 1), true), ADMINISTER),
            new NeedingCommand(new Command.SetActFor(OTHER, BOB, READ), ADMINISTER));

    private static final List<Query> QUERIES = List.of(
            FIND,
            new Query.ListObjects("films", "", "", Bytes.EMPTY, 10, true),
            new Query.ListVersions("diary", "", "", 0, 10),
            new Query.FindDocument("films", "cors"),
            new Query.ListDocuments("films"),
            new Query.ListBuckets("", 10));

    private static Rights anyRights(Random random) {
        return new Rights(random.nextBoolean(), random.nextBoolean(), random.nextBoolean());
    }

    private static boolean includes(Rights ceiling, Rights needed) {
        return (ceiling.read() || !needed.read())
                && (ceiling.write() || !needed.write())
                && (ceiling.administer() || !needed.administer());
    }

    /** For random rights of the door, the person and the grant. */
    @Test
    void onBehalfIsPermittedIfThePersonIsAndTheCeilingIncludesIt() {
        System.out.println("ActForTest bulwark.seed=" + SEED);
        Random random = new Random(SEED);
        int permitted = 0;
        int refused = 0;
        List<Scope> scopes = List.of(ALL, MAIN, FILMS, new Scope.OfBucket("diary"));
        User person = rig.user(PERSON, 0);
        for (int round = 0; round < 300; round++) {
            for (PrincipalId client : List.of(DOOR, PERSON)) {
                for (Scope scope : scopes) {
                    grant(client, scope, random.nextBoolean() ? anyRights(random) : Rights.NONE);
                }
            }
            Rights ceiling = anyRights(random);
            actFor(PERSON, ceiling);
            List.of(person, door).forEach(each -> each.done(new Command.RenewSession()));
            MetadataStateMachine before = MetadataStateMachine.restore(rig.machine.snapshot());
            NeedingCommand tried = COMMANDS.get(random.nextInt(COMMANDS.size()));
            long now = rig.nowMillis;
            Reply alone = person.run(tried.command());
            rig.nowMillis = now;
            rig.machine = MetadataStateMachine.restore(before.snapshot());
            Reply onBehalf = door.runFor(PERSON, tried.command());
            rig.machine = before;
            boolean expected = isPermitted(alone) && includes(ceiling, tried.needed());
            assertThat(isPermitted(onBehalf))
                    .as("round %d: %s with the ceiling %s", round, tried.command(), ceiling)
                    .isEqualTo(expected);
            if (expected) {
                assertThat(onBehalf).isEqualTo(alone);
                permitted++;
            } else {
                refused++;
            }
            Query query = QUERIES.get(random.nextInt(QUERIES.size()));
            Reply known = rig.ask(PERSON, query);
            Reply told = ask(PERSON, query);
            assertThat(isPermitted(told))
                    .as("round %d: %s with the ceiling %s", round, query, ceiling)
                    .isEqualTo(isPermitted(known) && ceiling.read());
            assertThat(isPermitted(told) ? told : known).isEqualTo(known);
        }
        assertThat(List.of(permitted, refused)).allMatch(count -> count > 30);
    }
}
