package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.membership.OperatorAuthorizations;
import io.bulwark.protocol.state.TreeMapState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests the proof that an operator has named the next replicas (decision 20). Alice is the first operator; Bob is only
 * a member.
 */
@NullMarked
class OperatorAuthorizationTest {
    private static final Bytes CLUSTER = MetadataFixture.filled(GenesisKeys.CLUSTER_BYTES, 0xC1);
    private static final PrincipalId CAROL = PrincipalId.client(20);
    private static final PrincipalId DAVE = PrincipalId.client(21);
    private static final Rights OPERATOR = new Rights(true, true, true);
    private static final Rights WRITER = new Rights(true, true, false);
    private static final Signer FRESH = Signer.fresh();

    private final Map<PrincipalId, Signer> signers = new HashMap<>();
    private final Map<PrincipalId, User> users = new HashMap<>();
    private final GenesisKeys keys;
    private final MetadataFixture rig = new MetadataFixture();
    private final Configuration genesis;
    private final Configuration next;
    private final Command.ChangeReplicas change =
            new Command.ChangeReplicas(1, List.of(replica(2)), List.of(member(4, FRESH)));
    private final OperatorAuthorization authorizations;
    private long number = 1000;

    OperatorAuthorizationTest() {
        TreeMap<PrincipalId, PrincipalKey> first = new TreeMap<>();
        for (PrincipalId principal : List.of(ALICE, BOB, replica(0), replica(1), replica(2), replica(3))) {
            first.put(principal, signer(principal).key());
        }
        keys = new GenesisKeys(CLUSTER, ALICE, first);
        Genesis begun = MetadataFixture.genesis(5);
        rig.machine = new MetadataStateMachine(new Genesis(
                begun.nodes(), List.of(Genesis.Grant.all(ALICE), new Genesis.Grant(BOB, false, true, true)), keys));
        genesis = keys.configuration();
        next = genesis.replacing(2, member(4, FRESH));
        authorizations = new OperatorAuthorization(keys);
    }

    private static PrincipalId replica(int number) {
        return PrincipalId.replica(number);
    }

    private static Member member(int number, Signer signer) {
        return new Member(replica(number), signer.key().encoded(), "replica-" + number + ".example:7600");
    }

    private Signer signer(PrincipalId principal) {
        return signers.computeIfAbsent(principal, _ -> Signer.fresh());
    }

    private Reply run(PrincipalId by, Command command) {
        number++;
        User user = users.computeIfAbsent(by, each -> rig.user(each, 0));
        return rig.submit(
                by,
                new Submission.InSession(user.session, number, number, command).signed(CLUSTER, by, signer(by)::sign));
    }

    private void done(PrincipalId by, Command command) {
        assertThat(run(by, command)).isEqualTo(new Reply.Done());
    }

    /** With another key from now on. */
    private void rotate(PrincipalId by, PrincipalId principal) {
        Signer other = Signer.fresh();
        done(by, new Command.RotateKey(principal, List.of(other.key())));
        signers.put(principal, other);
    }

    private void let(PrincipalId principal) {
        done(ALICE, new Command.AddPrincipal(principal, signer(principal).key()));
    }

    private static Command grant(PrincipalId client, Rights rights) {
        return new Command.SetGrant(client, new Scope.All(), rights);
    }

    private List<AuditEntry> log() {
        return ((Reply.AuditList) rig.ask(ALICE, new Query.ListAudit(0, 1000))).entries();
    }

    /** Returns the entries of the state machine's mandate; it is valid, and each entry is needed. */
    private List<AuditEntry> authorization() {
        Bytes made = rig.machine.authorization(genesis, next()).orElseThrow();
        assertThat(authorizations.name(genesis, next(), made)).isTrue();
        List<AuditEntry> needed = new ArrayList<>();
        for (AuditEntry entry : log()) {
            WireWriter one = new WireWriter();
            entry.write(one);
            if (made.toHex().contains(one.toBytes().toHex())) {
                needed.add(entry);
            }
        }
        assertThat(encoded(needed)).isEqualTo(made);
        return needed;
    }

