package io.bulwark.protocol.fp;

import static io.bulwark.protocol.fp.LocalNodes.CLIENT;
import static io.bulwark.protocol.fp.LocalNodes.OTHER;
import static io.bulwark.protocol.fp.LocalNodes.SESSION;
import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The rules of docs/protocols/fp.md at one node: PREPARE, COMMIT, READ, and what bounds them. */
@NullMarked
class FpServerTest {
    private final LocalNodes nodes = new LocalNodes(1, 2);

    @Test
    void theNonceIsTheSameForEveryPrepareOfAVersion() {
        FpMessage.Prepared first = (FpMessage.Prepared) nodes.one(CLIENT, nodes.fragment(1, 5, 1));
        nodes.restart(1);
        FpMessage.Prepared again = (FpMessage.Prepared) nodes.one(CLIENT, nodes.wholeBlock(1, 5, 1));
        assertThat(again.nonce()).isEqualTo(first.nonce());
        assertThat(again.macs()).isEqualTo(first.macs());
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        assertThat(PrepareTag.nonce(nodes.keysOf(1), nodes.group.block(), version))
                .isEqualTo(first.nonce());
        FpMessage.Prepared later = (FpMessage.Prepared) nodes.one(CLIENT, nodes.fragment(1, 6, 1));
        assertThat(later.nonce()).isNotEqualTo(first.nonce());
    }

    @PlantedBug(
            in = BlockCode.class,
            rule = "a server checks a block that it gets against fpcc",
            replace = "if (!hasEnoughConsistent(fpcc, fragments, cc)) {",
            with = "if (false) {")
    @PlantedBug(
            in = FpPrepare.class,
            rule = "a register server checks fragments against fpcc",
            replace = "yield group.code().isShareOf(of.fpcc(), slot, share) ? share : null;",
            with = "yield share;")
    @Test
    void aFragmentThatIsNotConsistentIsRefused() {
        FpMessage.PrepareFragment good = nodes.fragment(0, 0, 1);
        Bytes other = nodes.encode(2).fragments().getFirst();
        assertRefused(
                new FpMessage.PrepareFragment(good.target(), SESSION, 0, good.fpcc(), other), FpRefusal.INCONSISTENT);
        assertRefused(
                new FpMessage.PrepareFragment(nodes.group.target(1), SESSION, 0, good.fpcc(), good.fragment()),
                FpRefusal.INCONSISTENT);
        assertRefused(
                new FpMessage.PrepareBlock(good.target(), SESSION, 0, good.fpcc(), nodes.block(2)),
                FpRefusal.INCONSISTENT);
        assertThat(nodes.stores).isEmpty();
    }

    @PlantedBug(
            in = FpPrepare.class,
            rule = "a register server checks the length of a fragment",
            replace = "if (!group.fits(request.fpcc())) {",
            with = "if (false) {")
    @Test
    void aVersionOfAnotherLengthIsRefused() {
        BlockCode.Encoded shorter = nodes.group.code().encode(nodes.block(1).slice(0, 100));
        assertRefused(
                new FpMessage.PrepareFragment(
                        nodes.group.target(0),
                        SESSION,
                        0,
                        shorter.fpcc(),
                        shorter.fragments().getFirst()),
                FpRefusal.INCONSISTENT);
    }

    @Test
    void aBlockWithMConsistentFragmentsIsAcceptedWithItsOwnCrossChecksum() {
        Fpcc poisoned = Poison.of(nodes.group.code(), nodes.encode(1), 2);
        assertRefused(
                new FpMessage.PrepareFragment(
                        nodes.group.target(2),
                        SESSION,
                        4,
                        poisoned,
                        nodes.encode(1).fragments().get(2)),
                FpRefusal.INCONSISTENT);
        FpMessage answer = nodes.one(
                CLIENT, new FpMessage.PrepareBlock(nodes.group.target(2), SESSION, 4, poisoned, nodes.block(1)));
        assertThat(answer).isInstanceOf(FpMessage.Prepared.class);
        HeldVersion held = nodes.holding(2, new Timestamp(4, poisoned));
        assertThat(held.fragment()).isEqualTo(nodes.encode(1).fragments().get(2));
        assertThat(held.cc()).hasSize(4);
        assertThat(held.nonces()).isEmpty();
    }

