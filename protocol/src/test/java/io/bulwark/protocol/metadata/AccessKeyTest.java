package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Access keys: Alice operates, clients 20 and 23 are gateways, clients 21 and 22 are persons. */
@NullMarked
class AccessKeyTest {
    private static final long SEED = Long.getLong("bulwark.seed", 20261129L);
    private static final PrincipalId DOOR = PrincipalId.client(20);
    private static final PrincipalId OTHER_DOOR = PrincipalId.client(23);
    private static final PrincipalId PERSON = PrincipalId.client(21);
    private static final PrincipalId OTHER = PrincipalId.client(22);
    private static final String ID = "BWK23456789012345678";
    private static final Bytes BOX = MetadataFixture.filled(139, 7);
    private static final Reply NOTHING = new Reply.AccessKeyFound(Optional.empty(), Bytes.EMPTY);

    private MetadataFixture rig = MetadataFixture.ready();
    private User alice = rig.user(ALICE, 0);

    AccessKeyTest() {
        addClients();
    }

    private void addClients() {
        for (PrincipalId client : List.of(DOOR, OTHER_DOOR, PERSON, OTHER)) {
            alice.done(new Command.AddPrincipal(client, Signer.fresh().key()));
        }
    }

    private static AccessKey key(String id, PrincipalId person, long expiresMillis) {
        return new AccessKey(id, person, "backup", List.of(new AccessKey.Limit("films", "a/")), expiresMillis);
    }

    private static Command.SetAccessKey set(AccessKey key, PrincipalId... readers) {
        List<SealedSecret> secrets = new ArrayList<>();
        for (PrincipalId reader : readers) {
            secrets.add(new SealedSecret(reader, MetadataFixture.filled(139, reader.number() - 13)));
        }
        return new Command.SetAccessKey(key, secrets);
    }

    private void actFor(PrincipalId door, PrincipalId person) {
        alice.done(new Command.SetActFor(door, person, Rights.ALL));
    }

    private Reply find(PrincipalId asker) {
        return rig.ask(asker, new Query.FindAccessKey(ID));
    }

    private Reply.AccessKeyList list(PrincipalId asker, PrincipalId person, String after, int limit) {
        return (Reply.AccessKeyList) rig.ask(asker, new Query.ListAccessKeys(person, after, limit));
    }

    @PlantedBug(
            in = AccessKeys.class,
            rule = "a door without an act-for grant gets no secret",
            replace = "&& tables.actFor.contains(new Tables.ActForKey(asker.sender(), key.person()))",
            with = "")
    @Test
    void doorGetsItsSecretWhileItActsForThePerson() {
        alice.done(set(key(ID, PERSON, 0), DOOR));
        assertThat(find(DOOR)).isEqualTo(NOTHING);
        actFor(DOOR, PERSON);
        assertThat(find(DOOR)).isEqualTo(new Reply.AccessKeyFound(Optional.of(key(ID, PERSON, 0)), BOX));
        assertThat(rig.ask(DOOR, new Query.OnBehalf(PERSON, new Query.FindAccessKey(ID))))
                .as("on behalf of the person")
                .isEqualTo(NOTHING);
        actFor(OTHER_DOOR, PERSON);
        assertThat(find(OTHER_DOOR))
                .as("a door for which it is not sealed")
                .isEqualTo(new Reply.AccessKeyFound(Optional.of(key(ID, PERSON, 0)), Bytes.EMPTY));
        assertThat(find(PERSON)).isEqualTo(NOTHING);
        assertThat(find(READER)).isEqualTo(NOTHING);
        alice.done(new Command.SetActFor(DOOR, PERSON, Rights.NONE));
        assertThat(find(DOOR)).isEqualTo(NOTHING);
    }

