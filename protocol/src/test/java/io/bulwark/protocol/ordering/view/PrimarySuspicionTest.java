package io.bulwark.protocol.ordering.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.ordering.driver.JournalApplication;
import io.bulwark.protocol.ordering.driver.ReplicaConfig;
import io.bulwark.protocol.ordering.log.ReplicaContext;
import io.bulwark.protocol.ordering.log.SlotLog;
import io.bulwark.protocol.ordering.log.View;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.Request;
import io.bulwark.protocol.ordering.message.RequestId;
import io.bulwark.protocol.ordering.normal.BatchStore;
import io.bulwark.protocol.ordering.normal.Execution;
import io.bulwark.protocol.ordering.recovery.ExecutedRecoveries;
import io.bulwark.protocol.ordering.request.RecentResults;
import io.bulwark.protocol.ordering.request.RequestPool;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

/**
 * Tests that the bounds for slow and unfair primaries relax with each view change that they cause (docs/ordering).
 */
@NullMarked
class PrimarySuspicionTest {
    private static final long NEVER_MILLIS = 1_000_000_000;
    private static final long TICK_MILLIS = 50;
    private static final int FIRST_PATIENCE = 32;

    private final ReplicaConfig config = ReplicaConfig.of(1, 1);
    private final View view = new View(config, 0, true);
    private final SlotLog log = new SlotLog(config.logSize(), 0);
    private final RecentResults results = new RecentResults(4);
    private final RequestPool pool = new RequestPool(config, results);
    private final PrimarySuspicion suspicion = new PrimarySuspicion(
            view,
            log,
            pool,
            new Execution(
                    new ReplicaContext(config, view, log),
                    new BatchStore(pool),
                    pool,
                    results,
                    new JournalApplication(),
                    new ExecutedRecoveries(config)));
    private long nowMillis = 1_000;
    private int calls;

    private Request request() {
        return new Request(PrincipalId.client(1), calls++, false, Bytes.of((byte) 1));
    }

    /** It waits for a number from now on. */
    private RequestId becomesDue() {
        Request request = request();
        pool.onRequest(nowMillis, request.id(), request);
        pool.onEcho(nowMillis, 2, List.of(request.id()));
        pool.onEcho(nowMillis, 3, List.of(request.id()));
        assertThat(pool.due()).map(entry -> entry.id).contains(request.id());
        return request.id();
    }

    private boolean suspects() {
        return suspicion.suspects(nowMillis, NEVER_MILLIS);
    }

    private void enterNextViewOfAnotherPrimary() {
        enterNextViewOfAnotherPrimary(0);
    }

    private void enterNextViewOfAnotherPrimary(long lastChosen) {
        view.enter(view.number() + 4);
        Numbered begin = new Numbered(lastChosen, Bytes.EMPTY);
        suspicion.enter(nowMillis, new NewView(view.number(), List.of(), begin, List.of()));
    }

    /**
     * Simulates seconds with this execution rate, in which requests always wait for a number. Returns the second in
     * which the primary was suspected.
     */
    private int secondOfSuspicion(int seconds, int executedPerSecond) {
        for (int second = 0; second < seconds; second++) {
            for (int i = 0; i < executedPerSecond; i++) {
                suspicion.onExecuted(request());
            }
            for (int i = 0; i < 1_000 / TICK_MILLIS; i++) {
                nowMillis += TICK_MILLIS;
                if (suspects()) {
                    return second;
                }
            }
        }
        return -1;
    }

    @Test
    void aGroupThatCannotDoBetterThanATwentiethComesToRest() {
        assertThat(suspects()).isFalse();
        assertThat(secondOfSuspicion(3, 1_000)).isEqualTo(-1);
        becomesDue();
        int changes = 0;
        for (int views = 0; views < 7; views++) {
            enterNextViewOfAnotherPrimary();
            if (secondOfSuspicion(5, 50) >= 0) {
                changes++;
            }
        }
        // Less than 1/4, 1/8 and 1/16 of what it was, and more than 1/32. After eight views it would be forgotten.
        assertThat(changes).isEqualTo(3);
    }

    /** The primary proposes up to so many numbers above the last that is executed. */
    @Test
    void nothingWaitsForThePrimaryWhileWhatItsNewViewChoseIsNotExecuted() {
        assertThat(suspects()).isFalse();
        assertThat(secondOfSuspicion(3, 1_000)).isEqualTo(-1);
        becomesDue();
        enterNextViewOfAnotherPrimary(1);
        assertThat(secondOfSuspicion(5, 0)).isEqualTo(-1);
        enterNextViewOfAnotherPrimary(0);
        assertThat(secondOfSuspicion(5, 0)).isNotNegative();
    }

    @Test
    void whoIsPassedOverInEachViewWaitsTwiceAsLongInTheNext() {
        becomesDue();
        assertThat(suspects()).isFalse();
        List<Integer> retryTimer = new ArrayList<>();
        for (int views = 0; views < 4; views++) {
            enterNextViewOfAnotherPrimary();
            pool.onNewView(Set.of());
            nowMillis += 300;
            assertThat(suspects()).isFalse();
            int passedOver = 0;
            while (!suspects()) {
                RequestId later = becomesDue();
                pool.onProposed(List.of(later), true);
                pool.onExecuted(nowMillis, later, 1);
                passedOver++;
                assertThat(passedOver).isLessThanOrEqualTo(FIRST_PATIENCE << views);
            }
            retryTimer.add(passedOver);
        }
        assertThat(retryTimer)
                .containsExactly(FIRST_PATIENCE, 2 * FIRST_PATIENCE, 4 * FIRST_PATIENCE, 8 * FIRST_PATIENCE);
    }
}
