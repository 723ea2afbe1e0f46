package io.bulwark.protocol.locking;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.Runs;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.kernel.Timeouts;
import io.bulwark.protocol.mutation.PlantedBug;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Holders that lock one after the other in a {@link LogWorld}, while others open rounds. */
@NullMarked
@Execution(ExecutionMode.CONCURRENT)
class LogPropertyTest {
    private static final PrincipalId HOLDER = PrincipalId.client(7);
    private static final PrincipalId OTHER = PrincipalId.client(8);
    private static final long FAULTS_MILLIS = 20_000;
    private static final long CALM_MILLIS = 60_000;
    private static final Timeouts TIMES = new Timeouts(60, 150, 0, 8_000);

    @PlantedBug(
            in = LogServer.class,
            rule = "a log server acknowledges nothing before it is stored",
            replace = "log.lastToken() <= stored) { effects.add(send);",
            with = "log.lastToken() >= 0) { effects.add(send);")
    @PlantedBug(
            in = LogHolder.class,
            rule = "an operation completes at 2f+1 equal replies",
            replace = "return 2 * faulty() + 1;",
            with = "return faulty() + 1;")
    @PlantedBug(
            in = LogServer.class,
            rule = "(16) FETCH is owed until the state has it, also after a restart",
            replace = "if (!isAbstaining(open.id())) {",
            with = "if (!isAbstaining(open.id()) && !log(open.id()).isClosed()) {")
    @Test
    void whatIsAcknowledgedSurvivesAndRoundsEnd() {
        long first = Long.getLong("bulwark.seed", 1);
        int seeds = System.getProperty("bulwark.seed") == null ? Runs.of(3) : 1;
        int answered = 0;
        int closed = 0;
        for (long seed = first; seed < first + seeds; seed++) {
            Run run = new Run(seed);
            try {
                run.run();
            } catch (AssertionError | RuntimeException e) {
                throw new AssertionError("seed " + seed + " at " + run.world.now, e);
            }
            answered += run.answered;
            closed += run.closed;
        }
        assertThat(answered).isGreaterThan(100 * seeds);
        assertThat(closed).isGreaterThan(3 * seeds);
    }

    /** An operation or a query of the holder. */
    private static final class Asked {
        private final long number;
        private final long earliest;
        private @Nullable Bytes reply;

        /**
         * What was asked.
         *
         * @param number of the entry; 0 of a query
         * @param earliest number of the last entry that had a reply before
         */
        private Asked(long number, long earliest) {
            this.number = number;
            this.earliest = earliest;
        }
    }

    private static final class Run {
        private final LogWorld world;
        private final Map<Long, Asked> asked = new HashMap<>();
        private final List<Asked> ofThisLog = new ArrayList<>();
        private SignedLog log;
        private LogHolder holder;
        private final List<Long> values = new ArrayList<>();
        private long session;
        private long lastToken;
        private long lastAnswered;
        private boolean isOver;
        private int answered;
        private int closed;

        private Run(long seed) {
            world = new LogWorld(seed);
            world.setReceiver((from, message) -> perform(holder.onMessage(world.now, from, message)));
            lock();
        }

        private void lock() {
            assertThat(world.order(HOLDER, CounterState.lock(++session, world.signer.key())))
                    .isTrue();
            log = new SignedLog(world.latest.locked().orElseThrow(), world.signer);
            holder = new LogHolder(
                    new LogHolder.Terms(CounterState.CLUSTER, log.id, LogWorld.principals()),
                    world.signer::sign,
                    TIMES);
            values.clear();
            values.add(world.latest.counter());
            lastAnswered = 0;
            isOver = false;
            ofThisLog.clear();
        }

        private void run() {
            for (long end = world.now + FAULTS_MILLIS; world.now < end; ) {
                step();
            }
            world.calm();
            perform(holder.stop(world.now));
            for (long end = world.now + CALM_MILLIS; world.now < end && !(isOver && world.isSettled()); ) {
                world.step();
                perform(holder.onTick(world.now));
                close();
            }
            assertThat(isOver).as("the round ends").isTrue();
            assertThat(world.isSettled()).as("replicas agree").isTrue();
        }

