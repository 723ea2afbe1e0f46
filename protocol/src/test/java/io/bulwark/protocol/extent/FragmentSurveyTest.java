package io.bulwark.protocol.extent;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.erasure.ErasureCode;
import io.bulwark.protocol.extent.ExtentMessage.Answer;
import io.bulwark.protocol.extent.ExtentMessage.Found;
import io.bulwark.protocol.extent.ExtentMessage.NotFound;
import io.bulwark.protocol.extent.ExtentMessage.ReadPinned;
import io.bulwark.protocol.extent.ExtentMessage.Suspect;
import io.bulwark.protocol.extent.FragmentSurvey.Result;
import io.bulwark.protocol.extent.FragmentSurvey.State;
import io.bulwark.protocol.extent.FragmentSurvey.Version;
import io.bulwark.protocol.fingerprint.BlockCode;
import io.bulwark.protocol.fingerprint.Fpcc;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** A survey of one extent with f = 1, m = 2, n = 4. */
@NullMarked
class FragmentSurveyTest {
    private static final BlockId BLOCK = LocalNode.block(1);
    private static final BlockCode.Encoded ENCODED = BlockCode.ofAll(2, 4).encode(content(1));
    private static final BlockCode.Encoded OTHER = BlockCode.ofAll(2, 4).encode(content(2));
    private static final Volume VOLUME = LocalNode.volume(1, List.of(5, 6, 7, 8));

    private final List<Effect> effects = new ArrayList<>();

    private static Bytes content(int seed) {
        byte[] bytes = new byte[100];
        new Random(seed).nextBytes(bytes);
        return Bytes.of(bytes);
    }

    private FragmentSurvey started(Set<Integer> absent) {
        FragmentSurvey survey =
                new FragmentSurvey(VOLUME, BLOCK, ENCODED.fpcc().pin(), absent, FragmentSurvey.Timing.standard());
        effects.addAll(survey.start(0));
        return survey;
    }

    private void answer(FragmentSurvey survey, int slot, Answer answer) {
        effects.addAll(survey.onMessage(1, PrincipalId.node(5 + slot), answer));
    }

    private static Found found(int slot) {
        return new Found(BLOCK, 1, ENCODED.fpcc(), ENCODED.fragments().get(slot), true);
    }

    private static List<State> states(FragmentSurvey survey) {
        return survey.outcome().orElseThrow().slots().stream()
                .map(FragmentSurvey.Slot::state)
                .toList();
    }

    @Test
    void eachSlotIsAskedForItsFragmentByThePin() {
        started(Set.of());
        assertThat(effects).containsExactly(question(0), question(1), question(2), question(3));
    }

    private static Effect.Send question(int slot) {
        return new Effect.Send(
                PrincipalId.node(5 + slot),
                0,
                new ReadPinned(BLOCK, 1, slot, ENCODED.fpcc().pin(), true));
    }

    @Test
    void fourRightFragmentsAreGood() {
        FragmentSurvey survey = started(Set.of());
        for (int slot = 0; slot < 4; slot++) {
            assertThat(survey.outcome()).isEmpty();
            answer(survey, slot, found(slot));
        }
        Result result = survey.outcome().orElseThrow();
        assertThat(result.version()).isEqualTo(Version.READABLE);
        assertThat(states(survey)).containsOnly(State.GOOD);
        assertThat(result.slots().get(2).node()).isEqualTo(7);
    }

    @Test
    void wrongBytesAreCorruptAndAllHoldersAreTold() {
        FragmentSurvey survey = started(Set.of());
        effects.clear();
        answer(survey, 0, found(0));
        answer(survey, 1, found(1));
        answer(survey, 2, new Found(BLOCK, 1, ENCODED.fpcc(), OTHER.fragments().get(2), true));
        answer(survey, 3, new NotFound(BLOCK, 1, ReadRefusal.NONE));
        assertThat(states(survey)).containsExactly(State.GOOD, State.GOOD, State.CORRUPT, State.MISSING);
        assertThat(effects)
                .filteredOn(Effect.Evidence.class::isInstance)
                .singleElement()
                .satisfies(effect -> {
                    assertThat(((Effect.Evidence) effect).about()).isEqualTo(PrincipalId.node(7));
                    assertThat(((Effect.Evidence) effect).verdict()).isEqualTo(Verdict.CORRUPT);
                });
        assertThat(effects)
                .filteredOn(effect -> effect instanceof Effect.Send send && send.message() instanceof Suspect)
                .hasSize(4);
    }