    private Configuration next() {
        return new Configuration(1, rig.machine.nextReplicas().orElse(next.members()));
    }

    private static Bytes encoded(List<AuditEntry> entries) {
        return OperatorAuthorization.encoded(entries.subList(0, entries.size() - 1), entries.getLast());
    }

    private boolean isOne(AuditEntry... entries) {
        return authorizations.name(genesis, next, encoded(List.of(entries)));
    }

    /** As the log would have it, had it been executed. */
    private AuditEntry entry(PrincipalId by, Signer signer, Command.Administrative command) {
        number++;
        Bytes signed = AuditEntry.signed(CLUSTER, by, Optional.empty(), 7, number, command);
        return new AuditEntry(
                number,
                1,
                by,
                7,
                number,
                command,
                Optional.of(new AuditEntry.Approval(signer.key(), signer.sign(signed))));
    }

    private AuditEntry entry(PrincipalId by, Command.Administrative command) {
        return entry(by, signer(by), command);
    }

    private AuditEntry onBehalf(PrincipalId by, PrincipalId person, Command.Administrative command) {
        number++;
        Bytes signed = AuditEntry.signed(CLUSTER, by, Optional.of(person), 7, number, command);
        Optional<AuditEntry.Approval> approval =
                Optional.of(new AuditEntry.Approval(signer(by).key(), signer(by).sign(signed)));
        return new AuditEntry(number, 1, by, Optional.of(person), 7, number, command, approval);
    }

    @PlantedBug(
            in = OperatorAuthorization.class,
            rule = "a command on behalf of a person names no replicas",
            replace = "|| entry.onBehalfOf().isPresent()) {",
            with = ") {")
    @PlantedBug(
            in = OperatorAuthorization.class,
            rule = "a command on behalf of a person makes nobody an operator",
            replace = "if (entry.onBehalfOf().isPresent()) {",
            with = "if (entry.number() == 0) {")
    @Test
    void commandOnBehalfOfAPersonProvesNothing() {
        assertThat(isOne(entry(ALICE, change))).isTrue();
        assertThat(isOne(onBehalf(ALICE, BOB, change))).isFalse();
        assertThat(isOne(onBehalf(BOB, ALICE, change))).isFalse();
        Command.Administrative operator = new Command.SetGrant(BOB, new Scope.All(), new Rights(true, true, true));
        assertThat(isOne(entry(ALICE, operator), entry(BOB, change))).isTrue();
        assertThat(isOne(onBehalf(ALICE, CAROL, operator), entry(BOB, change))).isFalse();
    }

    @Test
    void newOperatorByADoorNamesReplicasOnceAnOperatorGrantsAgain() {
        let(CAROL);
        done(ALICE, new Command.SetActFor(BOB, ALICE, new Rights(true, true, true)));
        number++;
        User door = users.computeIfAbsent(BOB, each -> rig.user(each, 0));
        Submission.InSession grant = new Submission.InSession(
                        door.session, number, number, grant(CAROL, new Rights(true, true, true)))
                .onBehalfOf(ALICE);
        assertThat(rig.submit(BOB, grant.signed(CLUSTER, BOB, signer(BOB)::sign)))
                .isEqualTo(new Reply.Done());
        MetadataFixture.assertFailed(run(CAROL, change), MetadataError.NOT_AUTHORISED);
        done(ALICE, grant(CAROL, new Rights(true, true, true)));
        done(CAROL, change);
        assertThat(authorization()).hasSize(3);
    }

    @Test
    void theFirstOperatorsCommandIsEnough() {
        rotate(ALICE, BOB);
        done(ALICE, change);
        assertThat(authorization()).hasSize(1);
    }

