package io.bulwark.protocol.ordering.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.ordering.membership.Configuration;
import io.bulwark.protocol.ordering.membership.Member;
import io.bulwark.protocol.ordering.view.ViewGroup;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class RecoveryLedgerTest {
    private static final ViewGroup GROUP = new ViewGroup(1, 8, 16);
    private static final Member NEW = new Member(PrincipalId.replica(4), Bytes.EMPTY, "");
    private final RecoveryLedger ledger = new RecoveryLedger(GROUP, 1_000, 0);

    private static RecoveryRequest request(int replica, long call, long estimate) {
        return new RecoveryRequest(replica, call, estimate, List.of(), Bytes.EMPTY);
    }

    @Test
    void thePointIsTheGreaterOfBothMarks() {
        assertThat(ledger.execute(request(1, 5, 24), 9, 100)).isTrue();
        assertThat(ledger.of(1)).isEqualTo(new RecoveryLedger.Entry(9, 5, 100, 24));
        assertThat(ledger.execute(request(2, 5, 40), 9, 100)).isTrue();
        assertThat(ledger.of(2)).isEqualTo(new RecoveryLedger.Entry(9, 5, 100, 40));
        assertThat(ledger.execute(request(0, 5, 16), 16, 100)).isTrue();
        assertThat(ledger.of(0)).isEqualTo(new RecoveryLedger.Entry(16, 5, 100, 32));
    }

    @PlantedBug(
            in = RecoveryLedger.class,
            rule = "recoveries keep a distance",
            replace = "agreedMillis - last.agreedMillis() < watchdogMillis / 2",
            with = "agreedMillis < last.agreedMillis()")
    @Test
    void twoOfOneReplicaAreHalfAPeriodApart() {
        assertThat(ledger.execute(request(1, 5, 16), 9, 100)).isTrue();
        assertThat(ledger.execute(request(1, 6, 16), 10, 599)).isFalse();
        assertThat(ledger.execute(request(2, 6, 16), 11, 599)).isTrue();
        assertThat(ledger.execute(request(1, 7, 16), 12, 600)).isTrue();
    }

    @PlantedBug(
            in = RecoveryLedger.class,
            rule = "a replayed recovery request is refused",
            replace = "tooSoon || replayed ||",
            with = "tooSoon ||")
    @Test
    void aReplayIsRefused() {
        assertThat(ledger.execute(request(1, 5, 16), 9, 100)).isTrue();
        assertThat(ledger.execute(request(1, 5, 16), 10, 5_000)).isFalse();
    }

    @Test
    void anEstimateThatNobodyCanComeToIsRefused() {
        assertThat(ledger.execute(request(1, 5, 64), 9, 100)).isFalse();
        assertThat(ledger.execute(request(1, 5, 17), 9, 100)).isFalse();
        assertThat(ledger.execute(request(4, 5, 16), 9, 100)).isFalse();
        assertThat(ledger.execute(request(1, 5, 56), 9, 100)).isTrue();
    }

    @Test
    void itIsOpenUntilItsPointIsStable() {
        assertThat(ledger.openUpTo(0)).isZero();
        ledger.execute(request(1, 5, 32), 9, 100);
        ledger.execute(request(2, 5, 16), 9, 100);
        assertThat(ledger.openUpTo(8)).isEqualTo(32);
        assertThat(ledger.openUpTo(24)).isEqualTo(32);
        assertThat(ledger.openUpTo(32)).isZero();
    }

    @Test
    void itIsPartOfTheState() {
        assertThat(written(ledger)).isEqualTo(Bytes.of((byte) 0));
        ledger.execute(request(1, -5, 24), 9, 100);
        ledger.execute(request(2, 7, 24), 10, 100);
        RecoveryLedger other = new RecoveryLedger(GROUP, 1_000, 0);
        WireReader in = new WireReader(written(ledger));
        other.read(in);
        in.end();
        assertThat(other.entries()).isEqualTo(ledger.entries());
        assertThat(written(other)).isEqualTo(written(ledger));
        assertThatThrownBy(() -> other.read(new WireReader(Bytes.of((byte) 1, (byte) 4))))
                .isInstanceOf(MalformedException.class);
    }

    @Test
    void whatIsReadTakesThePlaceOfWhatWasThere() {
        ledger.execute(request(1, 5, 24), 9, 100);
        RecoveryLedger other = new RecoveryLedger(GROUP, 1_000, 0);
        other.execute(request(2, 7, 24), 10, 100);
        other.read(new WireReader(written(ledger)));
        assertThat(other.entries()).containsOnlyKeys(1);
    }

    @Test
    void eachReplicaStandsThereOnce() {
        WireWriter twice = new WireWriter().u8(2);
        for (int i = 0; i < 2; i++) {
            twice.u8(1).i64(9).i64(5).i64(100).i64(24);
        }
        assertThatThrownBy(() -> ledger.read(new WireReader(twice.toBytes()))).isInstanceOf(MalformedException.class);
    }

    @Test
    void whoStaysKeepsItsLastRecoveryUnderItsPlaceInTheNextConfiguration() {
        Configuration seven = Configuration.fixed(2);
        RecoveryLedger ofSeven = new RecoveryLedger(new ViewGroup(2, 8, 16), 1_000, 0);
        ofSeven.execute(request(1, 5, 16), 9, 100);
        ofSeven.execute(request(4, 6, 16), 10, 200);
        RecoveryLedger next = ofSeven.handOver(seven, seven.without(Set.of(0, 2, 4)), 24, 300);
        assertThat(next.entries()).isEqualTo(Map.of(0, new RecoveryLedger.Entry(9, 5, 100, 24)));
        assertThat(next.openUpTo(24)).isZero();
    }

    @Test
    void whatIsOpenAtTheEndOfAConfigurationHasNotRecovered() {
        ledger.execute(request(1, 5, 16), 9, 100);
        ledger.execute(request(2, 5, 40), 9, 100);
        Configuration now = Configuration.fixed(1);
        assertThat(ledger.handOver(now, now.replacing(3, NEW), 24, 300).entries())
                .containsOnlyKeys(1, 3);
    }

    @Test
    void whoComesIsKnownSinceTheConfigurationThatItCameWith() {
        Configuration now = Configuration.fixed(1);
        Configuration first = now.replacing(3, NEW);
        RecoveryLedger next = ledger.handOver(now, first, 24, 300);
        assertThat(next.entries()).isEqualTo(Map.of(3, new RecoveryLedger.Entry(24, 0, 300, 0)));
        RecoveryLedger second =
                next.handOver(first, first.replacing(0, new Member(PrincipalId.replica(5), Bytes.EMPTY, "")), 32, 400);
        assertThat(second.entries())
                .isEqualTo(
                        Map.of(0, new RecoveryLedger.Entry(32, 0, 400, 0), 3, new RecoveryLedger.Entry(24, 0, 300, 0)));
        assertThat(second.execute(request(3, 1, 32), 33, 401)).isTrue();
        assertThat(second.of(3)).isEqualTo(new RecoveryLedger.Entry(33, 1, 401, 48));
    }

    @Test
    void whatWasBeforeAConfigurationKeepsNobodyFromRecoveringInIt() {
        ledger.execute(request(1, 5, 16), 9, 100);
        Configuration now = Configuration.fixed(1);
        RecoveryLedger next = ledger.handOver(now, now.replacing(3, NEW), 24, 101);
        assertThat(next.of(1)).as("no request was accepted here").isNull();
        assertThat(next.execute(request(1, 6, 24), 25, 102)).isTrue();
        assertThat(next.execute(request(1, 7, 24), 26, 103)).as("here it was").isFalse();
    }

    private static Bytes written(RecoveryLedger ledger) {
        WireWriter out = new WireWriter();
        ledger.write(out);
        return out.toBytes();
    }
}
