package io.bulwark.protocol.ordering.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.bulwark.protocol.fingerprint.Hashes;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.message.Batch;
import io.bulwark.protocol.wire.Bytes;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/** The water marks (4.2, 4.3), and what a slot forgets when keys change (4.1). */
@NullMarked
class SlotLogTest {
    private static final Bytes DIGEST = Hashes.sha256(Bytes.of((byte) 1));

    private final SlotLog log = new SlotLog(4, 10);

    @PlantedBug(
            in = SlotLog.class,
            rule = "a number above the high water mark is refused",
            replace = "sequence > low && sequence <= high()",
            with = "sequence > low")
    @Test
    void numbersBetweenTheWaterMarksAreTaken() {
        assertThat(log.covers(10)).isFalse();
        assertThat(log.covers(11)).isTrue();
        assertThat(log.covers(14)).isTrue();
        assertThat(log.covers(15)).isFalse();
        log.setCeiling(12);
        assertThat(log.covers(13)).as("above what a recovery has come to").isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> log.slot(13));
        log.setCeiling(Long.MAX_VALUE);
        log.slot(11);
        log.slot(13);
        log.trim(12);
        assertThat(log.peek(11)).isNull();
        assertThat(log.peek(13)).isNotNull();
        assertThat(log.covers(16)).isTrue();
        assertThatIllegalArgumentException().isThrownBy(() -> log.trim(11));
    }

    @PlantedBug(
            in = Slot.class,
            rule = "PREPAREs under an old key do not count",
            replace = "prepares.remove(peer);",
            with = "{}")
    @PlantedBug(
            in = Slot.class,
            rule = "COMMITs under an old key do not count",
            replace = "commits.remove(peer);",
            with = "")
    @PlantedBug(
            in = Slot.class,
            rule = "claims under an old key do not count",
            replace = "claims.remove(peer);",
            with = "")
    @Test
    void aNewKeyUndoesWhatIsNoPartOfACompleteCertificate() {
        Slot slot = said();
        slot.onKeyChange(1, false);
        assertThat(slot.prepares).doesNotContainKey(1);
        assertThat(slot.commits).doesNotContainKey(1);
        assertThat(slot.claims).doesNotContainKey(1);
        Slot prepared = said();
        prepared.prepared = true;
        prepared.onKeyChange(1, false);
        assertThat(prepared.prepares).containsKey(1);
        assertThat(prepared.commits).doesNotContainKey(1);
        Slot decided = said();
        decided.prepared = true;
        decided.decided = DIGEST;
        decided.onKeyChange(1, false);
        assertThat(decided.commits).containsKey(1);
        assertThat(decided.claims).containsKey(1);
    }

    @PlantedBug(
            in = Slot.class,
            rule = "a PRE-PREPARE under an old key does not count",
            replace = "if (isPrimary && proposal != null && !accepted && !chosen) {",
            with = "if (false && proposal != null) {")
    @Test
    void aNewKeyOfThePrimaryUndoesWhatItProposedAndIsNotAccepted() {
        Slot slot = proposed();
        slot.onKeyChange(1, false);
        assertThat(slot.proposed).as("the key of another replica").isNotNull();
        slot.onKeyChange(1, true);
        assertThat(slot.proposal).isNull();
        assertThat(slot.proposed).isNull();
        assertThat(slot.tooLong).isFalse();
        assertThat(slot.lookedAt).isZero();
    }

    /** Another one in its place would be a second PREPARE for one number of the view. */
    @Test
    void aNewKeyOfThePrimaryLeavesWhatIsPromisedOrChosen() {
        Slot accepted = proposed();
        accepted.accepted = true;
        Slot chosen = proposed();
        chosen.chosen = true;
        Slot onDisk = proposed();
        onDisk.proposal = null;
        for (Slot slot : List.of(accepted, chosen, onDisk)) {
            slot.onKeyChange(1, true);
            assertThat(slot.proposed).isNotNull();
        }
    }

    private static Slot proposed() {
        Slot slot = new Slot(11);
        slot.proposal = Batch.NULL;
        slot.proposed = Batch.NULL_DIGEST;
        slot.lookedAt = 1;
        slot.tooLong = true;
        return slot;
    }

    private static Slot said() {
        Slot slot = new Slot(11);
        slot.prepares.put(1, DIGEST);
        slot.commits.put(1, DIGEST);
        slot.claims.put(1, DIGEST);
        return slot;
    }
}
