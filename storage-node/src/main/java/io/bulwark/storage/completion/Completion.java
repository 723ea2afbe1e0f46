package io.bulwark.storage.completion;

import io.bulwark.client.object.Metadata;
import io.bulwark.protocol.completion.CompletionStep;
import io.bulwark.protocol.completion.NodeCompletion;
import io.bulwark.protocol.control.NodeControlMessage.VersionsReport;
import io.bulwark.protocol.control.NodeControlMessage.VolumeWork;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.epoch.SettleAnswer;
import io.bulwark.protocol.extent.CompletionResult;
import io.bulwark.protocol.extent.ExtentMessage.Completed;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.storage.background.Background;
import io.bulwark.storage.background.ScrubCounts;
import io.bulwark.storage.background.Scrubber;
import io.bulwark.storage.node.BackgroundWork;
import io.bulwark.storage.node.NodeAccess;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps a node's extents complete, and its registers while their holders change. One thread drives {@link
 * NodeCompletion}, others report verdicts, watch peers, and advance the agreed time. All wait while the metadata service does
 * not answer.
 */
public final class Completion implements BackgroundWork {
    private static final Logger LOG = LoggerFactory.getLogger(Completion.class);
    private static final ExtentTiming READ_TIMING = ExtentTiming.standard().withDeadlineMillis(15_000);
    private static final long TICK_MILLIS = 50;
    /** Time between two ticks once nothing has come for {@link #BUSY_MILLIS}. */
    private static final long IDLE_TICK_MILLIS = 250;

    private static final long BUSY_MILLIS = 1_000;

    /** A client's request of this time is news: longer than the time between two ticks. */
    private static final long FOREGROUND_MILLIS = 2 * IDLE_TICK_MILLIS;
    /** Longer than a repair takes before it gives up. */
    private static final long ANSWER_MILLIS = 30_000;

    /** A register may be repaired, and asked for at the others, more than once. */
    private static final long SETTLE_MILLIS = 90_000;

    private static final long STOP_MILLIS = 5_000;

    private final Metadata metadata;
    private final CompletionConfig config;
    private final Background background;
    private final BlockingQueue<Input> inputs = new LinkedBlockingQueue<>();
    private volatile @Nullable Parts parts;
    private volatile NodeCompletion.CompletionCounts counts = NodeCompletion.CompletionCounts.NONE;
    private final UnsettledLog unsettled = new UnsettledLog();
    private volatile boolean stopping;

    /** Parts that exist once the node serves. */
    private record Parts(
            NodeAccess node,
            NodeCompletion machine,
            VerdictReports reports,
            PeerWatch watch,
            ControlSession session,
            EpochCommandQueue owed,
            List<Thread> threads) {}

    /** One input of the state machine. */
    private interface Input {
        List<CompletionStep> submitAnswers(NodeCompletion machine, long nowMillis);
    }

    /** @param background decides when fragments are re-read */
    public Completion(Metadata metadata, CompletionConfig config, Background background) {
        this.metadata = metadata;
        this.config = config;
        this.background = background;
    }

    @Override
    public void start(NodeAccess node) {
        ControlSession session = new ControlSession(metadata);
        Parts made = new Parts(
                node,
                new NodeCompletion(
                        node.node(),
                        config.pace(),
                        background.allowance(Scrubber.EXTENTS),
                        background.allowance(Scrubber.UNVERIFIED_EXTENTS),
                        background.dissemination(),
                        background.rebuild()),
                new VerdictReports(metadata, session, node.evidence(), node.node()),
                new PeerWatch(metadata, session, node),
                session,
                new EpochCommandQueue(session),
                new ArrayList<>());
        parts = made;
        background.count(() -> new ScrubCounts(counts.scrubbed(), counts.scrubFoundBad(), counts.scrubRepaired()));
        node.hearRefusals(promise -> inputs.add(
                (machine, now) -> machine.onRefuses(now, promise.volume(), promise.group(), promise.before())));
        String name = "bulwark-completion-" + node.node();
        made.threads().add(Thread.ofVirtual().name(name).start(() -> drive(made)));
        made.threads()
                .add(Thread.ofVirtual()
                        .name(name + "-session")
                        .start(() -> loop(session::renew, config.renewMillis())));
        made.threads()
                .add(Thread.ofVirtual()
                        .name(name + "-epochs")
                        .start(() -> loop(made.owed()::submit, config.pace().pollMillis())));
        made.threads()
                .add(Thread.ofVirtual()
                        .name(name + "-verdicts")
                        .start(() -> loop(made.reports()::poll, config.pace().pollMillis())));
        made.threads()
                .add(Thread.ofVirtual()
                        .name(name + "-peers")
                        .start(() -> loop(made.watch()::poll, config.pace().pollMillis())));
    }