    @Test
    void withoutTsTheNextOneIsTaken() {
        assertThat(((FpMessage.Prepared) nodes.one(CLIENT, nodes.fragment(0, 0, 1)))
                        .version()
                        .ts())
                .isEqualTo(1);
        nodes.write(41, 2, 0);
        assertThat(((FpMessage.Prepared) nodes.one(CLIENT, nodes.fragment(0, 0, 1)))
                        .version()
                        .ts())
                .isEqualTo(42);
    }

    @PlantedBug(
            in = FpPrepare.class,
            rule = "a timestamp does not wrap round",
            replace = "request.ts() == 0 && latest.ts() == -1",
            with = "false")
    @PlantedBug(
            in = Timestamp.class,
            rule = "timestamps are compared unsigned",
            replace = "Long.compareUnsigned(ts, other.ts)",
            with = "Long.compare(ts, other.ts)")
    @Test
    void tsNeverWraps() {
        List<HeldVersion.SlotNonce> nonces = List.of(new HeldVersion.SlotNonce(0, SampleMessages.filled(32, 1)));
        VersionRecord last =
                new VersionRecord(new Timestamp(-1, nodes.encode(1).fpcc()), 1, false, null, CLIENT, SESSION, nonces);
        nodes.putOnDisk(0, last);
        assertRefused(nodes.fragment(0, 0, 2), FpRefusal.EXHAUSTED);
        assertThat(nodes.latest(0).ts()).isEqualTo(-1);
    }

    @PlantedBug(
            in = FpRegister.class,
            rule = "a node commits only with m + f prepares",
            replace = "if (nonces.size() < group.policy().writeQuorum()) { refuse(call, FpRefusal.PREPARES);",
            with = "if (nonces.size() < group.policy().writeQuorum() - 1) { refuse(call, FpRefusal.PREPARES);")
    @Test
    void aMacIsGoodForItsReceiverSenderSessionEpochAndVersionOnly() {
        List<FpMessage.Prepared> prepares = nodes.prepare(3, 5, 1);
        FpMessage.Commit right = nodes.commit(0, 1, prepares);
        assertRefused(OTHER, right, FpRefusal.PREPARES);
        assertRefused(PrincipalId.client(3), right, FpRefusal.PREPARES);
        assertRefused(
                new FpMessage.Commit(right.target(), SESSION, 6, right.fpcc(), right.prepares()), FpRefusal.PREPARES);
        assertRefused(
                new FpMessage.Commit(right.target(), SESSION, 5, nodes.encode(2).fpcc(), right.prepares()),
                FpRefusal.PREPARES);
        nodes.session(SESSION + 1, SessionState.OPEN);
        assertRefused(
                new FpMessage.Commit(right.target(), SESSION + 1, 5, right.fpcc(), right.prepares()),
                FpRefusal.PREPARES);
        assertRefused(
                new FpMessage.Commit(nodes.group.target(1), SESSION, 5, right.fpcc(), right.prepares()),
                FpRefusal.PREPARES);
        assertRefused(
                new FpMessage.Commit(
                        right.target(),
                        SESSION,
                        5,
                        right.fpcc(),
                        right.prepares().subList(0, 2)),
                FpRefusal.PREPARES);
        assertThat(nodes.one(CLIENT, right)).isInstanceOf(FpMessage.Committed.class);
    }

    @Test
    void aSlotThatTheGroupDoesNotHaveVouchesForNothing() {
        List<FpMessage.Prepared> prepares = nodes.prepare(3, 5, 1);
        FpMessage.Commit right = nodes.commit(0, 1, prepares);
        FpMessage.PrepareMac second = right.prepares().get(1);
        FpMessage.PrepareMac beyond = new FpMessage.PrepareMac(nodes.group.n(), second.nonce(), second.mac());
        assertRefused(with(right, 1, beyond), FpRefusal.PREPARES);
    }

