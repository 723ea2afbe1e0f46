package io.bulwark.protocol.fp;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.PlacementGroup;
import io.bulwark.protocol.cluster.ProtectionPolicy;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.SessionState;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Target;
import io.bulwark.protocol.mac.PairwiseKeys;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Tests the bounds on the state and the requests that one sender can cause at a node. */
@NullMarked
class FpBoundsTest {
    private static final PrincipalId MALLORY = PrincipalId.client(1);
    private static final PrincipalId ALICE = PrincipalId.client(2);
    private static final int BLOCK_BYTES = 4 << 20;
    private static final Volume VOLUME = new Volume(
            3,
            "disk",
            VolumeKind.REGISTER,
            new ProtectionPolicy(1, 2, 4, BLOCK_BYTES),
            100,
            List.of(new PlacementGroup(1, List.of(0, 1, 2, 3))));

    private final FpServer server = new FpServer(keys(), FpLimits.standard());
    private final Bytes block = Bytes.of(new byte[BLOCK_BYTES]);
    private final FpGroup group = FpGroup.of(VOLUME, BlockId.register(3, 9));
    private final BlockCode.Encoded encoded = group.code().encode(block);

    @Test
    void requestsThatWaitAreBoundedByTheirBytesAndOneSenderLeavesRoom() {
        perform(server.onFact(0, new Fact.OfVolume(3, Optional.of(VOLUME))));
        long accepted = 0;
        while (!refused(prepare(MALLORY, 1_000 + accepted))) {
            accepted++;
            assertThat(accepted).as("all wait for facts that do not come").isLessThan(50);
        }
        // Half of what there is.
        assertThat(accepted * BLOCK_BYTES).isBetween(24L << 20, 32L << 20);
        assertThat(refused(prepare(ALICE, 1))).isFalse();
        assertThat(refused(prepare(ALICE, 2))).isFalse();
        // A request that waited too long is dropped, and its room is free again.
        perform(server.onTick(FpLimits.standard().repairMillis() + 1));
        assertThat(refused(prepare(MALLORY, 5_000))).isFalse();
    }

    @Test
    void anAnsweredQuestionGivesTheRoomBack() {
        perform(server.onFact(0, new Fact.OfVolume(3, Optional.of(VOLUME))));
        for (int round = 0; round < 5; round++) {
            int first = 100 * round;
            int session = first;
            while (!refused(prepare(MALLORY, session))) {
                session++;
            }
            assertThat(session - first).isGreaterThan(4);
            for (int told = first; told <= session; told++) {
                perform(server.onFact(0, new Fact.OfSession(3, MALLORY, told, SessionState.UNKNOWN)));
            }
        }
    }

    @Test
    void aPeerThatInventsClosedSessionsIsAskedAboutFewOfThem() {
        perform(server.onFact(0, new Fact.OfVolume(3, Optional.of(VOLUME))));
        Timestamp version = new Timestamp(5, encoded.fpcc());
        List<Effect> effects = new ArrayList<>();
        for (int owner = 0; owner < 10_000; owner++) {
            effects.addAll(perform(server.onMessage(
                    0,
                    PrincipalId.node(1),
                    owner,
                    new FpMessage.AskLeftover(group.target(0), PrincipalId.client(owner), 1, version))));
        }
        long answers = effects.stream()
                .filter(effect -> effect instanceof Effect.Send send && send.message() instanceof FpMessage.Leftover)
                .count();
        long questions = effects.stream()
                .filter(effect -> effect instanceof Effect.Ask ask && ask.question() instanceof Question.OfSession)
                .count();
        assertThat(answers).isEqualTo(10_000);
        assertThat(questions)
                .isPositive()
                .isLessThanOrEqualTo(FpLimits.standard().repairsPerSecond());
    }

    @Test
    void aRequestWaitsForItsAnswerTenSecondsWhichIsAskedForAgain() {
        perform(server.onFact(0, new Fact.OfVolume(3, Optional.of(VOLUME))));
        Question grant = new Question.OfGrant(3, ALICE);
        assertThat(find(0, ALICE, 3, 1)).contains(new Effect.Ask(grant));
        assertThat(find(10, ALICE, 3, 1)).as("asked already").isEmpty();
        assertThat(server.onTick(999)).isEmpty();
        assertThat(server.onTick(1_000)).containsExactly(new Effect.Ask(grant));
        assertThat(server.onTick(1_999)).isEmpty();
        server.onTick(10_000);
        // The first has waited too long, the second has not yet.
        assertThat(perform(server.onFact(10_000, new Fact.OfGrant(3, ALICE, true, false))).stream()
                        .filter(Effect.Send.class::isInstance))
                .hasSize(1);
    }

