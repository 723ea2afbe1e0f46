package io.bulwark.protocol.metadata;

import static io.bulwark.protocol.metadata.MetadataFixture.ALICE;
import static io.bulwark.protocol.metadata.MetadataFixture.BOB;
import static io.bulwark.protocol.metadata.MetadataFixture.READER;
import static io.bulwark.protocol.metadata.MetadataFixture.STRANGER;
import static io.bulwark.protocol.metadata.MetadataFixture.assertFailed;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.protocol.metadata.MetadataFixture.User;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.state.TreeMapState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class AuditLogTest {
    private static final Scope ALL = new Scope.All();
    private static final Rights READ = new Rights(true, false, false);
    private static final Bytes CLUSTER = MetadataFixture.filled(GenesisKeys.CLUSTER_BYTES, 0xC1);

    private final Map<PrincipalId, Signer> signers = new TreeMap<>();
    private final GenesisKeys keys;
    private final MetadataFixture rig = new MetadataFixture();
    private final Operator alice;
    private final Operator bob;

    AuditLogTest() {
        TreeMap<PrincipalId, PrincipalKey> first = new TreeMap<>();
        for (PrincipalId principal : List.of(ALICE, BOB, READER)) {
            signers.put(principal, Signer.fresh());
            first.put(principal, signer(principal).key());
        }
        keys = new GenesisKeys(CLUSTER, ALICE, first);
        Genesis genesis = MetadataFixture.genesis(5);
        rig.machine = new MetadataStateMachine(new Genesis(genesis.nodes(), genesis.grants(), keys));
        alice = new Operator(rig.user(ALICE, 0), signer(ALICE));
        bob = new Operator(rig.user(BOB, 0), signer(BOB));
    }

    private Signer signer(PrincipalId principal) {
        return signers.getOrDefault(principal, Signer.fresh());
    }

    /** Somebody's session, whose commands are signed. */
    private final class Operator {
        private final User user;
        private Signer signer;
        private long number = 1000;

        Operator(User user, Signer signer) {
            this.user = user;
            this.signer = signer;
        }

        Submission.InSession next(Command command) {
            number++;
            return new Submission.InSession(user.session, number, number, command)
                    .signed(CLUSTER, user.principal, signer::sign);
        }

        Reply run(Command command) {
            return rig.submit(user.principal, next(command));
        }

        void done(Command command) {
            assertThat(run(command)).isEqualTo(new Reply.Done());
        }
    }

    private Reply.AuditList log() {
        return page(0, 1000);
    }

    private Reply.AuditList page(long after, int limit) {
        return (Reply.AuditList) rig.ask(ALICE, new Query.ListAudit(after, limit));
    }

    private AuditVerification verified() {
        Reply.AuditList log = log();
        AuditVerification verification = new AuditVerification(keys);
        log.entries().forEach(entry -> assertThat(verification.add(entry)).isEmpty());
        assertThat(verification.entries()).isEqualTo(log.count());
        assertThat(verification.head()).isEqualTo(log.head());
        return verification;
    }

    /** Returns the first problem found before the end of the entries, if any. */
    private Optional<String> problem(List<AuditEntry> entries) {
        AuditVerification verification = new AuditVerification(keys);
        return entries.stream()
                .map(verification::add)
                .filter(Optional::isPresent)
                .findFirst()
                .orElse(Optional.empty());
    }

    @Test
    void whatOperatorsDoIsKeptInOrderWithTheirSignatures() {
        assertThat(log().count()).isZero();
        assertThat(log().head()).isEqualTo(AuditEntry.root(CLUSTER));
        Command.CreateVolume volume = MetadataFixture.objectVolume("main");
        assertThat(alice.run(volume)).isEqualTo(new Reply.VolumeCreated(1));
        Command.AddPrincipal add = new Command.AddPrincipal(STRANGER, Samples.KEY);
        bob.done(add);
        alice.done(new Command.SetGrant(STRANGER, ALL, READ));
        alice.done(new Command.RevokePrincipal(STRANGER));
        alice.done(new Command.DeleteVolume("main"));
        assertThat(verified().entries()).isEqualTo(5);
        AuditEntry second = log().entries().get(1);
        assertThat(second.by()).isEqualTo(BOB);
        assertThat(second.command()).isEqualTo(add);
        assertThat(second.number()).isEqualTo(2);
        assertThat(second.approval().orElseThrow().key()).isEqualTo(signer(BOB).key());
        assertThat(second.agreedMillis()).isEqualTo(log().entries().getFirst().agreedMillis() + 1000);
        assertThat(page(1, 2).entries()).isEqualTo(log().entries().subList(1, 3));
        assertThat(page(5, 10).entries()).isEmpty();
    }

    @PlantedBug(
            in = Registry.class,
            rule = "the audit log checks signatures",
            replace = "if (key.verifies(signed, signature)) {",
            with = "if (!signed.isEmpty()) {")
    @PlantedBug(
            in = AuditLog.class,
            rule = "an operator signs its commands",
            replace = "approval.isPresent() || !genesis.mustSign(),",
            with = "true,")
    @PlantedBug(
            in = AuditEntry.class,
            rule = "the signature of an audit entry covers the cluster",
            replace = "new WireWriter().raw(SIGNED_TAG).raw(cluster);",
            with = "new WireWriter().raw(SIGNED_TAG);")
    @PlantedBug(
            in = AuditEntry.class,
            rule = "the signature of an audit entry covers its number",
            replace = "out.i64(session).i64(number);",
            with = "out.i64(session);")
    @Test
    void whatIsNotSignedForJustThisIsRefused() {
        Command command = new Command.AddPrincipal(STRANGER, Samples.KEY);
        Bytes before = log().head();
        assertFailed(alice.user.run(command), MetadataError.BAD_SIGNATURE);
        Submission.InSession signed = alice.next(command);
        for (Submission.InSession wrong : List.of(
                new Submission.InSession(signed.session(), 2000, 2000, command, Optional.empty(), signed.signature()),
                new Submission.InSession(
                        signed.session(),
                        2001,
                        2001,
                        new Command.RevokePrincipal(BOB),
                        Optional.empty(),
                        signed.signature()),
                new Submission.InSession(
                        signed.session(), 2002, 2002, command, Optional.empty(), MetadataFixture.filled(64, 0)),
                new Submission.InSession(
                        signed.session(), 2003, 2003, command, Optional.empty(), MetadataFixture.filled(64, 0xFF)),
                new Submission.InSession(signed.session(), 2004, 2004, command)
                        .signed(MetadataFixture.filled(16, 0xC2), ALICE, signer(ALICE)::sign),
                new Submission.InSession(signed.session(), 2005, 2005, command)
                        .signed(CLUSTER, BOB, signer(ALICE)::sign),
                new Submission.InSession(signed.session(), 2006, 2006, command)
                        .signed(CLUSTER, ALICE, signer(BOB)::sign))) {
            assertFailed(rig.submit(ALICE, wrong), MetadataError.BAD_SIGNATURE);
        }
        // Another session of the same number is another's.
        assertThat(bob.user.session).isEqualTo(signed.session());
        Submission.InSession stolen = new Submission.InSession(
                signed.session(), signed.number(), signed.number(), command, Optional.empty(), signed.signature());
        assertFailed(rig.submit(BOB, stolen), MetadataError.BAD_SIGNATURE);
        assertThat(log().head()).isEqualTo(before);
        assertThat(rig.ask(ALICE, new Query.ListPrincipals(-1, PrincipalId.NOBODY, 10)))
                .isEqualTo(new Reply.PrincipalList(0, List.of(), PrincipalId.NOBODY));
    }

    @Test
    void aCommandIsKeptOnceAndOneThatIsRefusedIsNot() {
        Submission.InSession add = alice.next(new Command.AddPrincipal(STRANGER, Samples.KEY));
        assertThat(rig.submit(ALICE, add)).isEqualTo(new Reply.Done());
        assertThat(rig.submit(ALICE, add)).isEqualTo(new Reply.Done());
        assertFailed(alice.run(new Command.AddPrincipal(STRANGER, Samples.OTHER_KEY)), MetadataError.PRINCIPAL_EXISTS);
        Operator reader = new Operator(rig.user(READER, 0), signer(READER));
        assertFailed(reader.run(new Command.RevokePrincipal(BOB)), MetadataError.NOT_AUTHORISED);
        assertFailed(rig.ask(READER, new Query.ListAudit(0, 10)), MetadataError.NOT_AUTHORISED);
        assertThat(verified().entries()).isEqualTo(1);
    }

    @Test
    void longCommandsAreRefused() {
        String name = "n".repeat(AuditEntry.COMMAND_BYTES_MAX);
        assertFailed(alice.run(new Command.DeleteVolume(name)), MetadataError.BAD_ARGUMENT);
    }

    @Test
    void signaturesStayGoodWhenKeysAreExchangedAndTheirOwnersRevoked() {
        Signer next = Signer.fresh();
        Operator reader = new Operator(rig.user(READER, 0), signer(READER));
        reader.done(
                new Command.RotateKey(READER, List.of(next.key(), signer(READER).key())));
        reader.done(new Command.RotateKey(READER, List.of(next.key())));
        assertFailed(reader.run(new Command.RotateKey(READER, List.of(next.key()))), MetadataError.BAD_SIGNATURE);
        reader.signer = next;
        reader.done(new Command.RotateKey(READER, List.of(next.key())));
        Signer fresh = Signer.fresh();
        alice.done(new Command.AddPrincipal(STRANGER, fresh.key()));
        alice.done(new Command.SetGrant(STRANGER, ALL, new Rights(false, false, true)));
        new Operator(rig.user(STRANGER, 0), fresh).done(new Command.RevokePrincipal(READER));
        bob.done(new Command.RevokePrincipal(STRANGER));
        assertThat(verified().entries()).isEqualTo(7);
    }

    @Test
    void whereNobodyHasKeysTheLogSaysSo() {
        MetadataFixture open = MetadataFixture.ready();
        User operator = open.user(ALICE, 0);
        operator.done(new Command.AddPrincipal(STRANGER, Samples.KEY));
        assertFailed(
                open.submit(
                        ALICE,
                        new Submission.InSession(operator.session, 50, 50, new Command.RevokePrincipal(BOB))
                                .signed(GenesisKeys.NONE.cluster(), ALICE, signer(ALICE)::sign)),
                MetadataError.BAD_SIGNATURE);
        Reply.AuditList log = (Reply.AuditList) open.ask(ALICE, new Query.ListAudit(0, 10));
        AuditVerification verification = new AuditVerification(GenesisKeys.NONE);
        log.entries().forEach(entry -> assertThat(verification.add(entry)).isEmpty());
        assertThat(verification.head()).isEqualTo(log.head());
        assertThat(verification.unsigned()).isEqualTo(2);
        assertThat(problem(log.entries())).contains("it is not signed");
    }

    @Test
    void theLogSurvivesItsSnapshot() {
        alice.done(new Command.AddPrincipal(STRANGER, Samples.KEY));
        rig.machine = MetadataStateMachine.restore(rig.machine.snapshot(), new TreeMapState(), keys);
        Submission.InSession signed = alice.next(new Command.RevokePrincipal(BOB));
        assertFailed(
                rig.submit(
                        ALICE,
                        new Submission.InSession(signed.session(), signed.number(), signed.number(), signed.command())),
                MetadataError.BAD_SIGNATURE);
        alice.done(new Command.RevokePrincipal(BOB));
        assertThat(verified().entries()).isEqualTo(2);
    }

    @PlantedBug(
            in = AuditEntry.class,
            rule = "audit entries are chained",
            replace = "WireWriter out = new WireWriter().raw(previous);",
            with = "WireWriter out = new WireWriter().raw(ROOT_TAG);")
    @Test
    void everyChangeIsFound() {
        alice.done(new Command.AddPrincipal(STRANGER, Samples.KEY));
        bob.done(new Command.RotateKey(
                BOB, List.of(Samples.OTHER_KEY, signer(BOB).key())));
        alice.done(new Command.SetGrant(STRANGER, ALL, READ));
        List<AuditEntry> entries = log().entries();
        Bytes head = verified().head();
        List<AuditEntry> without = new ArrayList<>(entries);
        without.remove(1);
        assertThat(problem(without)).contains("it comes after entry 1");
        assertThat(problem(List.of(entries.get(1), entries.get(0)))).isPresent();
        for (int i = 0; i < entries.size(); i++) {
            Bytes encoded = encoded(entries.get(i));
            for (int at = 0; at < encoded.length(); at++) {
                byte[] changed = encoded.toByteArray();
                changed[at] ^= (byte) (1 << at % 8);
                List<AuditEntry> wrong = new ArrayList<>(entries);
                try {
                    wrong.set(i, AuditEntry.read(new WireReader(Bytes.of(changed))));
                } catch (MalformedException | IllegalArgumentException e) {
                    continue;
                }
                AuditVerification verification = new AuditVerification(keys);
                boolean found =
                        wrong.stream().anyMatch(each -> verification.add(each).isPresent());
                assertThat(found || !verification.head().equals(head))
                        .as("byte %d of entry %d", at, i)
                        .isTrue();
            }
        }
    }

    @Test
    void whatWasSignedOnceIsNotExecutedTwice() {
        alice.done(new Command.AddPrincipal(STRANGER, Samples.KEY));
        AuditEntry once = log().entries().getFirst();
        AuditEntry twice = new AuditEntry(
                2, once.agreedMillis(), ALICE, once.session(), once.sessionNumber(), once.command(), once.approval());
        assertThat(problem(List.of(once, twice))).contains("the same command of client-1 was executed before");
        AuditEntry unsigned =
                new AuditEntry(2, once.agreedMillis(), ALICE, once.session(), 5000, once.command(), Optional.empty());
        assertThat(problem(List.of(once, unsigned))).contains("it is not signed");
        AuditEntry older = new AuditEntry(
                2, once.agreedMillis() - 1, ALICE, once.session(), 5000, once.command(), once.approval());
        assertThat(problem(List.of(once, older))).contains("it is older than its predecessor");
    }

    @Test
    void aKeyThatWasGivenUpSignsNothingAnyMore() {
        bob.done(new Command.RotateKey(BOB, List.of(Samples.KEY)));
        Command.Administrative command = new Command.RevokePrincipal(READER);
        Bytes signature = signer(BOB).sign(AuditEntry.signed(CLUSTER, BOB, Optional.empty(), 1, 5000, command));
        AuditEntry forged = new AuditEntry(
                2,
                rig.nowMillis,
                BOB,
                1,
                5000,
                command,
                Optional.of(new AuditEntry.Approval(signer(BOB).key(), signature)));
        assertThat(problem(List.of(log().entries().getFirst(), forged)))
                .contains("it is signed with a key that was not registered for client-2");
    }

    @PlantedBug(
            in = AuditEntry.class,
            rule = "the signature of an audit entry covers the person",
            replace = "onBehalfOf.ifPresent(person -> person.write(out)); return out.toBytes();",
            with = "return out.toBytes();")
    @Test
    void entryOnBehalfOfAPersonShowsBothAndIsSignedByTheDoor() {
        alice.done(new Command.AddPrincipal(STRANGER, Samples.KEY));
        alice.done(new Command.SetActFor(BOB, READER, Rights.ALL));
        alice.done(new Command.SetActFor(BOB, STRANGER, Rights.ALL));
        alice.done(new Command.SetGrant(READER, ALL, Rights.ALL));
        alice.done(new Command.SetGrant(STRANGER, ALL, Rights.ALL));
        Command command = MetadataFixture.objectVolume("main");
        Submission.InSession plain = new Submission.InSession(bob.user.session, 3000, 3000, command);
        Submission.InSession signed = plain.onBehalfOf(READER).signed(CLUSTER, BOB, signer(BOB)::sign);
        assertFailed(rig.submit(BOB, signed.onBehalfOf(STRANGER)), MetadataError.BAD_SIGNATURE);
        Submission.InSession bare =
                new Submission.InSession(bob.user.session, 3001, 3001, command, Optional.empty(), signed.signature());
        assertFailed(rig.submit(BOB, bare), MetadataError.BAD_SIGNATURE);
        Submission.InSession byThePerson = new Submission.InSession(bob.user.session, 3002, 3002, command)
                .onBehalfOf(READER)
                .signed(CLUSTER, BOB, signer(READER)::sign);
        assertFailed(rig.submit(BOB, byThePerson), MetadataError.BAD_SIGNATURE);
        Submission.InSession again = new Submission.InSession(bob.user.session, 3003, 3003, command)
                .onBehalfOf(READER)
                .signed(CLUSTER, BOB, signer(BOB)::sign);
        assertThat(rig.submit(BOB, again)).isEqualTo(new Reply.VolumeCreated(1));
        AuditEntry entry = log().entries().getLast();
        assertThat(entry.by()).isEqualTo(BOB);
        assertThat(entry.onBehalfOf()).contains(READER);
        // The key of the door at that time counts, and later ones do not.
        alice.done(new Command.RotateKey(BOB, List.of(Samples.OTHER_KEY)));
        assertThat(verified().entries()).isEqualTo(7);
        List<AuditEntry> withoutGrant = new ArrayList<>();
        for (AuditEntry each : log().entries()) {
            if (!(each.command() instanceof Command.SetActFor)) {
                withoutGrant.add(new AuditEntry(
                        withoutGrant.size() + 1,
                        each.agreedMillis(),
                        each.by(),
                        each.onBehalfOf(),
                        each.session(),
                        each.sessionNumber(),
                        each.command(),
                        each.approval()));
            }
        }
        assertThat(problem(withoutGrant)).contains("no earlier entry lets " + BOB + " act for " + READER);
    }

    @Test
    void operatorOfTheGenesisIsNotRevokedOnBehalf() {
        alice.done(new Command.SetGrant(READER, ALL, Rights.ALL));
        alice.done(new Command.SetActFor(BOB, READER, Rights.ALL));
        Submission.InSession signed = new Submission.InSession(
                        bob.user.session, 3000, 3000, new Command.RevokePrincipal(keys.operator()))
                .onBehalfOf(READER)
                .signed(CLUSTER, BOB, signer(BOB)::sign);
        assertFailed(rig.submit(BOB, signed), MetadataError.NOT_AUTHORISED);
    }

    private static Bytes encoded(AuditEntry entry) {
        WireWriter out = new WireWriter();
        entry.write(out);
        return out.toBytes();
    }
}
