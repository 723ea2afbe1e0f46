package io.bulwark.protocol.pasis;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Verdict;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** Reads of whole copies under masking quorums (Agile Store paper, 3.3.2), with b = 1, n = 5. */
@NullMarked
class MaskingReadTest {
    private final GroupFixture group = GroupFixture.masking(1, 5);
    private final GroupFixture.Version old = group.version(1, 1);
    private final GroupFixture.Version fresh = group.version(2, 2);
    private final PasisRead read = PasisRead.withWriteBack(group.pasis(), GroupFixture.CLIENT, 5, GroupFixture.TIMES, ReadPlan.full(group.pasis()));

    private List<Effect> tell(int slot, PasisMessage answer) {
        return read.onMessage(0, GroupFixture.node(slot), answer);
    }

    private void assertRead(GroupFixture.Version version) {
        assertThat(read.outcome())
                .contains(new PasisReadOutcome.Value(version.timestamp(), version.block(), version.block()));
    }

    @Test
    void aTimestampNamesTheBlockByOneHashAndEachNodeHoldsAllOfIt() {
        assertThat(fresh.timestamp().fragments()).isEqualTo(1);
        assertThat(fresh.fragments()).hasSize(5).containsOnly(fresh.block());
        for (int slot = 0; slot < 5; slot++) {
            assertThat(group.pasis().accepts(fresh.timestamp(), slot, fresh.block()))
                    .isTrue();
            assertThat(group.pasis().accepts(fresh.timestamp(), slot, old.block()))
                    .isFalse();
        }
        List<Bytes> copies = fresh.fragments();
        ValidatingTimestamp ofPasis = ValidatingTimestamp.of(2, GroupFixture.CLIENT, copies);
        assertThat(group.pasis().fits(ofPasis)).as("one hash for each node").isFalse();
    }

    @Test
    void oneCopyIsSentWhereNothingIsWrong() {
        List<PasisMessage.Read> asked = GroupFixture.sent(read.start(0), PasisMessage.Read.class);
        assertThat(asked).filteredOn(PasisMessage.Read::withFragment).hasSize(1);
        for (int slot = 0; slot < 4; slot++) {
            assertThat(read.outcome()).isEmpty();
            tell(slot, group.history(slot, fresh));
        }
        assertRead(fresh);
    }

    @Test
    void aCopyWithAnotherHashIsCorruptAndAnotherOneIsFetched() {
        read.start(0);
        List<Effect> effects = tell(
                0,
                new PasisMessage.History(
                        group.pasis().target(0),
                        ValidatingTimestamp.NONE,
                        List.of(new PasisMessage.Entry(fresh.timestamp(), false)),
                        false,
                        ValidatingTimestamp.NONE,
                        old.block()));
        assertThat(effects)
                .filteredOn(Effect.Evidence.class::isInstance)
                .extracting(effect -> ((Effect.Evidence) effect).verdict())
                .containsExactly(Verdict.CORRUPT);
        tell(1, group.history(1, fresh));
        tell(2, group.history(2, fresh));
        tell(3, group.history(3, fresh));
        tell(1, group.fragment(1, fresh));
        assertThat(read.outcome()).as("three of four claims are written back").isEmpty();
        tell(0, group.written(0, fresh.timestamp()));
        tell(4, group.written(4, fresh.timestamp()));
        assertRead(fresh);
    }

    @Test
    void whatBPlusOneNodesHaveVerifiedIsNotWrittenBack() {
        read.start(0);
        tell(0, group.history(0, ValidatingTimestamp.NONE, true, fresh));
        tell(1, group.history(1, ValidatingTimestamp.NONE, true, fresh));
        tell(2, group.history(2, old));
        assertThat(tell(3, group.history(3, old))).isEmpty();
        assertRead(fresh);
    }
}