    @PlantedBug(
            in = PrepareTag.class,
            rule = "a MAC is bound to the epoch",
            replace = "giver.write(out);",
            with = "new Target(giver.block(), 1, giver.slot()).write(out);")
    @PlantedBug(
            in = PrepareTag.class,
            rule = "a MAC is bound to its direction",
            replace = "giver.write(out); out.u8(receiver);",
            with = "new Target(giver.block(), giver.epoch(), Math.min(giver.slot(), "
                    + "receiver)).write(out); out.u8(Math.max(giver.slot(), receiver));")
    @Test
    void aMacOfAnotherEpochOrOfTheOtherDirectionIsRefused() {
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        List<FpMessage.Prepared> prepares = nodes.prepare(3, 5, 1);
        FpMessage.Commit right = nodes.commit(0, 1, prepares);
        Bytes nonce = prepares.get(1).nonce();
        Target later = new Target(nodes.group.block(), 2, 1);
        Bytes otherEpoch =
                nodes.keysOf(1).mac(PrincipalId.node(0), PrepareTag.input(later, 0, CLIENT, SESSION, version, nonce));
        assertRefused(with(right, 1, new FpMessage.PrepareMac(1, nonce, otherEpoch)), FpRefusal.PREPARES);
        // Replay a MAC that node 0 itself gave to node 1, as if node 1 had given it.
        Bytes reflected = prepares.getFirst().macs().get(1);
        Bytes ownNonce = prepares.getFirst().nonce();
        assertRefused(with(right, 1, new FpMessage.PrepareMac(1, ownNonce, reflected)), FpRefusal.PREPARES);
        Bytes repair = nodes.keysOf(1)
                .mac(
                        PrincipalId.node(0),
                        PrepareTag.input(nodes.group.target(1), 0, PrepareTag.REPAIR, SESSION, version, nonce));
        assertRefused(with(right, 1, new FpMessage.PrepareMac(1, nonce, repair)), FpRefusal.PREPARES);
        assertThat(nodes.one(CLIENT, right)).isInstanceOf(FpMessage.Committed.class);
    }

    @PlantedBug(
            in = FpRegister.class,
            rule = "a COMMIT below the latest version is not taken again",
            replace = "if (!version.isAfter(versions.latest())) { answer(call, done); return; }",
            with = "")
    @Test
    void aCommitBelowTheLatestIsAlreadyOverwritten() {
        nodes.write(5, 1, 0);
        Fpcc unknown = nodes.encode(3).fpcc();
        assertThat(nodes.one(CLIENT, new FpMessage.Commit(nodes.group.target(0), SESSION, 4, unknown, List.of())))
                .isInstanceOf(FpMessage.Committed.class);
        // A prepare there still gives its nonce and MACs, and stages nothing.
        int before = nodes.versionsOnDisk(0);
        assertThat(nodes.one(CLIENT, nodes.fragment(0, 4, 3))).isInstanceOf(FpMessage.Prepared.class);
        assertThat(nodes.versionsOnDisk(0)).isEqualTo(before);
    }

    @Test
    void aFragmentThatComesAfterItsCommitIsKept() {
        List<FpMessage.Prepared> prepares = new ArrayList<>();
        for (int slot : new int[] {0, 1, 3}) {
            prepares.add((FpMessage.Prepared)
                    nodes.one(CLIENT, slot == 3 ? nodes.wholeBlock(3, 5, 1) : nodes.fragment(slot, 5, 1)));
        }
        nodes.cutOff.addAll(List.of(0, 1, 3));
        nodes.cutOff.remove(2);
        assertThat(nodes.one(CLIENT, nodes.commit(2, 1, prepares))).isInstanceOf(FpMessage.Committed.class);
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        assertThat(nodes.holding(2, version).fragment()).isNull();
        assertThat(nodes.one(CLIENT, nodes.fragment(2, 5, 1))).isInstanceOf(FpMessage.Prepared.class);
        assertThat(nodes.holding(2, version).fragment())
                .isEqualTo(nodes.encode(1).fragments().get(2));
        assertThat(nodes.holding(2, version).nonces()).hasSize(3);
    }