    @PlantedBug(
            in = OperatorAuthorization.class,
            rule = "a authorization is for one configuration number",
            replace = "|| change.number() != next.number()",
            with = "")
    @PlantedBug(
            in = OperatorAuthorization.class,
            rule = "a authorization is for one list of replicas",
            replace = "return named.replicas().equals(next.replicas()) && withKeysOf(named, next).equals(next);",
            with = "return named.number() == next.number();")
    @Test
    void itIsForThisListAfterThatOneOnly() {
        done(ALICE, change);
        Bytes made = encoded(authorization());
        assertThat(authorizations.name(genesis, genesis.replacing(1, member(4, FRESH)), made))
                .isFalse();
        assertThat(authorizations.name(genesis, genesis.replacing(2, member(5, FRESH)), made))
                .isFalse();
        assertThat(authorizations.name(genesis, genesis.replacing(2, member(4, Signer.fresh())), made))
                .isFalse();
        Member elsewhere = new Member(replica(4), FRESH.key().encoded(), "elsewhere.example:7600");
        assertThat(authorizations.name(genesis, genesis.replacing(2, elsewhere), made))
                .isFalse();
        assertThat(authorizations.name(genesis, new Configuration(2, next.members()), made))
                .isFalse();
        assertThat(authorizations.name(next, next.replacing(1, member(5, Signer.fresh())), made))
                .isFalse();
        Configuration again = new Configuration(1, genesis.members());
        assertThat(authorizations.name(again, new Configuration(2, next.members()), made))
                .as("said long ago")
                .isFalse();
        Configuration other = genesis.replacing(0, member(9, Signer.fresh()));
        assertThat(authorizations.name(other, next, made)).isFalse();
    }

    @PlantedBug(
            in = OperatorAuthorization.class,
            rule = "only an operator names replicas",
            replace = "return ofOwn ? List.of(key) : List.of(key, new Fact.Operator(entry.by()));",
            with = "return List.of(key);")
    @PlantedBug(
            in = OperatorAuthorization.class,
            rule = "the signatures of a authorization are checked",
            replace = ".filter(approval -> approval.key()",
            with = ".filter(approval -> approval.signature().length() > 0 || approval.key()")
    @Test
    void whatNoOperatorHasSignedIsNone() {
        assertThat(isOne(entry(ALICE, change))).isTrue();
        assertThat(isOne(entry(BOB, change))).isFalse();
        assertThat(isOne(entry(ALICE, signer(BOB), change))).isFalse();
        assertThat(isOne(entry(CAROL, change))).isFalse();
        AuditEntry right = entry(ALICE, change);
        Optional<AuditEntry.Approval> approval = right.approval();
        assertThat(isOne(new AuditEntry(1, 1, ALICE, 7, right.sessionNumber() + 1, change, approval)))
                .isFalse();
        assertThat(isOne(new AuditEntry(1, 1, ALICE, 7, right.sessionNumber(), change, Optional.empty())))
                .isFalse();
        Bytes elsewhere = AuditEntry.signed(
                MetadataFixture.filled(GenesisKeys.CLUSTER_BYTES, 1), ALICE, Optional.empty(), 7, 1, change);
        assertThat(isOne(new AuditEntry(
                        1,
                        1,
                        ALICE,
                        7,
                        1,
                        change,
                        Optional.of(new AuditEntry.Approval(
                                signer(ALICE).key(), signer(ALICE).sign(elsewhere))))))
                .isFalse();
    }

    @Test
    void whoWasMadeAnOperatorIsShownToBeOne() {
        let(DAVE);
        let(CAROL);
        done(ALICE, grant(CAROL, OPERATOR));
        done(CAROL, change);
        List<AuditEntry> made = authorization();
        assertThat(made).hasSize(3);
        for (AuditEntry left : made) {
            List<AuditEntry> others = new ArrayList<>(made);
            others.remove(left);
            assertThat(authorizations.name(genesis, next, encoded(others))).isFalse();
        }
        assertThat(isOne(made.get(1), made.get(0), made.get(2)))
                .as("the order of two that need each other not")
                .isTrue();
        assertThat(isOne(made.get(0), made.get(2), made.get(1))).isFalse();
        assertThat(isOne(made.get(0), made.get(0), made.get(1), made.get(2)))
                .as("more than it needs")
                .isFalse();
    }