    @Test
    void soManyRequestsOfASenderAndSoManyForOneQuestionWait() {
        for (int request = 0; request < 64; request++) {
            assertThat(refused(find(0, MALLORY, 50, 1))).isFalse();
            assertThat(refused(find(0, MALLORY, 51, 1))).isFalse();
        }
        assertThat(refused(find(0, MALLORY, 52, 1))).isTrue();
        // The answered requests free their places for as many, no more.
        perform(server.onFact(0, new Fact.OfVolume(50, Optional.empty())));
        for (int request = 0; request < 64; request++) {
            assertThat(refused(find(0, MALLORY, 52, 1))).isFalse();
        }
        assertThat(refused(find(0, MALLORY, 52, 1))).isTrue();
        for (int request = 0; request < 128; request++) {
            assertThat(refused(find(0, ALICE, 52, 1))).isFalse();
        }
        for (int request = 0; request < 64; request++) {
            assertThat(refused(find(0, PrincipalId.client(3), 52, 1))).isFalse();
        }
        assertThat(refused(find(0, PrincipalId.client(4), 52, 1)))
                .as("256 wait for this")
                .isTrue();
    }

    @Test
    void anUnknownVolumeIsAskedForBeforeItIsRefusedAndAgainAfterAWhile() {
        assertThat(find(0, ALICE, 50, 1)).containsExactly(new Effect.Ask(new Question.OfVolume(50, 0, 1)));
        assertThat(refused(perform(server.onFact(0, new Fact.OfVolume(50, Optional.empty())))))
                .isTrue();
        assertThat(refused(find(249, ALICE, 50, 1))).isTrue();
        assertThat(refused(find(250, ALICE, 50, 1))).isFalse();
    }

    @Test
    void aLaterEpochIsAskedForBeforeItIsRefused() {
        perform(server.onFact(0, new Fact.OfVolume(3, Optional.of(VOLUME))));
        perform(server.onFact(0, new Fact.OfGrant(3, ALICE, true, false)));
        assertThat(find(1_000, ALICE, 3, 9)).containsExactly(new Effect.Ask(new Question.OfVolume(3, 0, 2)));
        Volume later = new Volume(
                3,
                VOLUME.name(),
                VOLUME.kind(),
                VOLUME.policy(),
                VOLUME.blocks(),
                List.of(new PlacementGroup(9, List.of(0, 1, 2, 3))));
        assertThat(perform(server.onFact(1_000, new Fact.OfVolume(3, Optional.of(later)))))
                .anyMatch(effect ->
                        effect instanceof Effect.Send send && send.message() instanceof FpMessage.FoundTimestamp);
    }

    private static Volume later(boolean opening, PlacementGroup before, PlacementGroup added) {
        return new Volume(
                3,
                VOLUME.name(),
                VOLUME.kind(),
                new ProtectionPolicy(1, 3, 5, BLOCK_BYTES),
                VOLUME.blocks(),
                List.of(before, added),
                List.of(new Volume.Generation(VOLUME.policy(), 1)),
                opening);
    }

    @PlantedBug(
            in = FpAccess.class,
            rule = "nothing is written in a generation that is not open",
            replace = "&& block.generation() <= volume.written()",
            with = "&& block.generation() >= 0")
    @PlantedBug(
            in = FpAccess.class,
            rule = "a later generation is asked for before it is refused",
            replace = "return volume.knows(target.block()) || wasToldLately(nowMillis, volumeId)",
            with = "return true || wasToldLately(nowMillis, volumeId)")
    @PlantedBug(
            in = FpAccess.class,
            rule = "replicas that are behind take no generation back",
            replace = "if (told.groups().size() < known.groups().size())",
            with = "if (told.groups().size() < 0)")
    @Test
    void aLaterGenerationIsAskedForBeforeItIsRefused() {
        perform(server.onFact(0, new Fact.OfVolume(3, Optional.of(VOLUME))));
        perform(server.onFact(0, new Fact.OfGrant(3, ALICE, true, false)));
        Target target = new Target(BlockId.register(3, 1, 9), 1, 0);
        FpMessage find = new FpMessage.FindTimestamp(target, false);
        assertThat(perform(server.onMessage(1_000, ALICE, 1, find)))
                .containsExactly(new Effect.Ask(new Question.OfVolume(3, 1, 1)));
        PlacementGroup before = new PlacementGroup(1, List.of(0, 1, 2, 3));
        PlacementGroup added = new PlacementGroup(1, List.of(0, 4, 2, 3, 1));
        assertThat(refused(perform(
                        server.onFact(1_000, new Fact.OfVolume(3, Optional.of(later(true, before, added)))))))
                .as("it is not open yet")
                .isTrue();
        assertThat(perform(server.onMessage(1_300, ALICE, 1, find))).hasSize(1).allMatch(Effect.Ask.class::isInstance);
        Volume later = later(false, before, added);
        assertThat(perform(server.onFact(1_300, new Fact.OfVolume(3, Optional.of(later)))))
                .anyMatch(effect -> effect instanceof Effect.Send send
                        && send.message() instanceof FpMessage.FoundTimestamp found
                        && found.target().equals(target));
        perform(server.onFact(1_300, new Fact.OfVolume(3, Optional.of(VOLUME))));
        assertThat(refused(perform(server.onMessage(1_301, ALICE, 2, find))))
                .as("replicas that are behind take nothing back")
                .isFalse();
    }