    @Override
    public void stop() {
        stopping = true;
        Parts running = parts;
        if (running == null) {
            return;
        }
        running.threads().forEach(Thread::interrupt);
        try {
            for (Thread thread : running.threads()) {
                thread.join(STOP_MILLIS);
            }
            running.session().close();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Returns the completed and remaining work; counts are empty before the node serves. */
    public CompletionStatus status() {
        Parts running = parts;
        NodeCompletion.CompletionCounts done = counts;
        return new CompletionStatus(
                done.checked(),
                done.completed(),
                done.repaired(),
                done.incomplete(),
                done.scrubbed(),
                running == null ? 0 : running.reports().reported(),
                done.left().stream()
                        .map(left -> new VolumeWork(left.volume(), left.unfinished(), left.lacking(), left.compared()))
                        .toList());
    }

    /** Returns the number of extents of the archive class that this node lacks, and that wait for dissemination. */
    public long lacking() {
        return counts.left().stream()
                .mapToLong(NodeCompletion.RemainingWork::lacking)
                .sum();
    }

    /** Returns whether all references of object volumes at the node's start have been compared with its contents. */
    public boolean compared() {
        return counts.compared();
    }

    /** Returns the verified versions in object volumes with lazy verification, by rising volume id. */
    public List<VersionsReport> versions() {
        return counts.verified().stream()
                .map(each -> new VersionsReport(
                        each.volume(), each.unverified(), 0, each.verified(), 0, 0, 0, each.poisonous(), 0))
                .toList();
    }

    private void drive(Parts running) {
        long now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
        long tickedMillis = 0;
        long busyUntilMillis = now + BUSY_MILLIS;
        boolean waited = false;
        while (!stopping) {
            try {
                Input input =
                        inputs.poll(now < busyUntilMillis ? TICK_MILLIS : IDLE_TICK_MILLIS, TimeUnit.MILLISECONDS);
                now = TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
                if (input != null) {
                    busyUntilMillis = now + BUSY_MILLIS;
                    perform(running, input.submitAnswers(running.machine(), now));
                }
                if (now - tickedMillis >= TICK_MILLIS) {
                    tickedMillis = now;
                    if (running.node().sinceForegroundMillis() < FOREGROUND_MILLIS) {
                        running.machine().onForeground(now);
                    }
                    perform(running, running.machine().onTick(now));
                    counts = running.machine().counts();
                    if (counts.waiting() && !waited) {
                        LOG.info("completion is waiting: the metadata service does not answer");
                    }
                    waited = counts.waiting();
                }
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                LOG.error("a step of completion failed", e);
            }
        }
    }

    private void perform(Parts running, List<CompletionStep> steps) {
        NodeAccess node = running.node();
        for (CompletionStep step : steps) {
            switch (step) {
                case CompletionStep.Ask ask ->
                    when(
                            metadata.query(ask.query()),
                            reply -> (machine, now) -> reply == null
                                    ? machine.onSilence(now, ask.token())
                                    : machine.onReply(now, ask.token(), reply));
                case CompletionStep.Tell tell -> node.tell(tell.fact());
                case CompletionStep.Check check ->
                    when(node.ask(check.request(), ANSWER_MILLIS), answer -> {
                        CompletionResult result = answer instanceof Completed completed
                                ? completed.result()
                                : CompletionResult.UNAVAILABLE;
                        return (machine, now) -> machine.onChecked(now, check.token(), result);
                    });
                case CompletionStep.Fetch fetch ->
                    when(node.run(fetch.read(READ_TIMING)), outcome -> {
                        ReadOutcome known = outcome == null ? new ReadOutcome.Unavailable(Map.of()) : outcome;
                        return (machine, now) -> machine.onFetched(now, fetch.token(), known);
                    });
                case CompletionStep.Find find ->
                    when(
                            node.store().scan(RecordKind.EXTENT, find.from(), find.to(), 1, _ -> true),
                            found -> found(find.token(), found));
                case CompletionStep.SeeTo seeTo ->
                    when(node.ask(seeTo.request(), SETTLE_MILLIS), answer -> {
                        boolean done = SettleAnswer.isDone(answer);
                        return (machine, now) -> {
                            if (!done) {
                                unsettled.report(now, seeTo.request());
                            }
                            return machine.onSettled(now, seeTo.token(), done);
                        };
                    });
                case CompletionStep.FindRegister find ->
                    when(
                            node.store().scan(find.kind(), find.first(), find.last(), 1, find::wants),
                            found -> found(find.token(), found));
                case CompletionStep.Submit submit -> running.owed().add(submit.command());
            }
        }
    }

    private static Input found(long token, Loaded.@Nullable Metas found) {
        return (machine, now) -> found == null
                ? machine.onSilence(now, token)
                : machine.onFound(
                        now,
                        token,
                        found.records().stream()
                                .findFirst()
                                .map(meta -> meta.key().block()));
    }

    private <T> void when(CompletableFuture<T> future, Function<@Nullable T, Input> input) {
        var _ = future.whenComplete((@Nullable T result, @Nullable Throwable failure) ->
                inputs.add(input.apply(failure == null ? result : null)));
    }

    /** A round of work that may fail because others do not answer. */
    private interface Round {
        void run() throws InterruptedException, ExecutionException;
    }

    private void loop(Round round, long pauseMillis) {
        boolean failing = false;
        while (!stopping) {
            try {
                round.run();
                failing = false;
            } catch (ExecutionException e) {
                if (!failing) {
                    LOG.info("completion is waiting: {}", e.getMessage());
                }
                failing = true;
            } catch (InterruptedException e) {
                return;
            } catch (RuntimeException e) {
                LOG.error("a round of completion failed", e);
            }
            try {
                TimeUnit.MILLISECONDS.sleep(pauseMillis);
            } catch (InterruptedException e) {
                return;
            }
        }
    }
}