    @PlantedBug(
            in = OperatorAuthorization.class,
            rule = "only the right to administer everything gives a authorization",
            replace = "set.scope() instanceof Scope.All && set.rights().administer()",
            with = "set.scope() instanceof Scope.All")
    @PlantedBug(
            in = OperatorAuthorization.class,
            rule = "a client does not exchange another's key",
            replace = "return rotate.principal().equals(entry.by());",
            with = "return !rotate.principal().equals(PrincipalId.NOBODY);")
    @Test
    void onlyOperatorsMakeOthersOperators() {
        AuditEntry carol =
                entry(ALICE, new Command.AddPrincipal(CAROL, signer(CAROL).key()));
        AuditEntry command = entry(CAROL, change);
        assertThat(isOne(carol, entry(ALICE, (Command.SetGrant) grant(CAROL, OPERATOR)), command))
                .isTrue();
        assertThat(isOne(carol, entry(BOB, (Command.SetGrant) grant(CAROL, OPERATOR)), command))
                .isFalse();
        assertThat(isOne(carol, entry(CAROL, (Command.SetGrant) grant(CAROL, OPERATOR)), command))
                .isFalse();
        assertThat(isOne(carol, entry(ALICE, (Command.SetGrant) grant(CAROL, WRITER)), command))
                .isFalse();
        assertThat(isOne(
                        carol,
                        entry(ALICE, new Command.SetGrant(CAROL, new Scope.OfVolume("main"), OPERATOR)),
                        command))
                .isFalse();
        AuditEntry byBob =
                entry(BOB, new Command.AddPrincipal(CAROL, signer(CAROL).key()));
        AuditEntry rotated =
                entry(BOB, new Command.RotateKey(CAROL, List.of(signer(CAROL).key())));
        AuditEntry grant = entry(ALICE, (Command.SetGrant) grant(CAROL, OPERATOR));
        assertThat(isOne(byBob, grant, command)).isFalse();
        assertThat(isOne(rotated, grant, command)).isFalse();
    }

    /** A replica that was away since before must still be able to follow. */
    @Test
    void keysThatWereExchangedAndOperatorsThatWereRevokedSinceChangeNothing() {
        rotate(ALICE, ALICE);
        let(CAROL);
        done(ALICE, grant(CAROL, OPERATOR));
        rotate(ALICE, CAROL);
        rotate(CAROL, CAROL);
        done(CAROL, new Command.RevokePrincipal(ALICE));
        done(CAROL, change);
        assertThat(rig.machine.authorization(genesis, next).filter(made -> authorizations.name(genesis, next, made)))
                .isPresent();
        Bytes made = rig.machine.authorization(genesis, next).orElseThrow();
        rotate(CAROL, CAROL);
        assertThat(rig.machine.authorization(genesis, next)).contains(made);
    }

    /** A key that was written into a token does not stay secret forever. */
    @Test
    void theKeyOfAnInvitationIsNoneToGoOnFrom() {
        Signer token = Signer.fresh();
        done(ALICE, new Command.InvitePrincipal(CAROL, token.key(), rig.nowMillis + 3_600_000));
        signers.put(CAROL, token);
        rotate(CAROL, CAROL);
        done(ALICE, grant(CAROL, OPERATOR));
        assertFailed(run(CAROL, change), MetadataError.NOT_AUTHORISED);
        assertThat(rig.machine.nextReplicas()).isEmpty();
        done(ALICE, new Command.RotateKey(CAROL, List.of(signer(CAROL).key())));
        done(CAROL, change);
        assertThat(authorization()).hasSize(3);
        AuditEntry invited = entry(ALICE, new Command.InvitePrincipal(DAVE, token.key(), 1));
        AuditEntry joined = entry(
                DAVE, token, new Command.RotateKey(DAVE, List.of(signer(DAVE).key())));
        AuditEntry granted = entry(ALICE, (Command.SetGrant) grant(DAVE, OPERATOR));
        assertThat(isOne(invited, joined, granted, entry(DAVE, change))).isFalse();
        assertThat(isOne(joined, granted, entry(DAVE, change))).isFalse();
    }

