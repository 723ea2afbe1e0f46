package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.locking.LogChain;
import io.bulwark.protocol.locking.LogHead;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.object.InlineContent;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.state.TreeMapState;
import io.bulwark.protocol.wire.Bytes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests a change of the replicas by an operator (decision 20): the commands accepted, and the resulting reports. */
@NullMarked
class ReplicasTest {
    private static final Bytes CLUSTER = MetadataFixture.filled(GenesisKeys.CLUSTER_BYTES, 0xC1);
    private static final PrincipalKey FRESH = Signer.fresh().key();

    private final Map<PrincipalId, Signer> signers = new HashMap<>();
    private final GenesisKeys keys;
    private final MetadataFixture rig = new MetadataFixture();
    private final User alice;
    private long number = 1000;

    ReplicasTest() {
        TreeMap<PrincipalId, PrincipalKey> first = new TreeMap<>();
        for (PrincipalId principal : List.of(ALICE, READER, replica(0), replica(1), replica(2), replica(3))) {
            signers.put(principal, Signer.fresh());
            first.put(principal, signer(principal).key());
        }
        keys = new GenesisKeys(CLUSTER, ALICE, first);
        Genesis genesis = MetadataFixture.genesis(7);
        rig.machine = new MetadataStateMachine(new Genesis(genesis.nodes(), genesis.grants(), keys));
        alice = rig.user(ALICE, 0);
    }

    private static PrincipalId replica(int number) {
        return PrincipalId.replica(number);
    }

    private Signer signer(PrincipalId principal) {
        return signers.getOrDefault(principal, Signer.fresh());
    }

    private static Member member(int number, PrincipalKey key) {
        return new Member(replica(number), key.encoded(), "replica-" + number + ".example:7600");
    }

    private Reply run(User user, Command command) {
        number++;
        return rig.submit(
                user.principal,
                new Submission.InSession(user.session, number, number, command)
                        .signed(CLUSTER, user.principal, signer(user.principal)::sign));
    }

    private void done(Command command) {
        assertThat(run(alice, command)).isEqualTo(new Reply.Done());
    }

    private void refused(MetadataError error, Command command) {
        Reply.ReplicaList before = list();
        assertFailed(run(alice, command), error);
        assertThat(list()).isEqualTo(before);
    }

    private Reply.ReplicaList list() {
        return (Reply.ReplicaList) rig.ask(READER, new Query.ListReplicas());
    }

    private static Command.ChangeReplicas replacing(long number, int leaving, Member coming) {
        return new Command.ChangeReplicas(number, List.of(replica(leaving)), List.of(coming));
    }

    /** The engine has come to the checkpoint. */
    private void begin() {
        List<Member> next = rig.machine.nextReplicas().orElseThrow();
        rig.machine.onReconfigured(new Configuration(list().now().number() + 1, next));
    }

    @Test
    void thoseOfTheGenesisOrderUntilOthersFollow() {
        assertThat(list()).isEqualTo(new Reply.ReplicaList(keys.configuration(), Optional.empty()));
        assertThat(rig.machine.nextReplicas()).isEmpty();
        done(replacing(1, 2, member(4, FRESH)));
        Configuration next = keys.configuration().replacing(2, member(4, FRESH));
        assertThat(list()).isEqualTo(new Reply.ReplicaList(keys.configuration(), Optional.of(next)));
        assertThat(rig.machine.nextReplicas()).contains(next.members());
        begin();
        assertThat(list()).isEqualTo(new Reply.ReplicaList(next, Optional.empty()));
        assertThat(rig.machine.nextReplicas()).isEmpty();
    }

    @Test
    void whileAChangeIsUnderWayThereIsNoOther() {
        done(replacing(1, 2, member(4, FRESH)));
        refused(
                MetadataError.REPLICAS_CHANGING,
                replacing(2, 1, member(5, Signer.fresh().key())));
        begin();
        refused(
                MetadataError.OTHER_REPLICAS,
                replacing(1, 1, member(5, Signer.fresh().key())));
        done(replacing(2, 1, member(5, Signer.fresh().key())));
    }