    @PlantedBug(
            in = AccessKeys.class,
            rule = "an access key ends at its time",
            replace = "tables.totals().agreedMillis < key.expiresMillis()",
            with = "key.expiresMillis() > 0")
    @Test
    void keyEndsAtItsTime() {
        actFor(DOOR, PERSON);
        AccessKey key = key(ID, PERSON, rig.nowMillis + 60_000);
        alice.done(set(key, DOOR));
        assertThat(find(DOOR)).isEqualTo(new Reply.AccessKeyFound(Optional.of(key), BOX));
        rig.pass(alice, 70_000);
        assertThat(find(DOOR)).isEqualTo(NOTHING);
        assertThat(find(ALICE)).isEqualTo(new Reply.AccessKeyFound(Optional.of(key), Bytes.EMPTY));
        alice.done(new Command.SetAccessKey(key(ID, PERSON, 0), List.of()));
        assertThat(find(DOOR)).isEqualTo(new Reply.AccessKeyFound(Optional.of(key(ID, PERSON, 0)), BOX));
    }

    @PlantedBug(
            in = MetadataStateMachine.class,
            rule = "the access keys of a revoked person end",
            replace = "accessKeys.forget(revoke.principal());",
            with = "")
    @Test
    void revocationOfThePersonEndsTheKeysAndThatOfADoorItsPlace() {
        actFor(DOOR, PERSON);
        alice.done(set(key(ID, PERSON, 0), DOOR));
        alice.done(set(key(ID + "A", OTHER, 0), DOOR));
        alice.done(new Command.SetGateways(new Gateways(List.of(DOOR, OTHER_DOOR), ALICE, PERSON)));
        alice.done(new Command.RevokePrincipal(PERSON));
        assertThat(find(ALICE)).isEqualTo(NOTHING);
        assertThat(list(ALICE, PrincipalId.NOBODY, "", 10).entries())
                .extracting(entry -> entry.key().id())
                .containsExactly(ID + "A");
        alice.done(new Command.RevokePrincipal(DOOR));
        assertThat(rig.ask(READER, new Query.ListGateways()))
                .isEqualTo(new Reply.GatewayList(new Gateways(List.of(OTHER_DOOR), ALICE, PrincipalId.NOBODY)));
    }

    @PlantedBug(
            in = AccessKeys.class,
            rule = "no door gets the key of a suspended person",
            replace = "&& !suspensions.suspended(key.person())",
            with = "")
    @Test
    void suspendedPersonHasNoKey() {
        rig = new MetadataFixture();
        rig.machine = new MetadataStateMachine(MetadataFixture.genesis(6));
        alice = rig.user(ALICE, 0);
        addClients();
        ProtectionPolicy lazy = ProtectionPolicy.pasis(1, 2, 5, 4096, Verification.LAZY);
        Reply made = alice.run(new Command.CreateVolume("main", VolumeKind.OBJECT, lazy, 0, 6, 0));
        int volume = ((Reply.VolumeCreated) made).volume();
        alice.done(new Command.SetGrant(PERSON, new Scope.All(), new Rights(true, true, false)));
        actFor(DOOR, PERSON);
        alice.done(set(key(ID, PERSON, 0), DOOR));
        assertThat(find(DOOR)).isNotEqualTo(NOTHING);
        User person = rig.user(PERSON, volume);
        for (int node = 0; node < 2; node++) {
            rig.user(PrincipalId.node(node), 0)
                    .done(new Command.ReportPoison(PERSON, person.range(0, 1).at(0), person.session, "poisonous"));
        }
        assertThat(find(DOOR)).isEqualTo(NOTHING);
        alice.done(new Command.LiftSuspension(PERSON));
        assertThat(find(DOOR)).isNotEqualTo(NOTHING);
    }