    /**
     * An intruder at 2f+1 replicas, one after the other, could rotate each to a key of his own. These keys would take
     * effect when an operator replaces any replica.
     */
    @Test
    void whoStaysHasAnotherKeyIfAnOperatorSaysSo() {
        rotate(replica(1), replica(1));
        assertFailed(run(ALICE, change), MetadataError.NOT_AUTHORISED);
        assertThat(rig.machine.nextReplicas()).isEmpty();
        done(ALICE, new Command.RotateKey(replica(1), List.of(signer(replica(1)).key())));
        done(ALICE, change);
        assertThat(authorization()).hasSize(2);
        Signer false1 = Signer.fresh();
        Configuration his = new Configuration(
                1,
                List.of(
                        next.members().get(0),
                        new Member(replica(1), false1.key().encoded(), ""),
                        next.members().get(2),
                        next.members().get(3)));
        AuditEntry own = entry(replica(1), new Command.RotateKey(replica(1), List.of(false1.key())));
        AuditEntry operators = entry(ALICE, new Command.RotateKey(replica(1), List.of(false1.key())));
        AuditEntry command = entry(ALICE, change);
        assertThat(authorizations.name(genesis, his, encoded(List.of(command)))).isFalse();
        assertThat(authorizations.name(genesis, his, encoded(List.of(own, command))))
                .isFalse();
        assertThat(authorizations.name(genesis, his, encoded(List.of(operators, command))))
                .isTrue();
    }

    /** The log does not show that Bob is an operator. */
    @Test
    void whoseRightTheLogDoesNotShowIsGivenItAgain() {
        rig.machine = MetadataStateMachine.restore(new MetadataFixture().machine.snapshot(), new TreeMapState(), keys);
        assertFailed(run(BOB, change), MetadataError.NOT_AUTHORISED);
        done(ALICE, grant(BOB, OPERATOR));
        done(BOB, change);
        assertThat(authorization()).hasSize(2);
    }

    @Test
    void whoIsTooFarFromTheFirstOperatorIsRefusedUntilANearerOneSaysTheSame() {
        let(CAROL);
        done(ALICE, grant(CAROL, OPERATOR));
        for (int i = 3; i <= OperatorAuthorization.ENTRIES_MAX; i++) {
            rotate(CAROL, CAROL);
        }
        done(CAROL, change);
        Bytes longest = rig.machine.authorization(genesis, next).orElseThrow();
        assertThat(authorizations.name(genesis, next, longest)).isTrue();
        assertThat(longest.length()).isLessThan(OperatorAuthorizations.BYTES_MAX);
        rig.machine.onReconfigured(next);
        rotate(CAROL, CAROL);
        Member coming = member(5, Signer.fresh());
        Command again = new Command.ChangeReplicas(2, List.of(replica(1)), List.of(coming));
        assertFailed(run(CAROL, again), MetadataError.NOT_AUTHORISED);
        done(ALICE, new Command.RotateKey(CAROL, List.of(signer(CAROL).key())));
        done(CAROL, again);
        Configuration last = next.replacing(1, coming);
        Bytes made = rig.machine.authorization(next, last).orElseThrow();
        assertThat(authorizations.name(next, last, made)).isTrue();
        assertThat(made.length()).isLessThan(2_000);
    }

    /** Carol joined by a token, made Dave an operator and named replicas under a build that asked for no mandate. */
    @Test
    void whatAnOlderBuildTookIsShownOnceAnOperatorSaysTheRest() {
        AuditEntry dave =
                entry(CAROL, new Command.AddPrincipal(DAVE, signer(DAVE).key()));
        AuditEntry daves = entry(CAROL, (Command.SetGrant) grant(DAVE, OPERATOR));
        AuditEntry command = entry(DAVE, change);
        AuditEntry right = entry(ALICE, (Command.SetGrant) grant(CAROL, OPERATOR));
        AuditEntry key =
                entry(ALICE, new Command.RotateKey(CAROL, List.of(signer(CAROL).key())));
        assertThat(new AuthorizationSearch(keys, List.of(dave, daves, command, right)).of(genesis, next))
                .isEmpty();
        Bytes made = new AuthorizationSearch(keys, List.of(dave, daves, command, right, key))
                .of(genesis, next)
                .orElseThrow();
        assertThat(authorizations.name(genesis, next, made)).isTrue();
    }