    @Test
    void overwrittenVersionsAreKeptAWhileAtMostTwo() {
        Timestamp one = nodes.write(1, 1, 0);
        Timestamp two = nodes.write(2, 2, 0);
        assertThat(nodes.holding(0, one).fragment()).isNotNull();
        nodes.write(3, 3, 0);
        nodes.write(4, 4, 0);
        assertThat(nodes.versionsOnDisk(0)).isEqualTo(3);
        FpMessage.ReadAnswer redirect =
                (FpMessage.ReadAnswer) nodes.one(CLIENT, new FpMessage.Read(nodes.group.target(0), one.version()));
        assertThat(redirect.holding()).isNull();
        assertThat(redirect.latest().ts()).isEqualTo(4);
        nodes.pass(500);
        assertThat(nodes.holding(0, two).fragment()).isNotNull();
        nodes.pass(1_000);
        assertThat(nodes.versionsOnDisk(0)).isEqualTo(1);
        FpMessage.ReadAnswer gone =
                (FpMessage.ReadAnswer) nodes.one(CLIENT, new FpMessage.Read(nodes.group.target(0), two.version()));
        assertThat(gone.holding()).isNull();
        assertThat(nodes.evidence).as("deleted is not damaged").isEmpty();
    }

    @Test
    void aRestartForgetsNothingThatWasPromised() {
        Timestamp version = nodes.write(5, 1, 0, 1);
        nodes.restart(0);
        nodes.restart(2);
        assertThat(nodes.latest(0)).isEqualTo(version);
        assertThat(nodes.latest(2)).isEqualTo(Timestamp.NONE);
        assertThat(nodes.holding(2, version).fragment())
                .isEqualTo(nodes.encode(1).fragments().get(2));
        assertThat(nodes.holding(0, version).nonces()).hasSize(3);
    }

    @PlantedBug(
            in = FpPrepare.class,
            rule = "a prepare is durable before it is answered",
            replace = "register.store( mutations, call, now -> { register.versions().put(record); "
                    + "register.versions().heal(version); answer(call, request, version); },",
            with = "answer(call, request, version); register.store(mutations, call, now -> { "
                    + "register.versions().put(record); register.versions().heal(version); },")
    @Test
    void nothingIsPromisedWithoutSpace() {
        nodes.nextStore = Stored.NO_SPACE;
        assertRefused(nodes.fragment(0, 0, 1), FpRefusal.NO_SPACE);
        nodes.nextStore = Stored.FAILED;
        assertRefused(nodes.fragment(0, 0, 1), FpRefusal.DEVICE);
        nodes.nextStore = Stored.DURABLE;
        assertThat(nodes.one(CLIENT, nodes.fragment(0, 0, 1))).isInstanceOf(FpMessage.Prepared.class);
        assertThat(nodes.chargesOnDisk(0)).isEqualTo(1);
    }