    @Test
    void onlyAdministratorsChangeKeysAndGateways() {
        User reader = rig.user(READER, 0);
        User person = rig.user(PERSON, 0);
        for (Command command : List.of(
                set(key(ID, PERSON, 0), DOOR),
                new Command.RemoveAccessKey(ID),
                new Command.SetGateways(Gateways.NONE))) {
            reader.refused(MetadataError.NOT_AUTHORISED, command);
            person.refused(MetadataError.NOT_AUTHORISED, command);
        }
        alice.done(set(key(ID, PERSON, 0), DOOR));
        assertThat(list(PERSON, PERSON, "", 10).entries())
                .containsExactly(new Reply.AccessKeyEntry(key(ID, PERSON, 0), List.of(DOOR)));
        assertFailed(
                rig.ask(PERSON, new Query.ListAccessKeys(PrincipalId.NOBODY, "", 10)), MetadataError.NOT_AUTHORISED);
        assertFailed(rig.ask(OTHER, new Query.ListAccessKeys(PERSON, "", 10)), MetadataError.NOT_AUTHORISED);
        alice.done(new Command.RemoveAccessKey(ID));
        alice.refused(MetadataError.BAD_ARGUMENT, new Command.RemoveAccessKey(ID));
        assertThat(list(PERSON, PERSON, "", 10).entries()).isEmpty();
    }

    @PlantedBug(
            in = AccessKeys.class,
            rule = "the id of an ended access key is never given again",
            replace = "!tables.endedKeys.contains(key.id()),",
            with = "true,")
    @Test
    void idOfAnEndedKeyIsNeverGivenAgain() {
        String other = ID + "A";
        alice.done(set(key(ID, PERSON, 0), DOOR));
        alice.done(set(key(other, OTHER, 0), DOOR));
        alice.done(new Command.RemoveAccessKey(ID));
        alice.done(new Command.RevokePrincipal(OTHER));
        for (String ended : List.of(ID, other)) {
            alice.refused(MetadataError.BAD_ARGUMENT, set(key(ended, PERSON, 0), DOOR));
        }
    }

    @Test
    void administratorAtADoorSetsKeysAndGetsNoSecret() {
        alice.done(new Command.SetGrant(OTHER, new Scope.All(), Rights.ALL));
        actFor(DOOR, OTHER);
        User door = rig.user(DOOR, 0);
        assertThat(door.runFor(OTHER, set(key(ID, PERSON, 0), DOOR))).isEqualTo(new Reply.Done());
        assertThat(rig.ask(DOOR, new Query.OnBehalf(OTHER, new Query.FindAccessKey(ID))))
                .isEqualTo(new Reply.AccessKeyFound(Optional.of(key(ID, PERSON, 0)), Bytes.EMPTY));
        door.refusedFor(PERSON, MetadataError.NOT_AUTHORISED, new Command.RemoveAccessKey(ID));
    }

    @Test
    void unusableKeysAreRefused() {
        for (AccessKey bad : List.of(
                key("SHORT2345678901", PERSON, 0),
                key("BWK-3456789012345678", PERSON, 0),
                new AccessKey(ID, PERSON, "a\nb", List.of(), 0),
                new AccessKey(ID, PERSON, "", List.of(new AccessKey.Limit("Films", "")), 0),
                new AccessKey(ID, PERSON, "", List.of(new AccessKey.Limit("films", "a\u0000")), 0),
                new AccessKey(ID, PrincipalId.node(0), "", List.of(), 0))) {
            alice.refused(MetadataError.BAD_ARGUMENT, set(bad, DOOR));
        }
        alice.refused(MetadataError.NO_SUCH_PRINCIPAL, set(key(ID, STRANGER, 0), DOOR));
        alice.refused(MetadataError.NO_SUCH_PRINCIPAL, set(key(ID, PERSON, 0), STRANGER));
        alice.refused(MetadataError.BAD_ARGUMENT, set(key(ID, PERSON, 0), DOOR, DOOR));
        alice.refused(MetadataError.BAD_ARGUMENT, set(key(ID, PERSON, 0)));
        alice.done(set(key(ID, PERSON, 0), DOOR));
        alice.refused(MetadataError.BAD_ARGUMENT, set(key(ID, OTHER, 0), DOOR));
        alice.refused(
                MetadataError.BAD_ARGUMENT,
                new Command.SetGateways(new Gateways(List.of(DOOR, DOOR), PrincipalId.NOBODY, PrincipalId.NOBODY)));
        alice.refused(
                MetadataError.NO_SUCH_PRINCIPAL,
                new Command.SetGateways(new Gateways(List.of(), STRANGER, PrincipalId.NOBODY)));
    }