    /** A log may be as long as those who exchange their own keys all day can make it. */
    @Test
    void whatOthersThanOperatorsSayTakesNoRoom() {
        AuditEntry command = entry(ALICE, change);
        List<AuditEntry> log = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            log.add(entry(
                    BOB,
                    new Command.RotateKey(
                            BOB, List.of(Signer.fresh().key(), signer(BOB).key()))));
        }
        log.add(command);
        assertThat(new AuthorizationSearch(keys, log).origins(next.replicas())).isEmpty();
        assertThat(new AuthorizationSearch(keys, log).of(genesis, next)).contains(encoded(List.of(command)));
        List<AuditEntry> padded = new ArrayList<>(log);
        assertThat(authorizations.name(genesis, next, encoded(padded))).isFalse();
    }

    /** One of two entries that prove the same is enough; the choice must not depend on the search order. */
    @Test
    void aMandateHasNoEntryThatNothingRestsOn() {
        long seed = Long.getLong("bulwark.seed", System.nanoTime());
        System.out.println("-Dbulwark.seed=" + seed);
        Random random = new Random(seed);
        List<PrincipalId> people = List.of(ALICE, BOB, CAROL, DAVE);
        List<PrincipalKey> points =
                people.stream().map(each -> signer(each).key()).toList();
        int found = 0;
        for (int round = 0; round < 60; round++) {
            List<AuditEntry> log = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                PrincipalId by = random.nextBoolean() ? ALICE : people.get(random.nextInt(4));
                PrincipalId about = people.get(random.nextInt(4));
                Signer signer = signer(random.nextInt(4) > 0 ? by : people.get(random.nextInt(4)));
                PrincipalKey one = random.nextBoolean() ? signer(about).key() : points.get(random.nextInt(4));
                PrincipalKey other = points.get(random.nextInt(4));
                log.add(entry(
                        by,
                        signer,
                        switch (random.nextInt(4)) {
                            case 0 -> new Command.AddPrincipal(about, one);
                            case 1 -> (Command.SetGrant) grant(about, OPERATOR);
                            case 2 -> new Command.RotateKey(about, List.of(one));
                            default ->
                                new Command.RotateKey(about, one.equals(other) ? List.of(one) : List.of(one, other));
                        }));
            }
            log.add(random.nextInt(21), entry(DAVE, signer(people.get(random.nextInt(4))), change));
            Optional<Bytes> made = new AuthorizationSearch(keys, log).of(genesis, next);
            found += made.isPresent() ? 1 : 0;
            made.ifPresent(
                    each -> assertThat(authorizations.name(genesis, next, each)).isTrue());
        }
        assertThat(found).isPositive();
    }

    @Test
    void hostileBytesAreNone() {
        let(CAROL);
        done(ALICE, grant(CAROL, OPERATOR));
        done(CAROL, change);
        Bytes made = rig.machine.authorization(genesis, next).orElseThrow();
        assertThat(authorizations.name(genesis, next, Bytes.EMPTY)).isFalse();
        for (int length = 0; length < made.length(); length += 3) {
            assertThat(authorizations.name(genesis, next, made.slice(0, length)))
                    .isFalse();
        }
        assertThat(authorizations.name(
                        genesis, next, new WireWriter().raw(made).u8(0).toBytes()))
                .isFalse();
        long seed = System.nanoTime();
        System.out.println("seed " + seed);
        Random random = new Random(seed);
        int unsigned = 0;
        for (int i = 0; i < 200; i++) {
            byte[] wrong = made.toByteArray();
            wrong[random.nextInt(wrong.length)] ^= (byte) (1 << random.nextInt(8));
            // The number and the time of an entry nobody has signed, and nothing rests on them.
            unsigned += authorizations.name(genesis, next, Bytes.of(wrong)) ? 1 : 0;
        }
        assertThat(unsigned).isLessThan(30);
    }
}