        private void step() {
            world.step();
            perform(holder.onTick(world.now));
            for (int i = world.random.nextInt(4); i > 0; i--) {
                ask();
            }
            if (world.random.nextInt(200) == 0) {
                world.order(OTHER, CounterState.openRound());
            }
            if (world.random.nextInt(20) == 0) {
                world.order(OTHER, CounterState.add(world.random.nextInt(100)));
            }
            if (world.random.nextInt(400) == 0) {
                perform(holder.stop(world.now));
            }
            close();
            if (isOver && world.latest.locked().isEmpty()) {
                lock();
            }
        }

        private void ask() {
            LogEntry entry = SignedLog.entry(world.random.nextInt(100), world.random.nextInt(3) * 1_000);
            if (world.random.nextInt(5) == 0) {
                if (holder.canRead()) {
                    note(new Asked(0, lastAnswered));
                    Bytes query = world.random.nextBoolean() ? CounterState.LONG : Bytes.EMPTY;
                    perform(holder.read(world.now, lastToken, Optional.empty(), query));
                }
            } else if (holder.canAppend(entry)) {
                log.add(List.of(entry));
                values.add(values.getLast() + CounterState.numberOf(entry.command()));
                note(new Asked(log.entries.size(), lastAnswered));
                perform(holder.append(world.now, lastToken, entry));
            }
        }

        private void note(Asked what) {
            asked.put(++lastToken, what);
            ofThisLog.add(what);
        }

        private void perform(List<HolderEffect> effects) {
            for (HolderEffect effect : effects) {
                switch (effect) {
                    case HolderEffect.Send send -> world.send(HOLDER, send.to(), send.message());
                    case HolderEffect.Answered(long token, Bytes reply) ->
                        onAnswered(Objects.requireNonNull(asked.get(token)), reply);
                    case HolderEffect.Ended ended -> {
                        checkEnd(ended);
                        world.order(HOLDER, CounterState.openRound());
                    }
                }
            }
        }

        private void onAnswered(Asked what, Bytes reply) {
            assertThat(what.reply).as("answered once").isNull();
            what.reply = reply;
            answered++;
            if (what.number > 0) {
                lastAnswered = Math.max(lastAnswered, what.number);
                Bytes hash = log.hashes.get((int) what.number);
                assertThat(world.holders(log.id, what.number, hash))
                        .as("at 2f+1 servers, of which one lies")
                        .isGreaterThanOrEqualTo(LogWorld.QUORUM - 1);
                assertThat(CounterState.numberOf(reply)).isEqualTo(valueAt(what.number));
            } else {
                long value = CounterState.numberOf(reply);
                long length = what.earliest;
                while (length < log.entries.size() && valueAt(length) != value) {
                    length++;
                }
                assertThat(value).as("as of a length from %d on", what.earliest).isEqualTo(valueAt(length));
            }
        }

        private long valueAt(long length) {
            return values.get((int) length);
        }

        private void checkEnd(HolderEffect.Ended ended) {
            List<Long> open = ofThisLog.stream()
                    .filter(each -> each.number > 0 && each.reply == null)
                    .map(each -> each.number)
                    .toList();
            assertThat(ended.outstanding().stream()
                            .map(HolderEffect.Outstanding::number)
                            .toList())
                    .isEqualTo(open);
        }

        /** Once the round has ended, all that was answered must be in it, with the same reply. */
        private void close() {
            Optional<CounterState.Outcome> outcome = world.latest.outcome(log.id);
            if (isOver || outcome.isEmpty() || !holder.isEnded()) {
                return;
            }
            isOver = true;
            closed++;
            int length = outcome.get().entries().size();
            assertThat(outcome.get().entries()).as("one chain").isEqualTo(log.entries.subList(0, length));
            for (Asked each : ofThisLog) {
                if (each.number > 0 && each.reply != null) {
                    assertThat(each.number).as("acknowledged survives").isLessThanOrEqualTo(length);
                    assertThat(outcome.get().replies().get((int) each.number - 1))
                            .isEqualTo(each.reply);
                } else if (each.number > 0) {
                    assertThat(each.number).as("results are kept").isGreaterThan(length - LogLimits.OUTSTANDING_MAX);
                }
            }
        }
    }
}