    @Test
    void fragmentsOfAnotherVersionAreCorrupt() {
        FragmentSurvey survey = started(Set.of());
        for (int slot = 0; slot < 3; slot++) {
            answer(survey, slot, found(slot));
        }
        answer(survey, 3, new Found(BLOCK, 1, OTHER.fpcc(), OTHER.fragments().get(3), true));
        assertThat(states(survey)).containsExactly(State.GOOD, State.GOOD, State.GOOD, State.CORRUPT);
    }

    @Test
    void oneFragmentAloneIsUnchecked() {
        FragmentSurvey survey = started(Set.of());
        answer(survey, 0, found(0));
        answer(survey, 1, new NotFound(BLOCK, 1, ReadRefusal.DAMAGED));
        answer(survey, 2, new NotFound(BLOCK, 1, ReadRefusal.NOT_REPAIRED));
        answer(survey, 3, new NotFound(BLOCK, 1, ReadRefusal.NOT_PERMITTED));
        assertThat(survey.outcome().orElseThrow().version()).isEqualTo(Version.TOO_FEW_FRAGMENTS);
        assertThat(states(survey)).containsExactly(State.UNCHECKED, State.DAMAGED, State.EXCUSED, State.REFUSED);
    }

    @Test
    void nodesWithoutAConnectionAreNotWaitedForLong() {
        FragmentSurvey survey = started(Set.of(3));
        for (int slot = 0; slot < 3; slot++) {
            answer(survey, slot, found(slot));
        }
        survey.onTick(499);
        assertThat(survey.outcome()).isEmpty();
        survey.onTick(500);
        assertThat(states(survey)).containsExactly(State.GOOD, State.GOOD, State.GOOD, State.UNREACHABLE);
    }

    @Test
    void aSilentNodeIsAskedAgainAndThenUnreachable() {
        FragmentSurvey survey = started(Set.of());
        for (int slot = 0; slot < 3; slot++) {
            answer(survey, slot, found(slot));
        }
        assertThat(survey.onTick(1000)).containsExactly(question(3));
        survey.onTick(4999);
        assertThat(survey.outcome()).isEmpty();
        survey.onTick(5000);
        assertThat(states(survey).get(3)).isEqualTo(State.UNREACHABLE);
    }

    @Test
    void twoNodesThatNameALaterEpochAreBelieved() {
        FragmentSurvey survey = started(Set.of());
        answer(survey, 0, found(0));
        answer(survey, 1, found(1));
        answer(survey, 2, new NotFound(BLOCK, 9, ReadRefusal.WRONG_EPOCH));
        answer(survey, 3, new NotFound(BLOCK, 3, ReadRefusal.WRONG_EPOCH));
        assertThat(states(survey)).containsExactly(State.GOOD, State.GOOD, State.MOVED, State.MOVED);
        assertThat(survey.outcome().orElseThrow().laterEpoch()).isEqualTo(3);
    }

    @Test
    void hashesThatNoBlockHasArePoisonous() {
        List<Bytes> fragments = new ArrayList<>(ENCODED.fragments());
        fragments.set(3, OTHER.fragments().get(3));
        Fpcc lied = Fpcc.of(ErasureCode.of(2, 4), 2, fragments);
        FragmentSurvey survey =
                new FragmentSurvey(VOLUME, BLOCK, lied.pin(), Set.of(), FragmentSurvey.Timing.standard());
        survey.start(0);
        for (int slot = 0; slot < 3; slot++) {
            answer(survey, slot, new Found(BLOCK, 1, lied, fragments.get(slot), true));
        }
        answer(survey, 3, new NotFound(BLOCK, 1, ReadRefusal.NONE));
        assertThat(survey.outcome().orElseThrow().version()).isEqualTo(Version.POISONOUS);
        assertThat(states(survey)).containsExactly(State.UNCHECKED, State.UNCHECKED, State.UNCHECKED, State.MISSING);
    }
}