    @PlantedBug(
            in = FpAccess.class,
            rule = "an unknown session writes nothing",
            replace = "case UNKNOWN -> new Admission.Refuse(FpRefusal.SESSION_UNKNOWN, epoch);",
            with = "case UNKNOWN -> new Admission.Admitted(group);")
    @PlantedBug(
            in = FpAccess.class,
            rule = "a client reads only registers that it may read",
            replace = "return grant.mayRead() ? new Admission.Admitted(group)",
            with = "return true ? new Admission.Admitted(group)")
    @PlantedBug(
            in = FpAccess.class,
            rule = "a node writes no register as a client",
            replace = "return !writes && group.slotOf(from) >= 0",
            with = "return group.slotOf(from) >= 0")
    @PlantedBug(
            in = FpAccess.class,
            rule = "only nodes get repair MACs",
            replace = "case FpMessage.AskRepairMac ignored -> new Admission.Refuse(FpRefusal.NO_GRANT, epoch);",
            with = "case FpMessage.AskRepairMac ignored -> new Admission.Admitted(group);")
    @Test
    void sessionsGrantsEpochsAndSlotsAreChecked() {
        BlockCode.Encoded encoded = nodes.encode(1);
        Bytes first = encoded.fragments().getFirst();
        Target target = nodes.group.target(0);
        assertRefused(new FpMessage.PrepareFragment(target, 99, 0, encoded.fpcc(), first), FpRefusal.SESSION_UNKNOWN);
        nodes.session(SESSION, SessionState.CLOSED);
        nodes.restart(0);
        assertRefused(nodes.fragment(0, 0, 1), FpRefusal.SESSION_CLOSED);
        assertRefused(OTHER, new FpMessage.FindTimestamp(target, true), FpRefusal.NO_GRANT);
        assertRefused(CLIENT, new FpMessage.AskRepairMac(target, new Timestamp(1, encoded.fpcc())), FpRefusal.NO_GRANT);
        assertRefused(
                PrincipalId.node(1),
                new FpMessage.PrepareFragment(target, SESSION, 0, encoded.fpcc(), first),
                FpRefusal.NO_GRANT);
        assertRefused(new FpMessage.FindTimestamp(new Target(nodes.group.block(), 2, 0), false), FpRefusal.OTHER_EPOCH);
        FpMessage noBlock = nodes.one(
                CLIENT, new FpMessage.FindTimestamp(new Target(BlockId.register(LocalNodes.VOLUME, 100), 1, 0), false));
        assertThat(((FpMessage.Refused) noBlock).refusal()).isEqualTo(FpRefusal.WRONG_SLOT);
    }

    @PlantedBug(
            in = FpAccess.class,
            rule = "a stale answer does not open a closed session again",
            replace = "if (over || (state != SessionState.CLOSED && !looked)) {",
            with = "if (state != SessionState.CLOSED && !looked) {")
    @Test
    void aClosedSessionStaysRefusedWhateverIsSaidLater() {
        nodes.session(SESSION, SessionState.CLOSED);
        nodes.session(SESSION, SessionState.OPEN);
        assertRefused(nodes.fragment(0, 0, 1), FpRefusal.SESSION_CLOSED);
        nodes.restart(0);
        assertRefused(nodes.fragment(0, 0, 1), FpRefusal.SESSION_CLOSED);
    }

    @PlantedBug(
            in = FpRegister.class,
            rule = "a node never tells the nonce itself",
            replace = "Bytes nonceHash = Hashes.sha256(nonce(record.version()));",
            with = "Bytes nonceHash = nonce(record.version());")
    @Test
    void noncesOfAStagedVersionAreNotShown() {
        nodes.prepare(3, 5, 1);
        Timestamp version = new Timestamp(5, nodes.encode(1).fpcc());
        HeldVersion held = nodes.holding(0, version);
        assertThat(held.nonces()).isEmpty();
        assertThat(held.nonceHash()).isNotEqualTo(PrepareTag.nonce(nodes.keysOf(0), nodes.group.block(), version));
    }

    private static FpMessage.Commit with(FpMessage.Commit commit, int index, FpMessage.PrepareMac prepareMac) {
        List<FpMessage.PrepareMac> changed = new ArrayList<>(commit.prepares());
        changed.set(index, prepareMac);
        return new FpMessage.Commit(commit.target(), commit.session(), commit.ts(), commit.fpcc(), changed);
    }

    private void assertRefused(FpMessage.Request request, FpRefusal refusal) {
        assertRefused(CLIENT, request, refusal);
    }

    private void assertRefused(PrincipalId from, FpMessage.Request request, FpRefusal refusal) {
        FpMessage answer = nodes.one(from, request);
        assertThat(answer).isInstanceOf(FpMessage.Refused.class);
        assertThat(Objects.requireNonNull((FpMessage.Refused) answer).refusal()).isEqualTo(refusal);
    }
}