    @PlantedBug(
            in = FpAccess.class,
            rule = "a grant is believed for a limited time",
            replace = "grant.mayRead() ? limits.factMillis() : ABSENCE_MILLIS;",
            with = "grant.mayRead() ? Long.MAX_VALUE : ABSENCE_MILLIS;")
    @Test
    void aDeniedGrantIsBelievedShortlyAndAGivenOneForAWhile() {
        perform(server.onFact(0, new Fact.OfVolume(3, Optional.of(VOLUME))));
        perform(server.onFact(0, new Fact.OfGrant(3, ALICE, false, false)));
        assertThat(refused(find(249, ALICE, 3, 1))).isTrue();
        assertThat(find(250, ALICE, 3, 1)).containsExactly(new Effect.Ask(new Question.OfGrant(3, ALICE)));
        perform(server.onFact(300, new Fact.OfGrant(3, ALICE, true, false)));
        assertThat(find(10_299, ALICE, 3, 1)).noneMatch(Effect.Ask.class::isInstance);
        assertThat(find(10_300, ALICE, 3, 1)).containsExactly(new Effect.Ask(new Question.OfGrant(3, ALICE)));
        assertThat(refused(find(10_300, PrincipalId.replica(1), 3, 1))).isTrue();
    }

    @Test
    void anUnknownSessionIsAskedForAgainAfterAWhile() {
        perform(server.onFact(0, new Fact.OfVolume(3, Optional.of(VOLUME))));
        prepare(ALICE, 7);
        assertThat(refused(perform(server.onFact(0, new Fact.OfSession(3, ALICE, 7, SessionState.UNKNOWN)))))
                .isTrue();
        FpMessage.PrepareBlock again = new FpMessage.PrepareBlock(group.target(0), 7, 0, encoded.fpcc(), block);
        assertThat(refused(perform(server.onMessage(249, ALICE, 1, again)))).isTrue();
        assertThat(perform(server.onMessage(250, ALICE, 1, again)))
                .contains(new Effect.Ask(new Question.OfSession(3, ALICE, 7)));
    }

    /** Sessions are numbered by volume: what is staged under the same number in another one is no leftover. */
    @Test
    void aSessionOfAnotherVolumeLeavesNothingHere() {
        for (int id = 3; id <= 4; id++) {
            Volume volume = new Volume(id, "disk", VOLUME.kind(), VOLUME.policy(), VOLUME.blocks(), VOLUME.groups());
            perform(server.onFact(0, new Fact.OfVolume(id, Optional.of(volume))));
        }
        prepare(ALICE, 7);
        perform(server.onFact(0, new Fact.OfSession(3, ALICE, 7, SessionState.OPEN)));
        assertThat(perform(server.onFact(0, new Fact.OfSession(4, ALICE, 7, SessionState.CLOSED))))
                .noneMatch(Effect.Run.class::isInstance);
        assertThat(perform(server.onFact(0, new Fact.OfSession(3, ALICE, 7, SessionState.CLOSED))))
                .anyMatch(Effect.Run.class::isInstance);
    }

    private List<Effect> find(long nowMillis, PrincipalId from, int volume, long epoch) {
        Target target = new Target(BlockId.register(volume, 9), epoch, 0);
        return perform(server.onMessage(nowMillis, from, 1, new FpMessage.FindTimestamp(target, false)));
    }

    private List<Effect> prepare(PrincipalId from, long session) {
        return perform(server.onMessage(
                0, from, session, new FpMessage.PrepareBlock(group.target(0), session, 0, encoded.fpcc(), block)));
    }

    private static boolean refused(List<Effect> effects) {
        return effects.stream()
                .anyMatch(effect -> effect instanceof Effect.Send send && send.message() instanceof FpMessage.Refused);
    }

    /** The disk is empty; the replicas do not answer. */
    private List<Effect> perform(List<Effect> effects) {
        List<Effect> all = new ArrayList<>(effects);
        for (int i = 0; i < all.size(); i++) {
            switch (all.get(i)) {
                case Effect.Load load -> all.addAll(server.onLoaded(0, load.token(), new Loaded.Missing(load.key())));
                case Effect.LoadMetas load ->
                    all.addAll(server.onLoaded(0, load.token(), new Loaded.Metas(load.kind(), List.of())));
                case Effect.Store store -> all.addAll(server.onStored(0, store.token(), Stored.DURABLE));
                default -> {}
            }
        }
        return all;
    }

    private static PairwiseKeys keys() {
        Map<PrincipalId, Bytes> keys = new HashMap<>();
        for (int node = 0; node < 4; node++) {
            keys.put(PrincipalId.node(node), SampleMessages.filled(32, node));
        }
        return new PairwiseKeys(PrincipalId.node(0), keys);
    }
}