    /** Rule 5 of locking: the log servers of a log are the replicas of one configuration. */
    @PlantedBug(
            in = Touches.class,
            rule = "(5) replicas change once no log is open",
            replace = "case Command.ChangeReplicas ignored -> List.of(new Touch.Everything());",
            with = "case Command.ChangeReplicas ignored -> List.of();")
    @PlantedBug(
            in = Replicas.class,
            rule = "(5) no lock is given while the replicas are being changed",
            replace = "next().isEmpty(), MetadataError.NOT_LOCKABLE,",
            with = "true, MetadataError.NOT_LOCKABLE,")
    @Test
    void replicasChangeWhileNoLogIsOpen() {
        rig.volume = ((Reply.VolumeCreated) run(alice, MetadataFixture.objectVolume("main"))).volume();
        done(new Command.CreateBucket("films", "main", Versioning.LATEST_ONLY, 0));
        User holder = rig.user(MetadataFixture.BOB, rig.volume);
        Reply.Locked locked = (Reply.Locked) holder.run(LockFixture.lockOf(LockFixture.FILMS));
        Command.ChangeReplicas change = replacing(1, 2, member(4, FRESH));
        refused(MetadataError.LOCKED, change);
        LogHead empty = LogHead.empty(LogChain.root(CLUSTER, locked.log()));
        for (int server = 0; server < 3; server++) {
            rig.submit(replica(server), new Submission.Fetch(List.of(new Submission.Fetched(locked.log(), empty))));
        }
        done(change);
        holder.refused(MetadataError.NOT_LOCKABLE, LockFixture.lockOf(LockFixture.FILMS));
        begin();
        rig.pass(holder, Contention.PAUSE_MILLIS + 10_000);
        assertThat(holder.run(LockFixture.lockOf(LockFixture.FILMS))).isInstanceOf(Reply.Locked.class);
    }

    @Test
    void threeComeAndThreeGo() {
        List<Member> three = List.of(
                member(4, Signer.fresh().key()),
                member(5, Signer.fresh().key()),
                member(6, Signer.fresh().key()));
        done(new Command.ChangeReplicas(1, List.of(), three));
        begin();
        assertThat(list().now().faulty()).isEqualTo(2);
        done(new Command.ChangeReplicas(2, List.of(replica(0), replica(5), replica(3)), List.of()));
        begin();
        assertThat(list().now().replicas()).containsExactly(replica(1), replica(2), replica(4), replica(6));
        refused(
                MetadataError.BAD_ARGUMENT,
                new Command.ChangeReplicas(3, List.of(replica(1), replica(2), replica(4)), List.of()));
    }

    @Test
    void replicasWithSmallObjectsStayAsManyAsTheirVolumeNeeds() {
        done(new Command.ChangeReplicas(
                1,
                List.of(),
                List.of(
                        member(4, Signer.fresh().key()),
                        member(5, Signer.fresh().key()),
                        member(6, Signer.fresh().key()))));
        begin();
        Command strong = new Command.CreateVolume(
                "strong", VolumeKind.OBJECT, new ProtectionPolicy(2, 3, 7, MetadataFixture.BLOCK), 0, 1, 0);
        int volume = ((Reply.VolumeCreated) run(alice, strong)).volume();
        done(new Command.CreateBucket("safe", "strong", Versioning.LATEST_ONLY, 0));
        Command put = new Command.PutObject(
                "safe",
                "a",
                Condition.NONE,
                new InlineContent(volume, MetadataFixture.filled(5, 5)),
                ObjectAttributes.NONE,
                List.of(),
                List.of());
        assertThat(run(alice, put)).isInstanceOf(Reply.ObjectStored.class);
        Command fewer = new Command.ChangeReplicas(2, List.of(replica(4), replica(5), replica(6)), List.of());
        refused(MetadataError.BAD_ARGUMENT, fewer);
        assertThat(run(alice, new Command.DeleteObject("safe", "a", 0))).isInstanceOf(Reply.Deleted.class);
        for (int passed = 0; passed < Inodes.GRACE_MILLIS + 20_000; passed += 10_000) {
            rig.nowMillis += 9_000;
            done(new Command.RenewSession());
        }
        done(fewer);
        assertThat(run(alice, put))
                .as("fewer are to follow")
                .isInstanceOfSatisfying(
                        Reply.Failed.class, failed -> assertThat(failed.error()).isEqualTo(MetadataError.NOT_INLINE));
    }