    @Test
    void personHasABoundedNumberOfKeys() {
        for (int number = 0; number < Command.ACCESS_KEYS_MAX; number++) {
            alice.done(set(key(ID + (char) ('A' + number), PERSON, 0), DOOR));
        }
        alice.refused(MetadataError.LIMIT_REACHED, set(key(ID, PERSON, 0), DOOR));
        alice.done(set(key(ID + "A", PERSON, 5), DOOR));
        alice.done(new Command.RemoveAccessKey(ID + "A"));
        alice.done(set(key(ID, PERSON, 0), DOOR));
    }

    /** Random changes against a model, at a replica that is restored from its snapshot now and then. */
    @Test
    void keysAreThoseThatWereSetAndNotRemoved() {
        System.out.println("AccessKeyTest bulwark.seed=" + SEED);
        Random random = new Random(SEED);
        Map<String, Reply.AccessKeyEntry> model = new TreeMap<>();
        Set<PrincipalId> acting = new HashSet<>();
        List<PrincipalId> persons = List.of(PERSON, OTHER);
        int found = 0;
        int[] ended = new int[8];
        for (int step = 0; step < 400; step++) {
            int number = random.nextInt(8);
            String id = ID + (char) ('A' + number) + ended[number];
            PrincipalId person = persons.get(number % 2);
            switch (random.nextInt(5)) {
                case 0, 1 -> {
                    AccessKey key = key(id, person, random.nextBoolean() ? 0 : rig.nowMillis + random.nextInt(90_000));
                    PrincipalId reader = random.nextBoolean() ? DOOR : OTHER_DOOR;
                    alice.done(set(key, reader));
                    model.put(id, new Reply.AccessKeyEntry(key, List.of(reader)));
                }
                case 2 -> {
                    boolean there = model.remove(id) != null;
                    Reply reply = alice.run(new Command.RemoveAccessKey(id));
                    assertThat(reply instanceof Reply.Done).isEqualTo(there);
                    ended[number] += there ? 1 : 0;
                }
                case 3 -> {
                    boolean acts = random.nextBoolean();
                    alice.done(new Command.SetActFor(DOOR, person, acts ? Rights.ALL : Rights.NONE));
                    if (acts) {
                        acting.add(person);
                    } else {
                        acting.remove(person);
                    }
                }
                default -> rig.machine = MetadataStateMachine.restore(rig.machine.snapshot());
            }
            assertThat(list(ALICE, PrincipalId.NOBODY, "", 10).entries()).containsExactlyElementsOf(model.values());
            Reply.AccessKeyList first = list(ALICE, PrincipalId.NOBODY, "", 3);
            assertThat(list(ALICE, PrincipalId.NOBODY, first.next(), 10).entries())
                    .as("the page behind the first, or all if that was the last")
                    .hasSize(first.next().isEmpty() ? model.size() : model.size() - 3);
            assertThat(list(person, person, "", 10).entries())
                    .containsExactlyElementsOf(model.values().stream()
                            .filter(entry -> entry.key().person().equals(person))
                            .toList());
            Optional<Reply.AccessKeyEntry> usable = Optional.ofNullable(model.get(id))
                    .filter(_ -> acting.contains(person))
                    .filter(entry -> entry.key().expiresMillis() == 0
                            || entry.key().expiresMillis() > rig.machine.agreedMillis());
            Reply expected = usable.<Reply>map(entry -> new Reply.AccessKeyFound(
                            Optional.of(entry.key()), entry.readers().contains(DOOR) ? BOX : Bytes.EMPTY))
                    .orElse(NOTHING);
            assertThat(rig.ask(DOOR, new Query.FindAccessKey(id))).isEqualTo(expected);
            found += usable.isPresent() ? 1 : 0;
        }
        assertThat(found).isBetween(20, 380);
    }
}