    @Test
    void otherNumbersOfThemAreRefused() {
        refused(MetadataError.BAD_ARGUMENT, new Command.ChangeReplicas(1, List.of(), List.of(member(4, FRESH))));
        refused(MetadataError.BAD_ARGUMENT, new Command.ChangeReplicas(1, List.of(replica(1)), List.of()));
        refused(MetadataError.BAD_ARGUMENT, new Command.ChangeReplicas(1, List.of(), List.of()));
        refused(
                MetadataError.BAD_ARGUMENT,
                new Command.ChangeReplicas(
                        1,
                        List.of(),
                        List.of(
                                member(4, FRESH),
                                member(5, FRESH),
                                member(6, Signer.fresh().key()))));
        refused(MetadataError.NO_SUCH_PRINCIPAL, replacing(1, 4, member(5, FRESH)));
        refused(MetadataError.BAD_ARGUMENT, replacing(1, 2, member(255, FRESH)));
        refused(MetadataError.BAD_ARGUMENT, replacing(1, 2, new Member(replica(4), FRESH.encoded(), "nowhere")));
        assertThatThrownBy(() -> replacing(1, 2, new Member(replica(4), Bytes.EMPTY, "host:1")))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void neitherNameNorKeyComesBack() {
        refused(MetadataError.PRINCIPAL_EXISTS, replacing(1, 2, member(3, FRESH)));
        refused(MetadataError.KEY_USED, replacing(1, 2, member(4, signer(READER).key())));
        done(replacing(1, 2, member(4, FRESH)));
        begin();
        refused(
                MetadataError.PRINCIPAL_EXISTS,
                replacing(2, 4, member(2, Signer.fresh().key())));
        refused(
                MetadataError.KEY_USED,
                replacing(2, 1, member(5, signer(replica(2)).key())));
        refused(MetadataError.KEY_USED, replacing(2, 1, member(5, FRESH)));
    }

    private List<Reply.PrincipalEntry> registry() {
        Reply.PrincipalList registry =
                (Reply.PrincipalList) rig.ask(READER, new Query.ListPrincipals(-1, PrincipalId.NOBODY, 10));
        return registry.principals();
    }

    @Test
    void theRegistrySaysWhoCameAndWhoWent() {
        done(replacing(1, 2, member(4, FRESH)));
        begin();
        assertThat(registry())
                .containsExactly(
                        new Reply.PrincipalEntry(replica(2), List.of(), 0),
                        new Reply.PrincipalEntry(replica(4), List.of(FRESH), 0));
        refused(
                MetadataError.NO_SUCH_PRINCIPAL,
                new Command.RotateKey(replica(2), List.of(Signer.fresh().key())));
    }

    /**
     * Without the leaving replica the others may be too few to reach the checkpoint, and it continues under its current
     * key.
     */
    @Test
    void whoGoesIsBelievedUntilTheOthersBegin() {
        PrincipalKey other = Signer.fresh().key();
        done(new Command.RotateKey(replica(2), List.of(other)));
        done(replacing(1, 2, member(4, FRESH)));
        assertThat(registry()).contains(new Reply.PrincipalEntry(replica(2), List.of(other), 0));
        begin();
        assertThat(registry()).contains(new Reply.PrincipalEntry(replica(2), List.of(), 0));
    }

    /** A staying replica is named with its current key. */
    @Test
    void whoHasAnotherKeyIsNamedWithIt() {
        PrincipalKey other = Signer.fresh().key();
        done(new Command.RotateKey(replica(1), List.of(other)));
        done(replacing(1, 2, member(4, FRESH)));
        assertThat(list().next().orElseThrow().members().get(1).key()).isEqualTo(other.encoded());
        assertThat(list().now().members().get(1).key())
                .isEqualTo(signer(replica(1)).key().encoded());
    }

    @Test
    void itIsInTheAuditLogAndForOperatorsOnly() {
        User reader = rig.user(READER, 0);
        assertFailed(run(reader, replacing(1, 2, member(4, FRESH))), MetadataError.NOT_AUTHORISED);
        number++;
        assertFailed(
                rig.submit(
                        ALICE,
                        new Submission.InSession(alice.session, number, number, replacing(1, 2, member(4, FRESH)))),
                MetadataError.BAD_SIGNATURE);
        done(replacing(1, 2, member(4, FRESH)));
        Reply.AuditList log = (Reply.AuditList) rig.ask(ALICE, new Query.ListAudit(0, 10));
        AuditVerification check = new AuditVerification(keys);
        log.entries().forEach(entry -> assertThat(check.add(entry)).isEmpty());
        assertThat(check.head()).isEqualTo(log.head());
        assertThat(log.entries().getLast().command()).isEqualTo(replacing(1, 2, member(4, FRESH)));
    }

    @Test
    void aSnapshotKeepsWhoIsToFollow() {
        done(replacing(1, 2, member(4, FRESH)));
        MetadataStateMachine restored = MetadataStateMachine.restore(rig.machine.snapshot(), new TreeMapState(), keys);
        assertThat(restored.nextReplicas()).isEqualTo(rig.machine.nextReplicas());
    }

    @Test
    void whereReplicasStayTheChangeIsRefused() {
        rig.machine.withReplicasThatStay();
        refused(MetadataError.BAD_ARGUMENT, replacing(1, 2, member(4, FRESH)));
        MetadataFixture without = MetadataFixture.ready();
        without.user(ALICE, 0).refused(MetadataError.BAD_ARGUMENT, replacing(1, 2, member(4, FRESH)));
        assertFailed(without.ask(ALICE, new Query.ListReplicas()), MetadataError.BAD_ARGUMENT);
    }
}
