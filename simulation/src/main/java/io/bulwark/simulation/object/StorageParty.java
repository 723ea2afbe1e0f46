package io.bulwark.simulation.object;

import io.bulwark.protocol.bucket.SessionCommands;
import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Question;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.completion.CompletionPace;
import io.bulwark.protocol.completion.CompletionStep;
import io.bulwark.protocol.completion.NodeCompletion;
import io.bulwark.protocol.completion.RebuildRate;
import io.bulwark.protocol.completion.ReplicaQuestions;
import io.bulwark.protocol.completion.WorkThrottle;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.DistantPast;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.RecordKind;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.extent.CompletionResult;
import io.bulwark.protocol.extent.ExtentMessage;
import io.bulwark.protocol.extent.ExtentTiming;
import io.bulwark.protocol.extent.ReadOutcome;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.metadata.Submission;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.OwnRequests;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A storage node as it runs in production: its extent server, its completion, a session, and the replicas that answer
 * its server's questions. It renews the session so that agreed time advances. Its own tokens are negative.
 */
final class StorageParty implements ProtocolServer {
    private static final int DISSEMINATED_PER_SECOND = 20;
    private static final int SCRUBS_PER_SECOND = 20;
    private static final int REBUILT_PER_SECOND = 1 << 20;

    private final int node;
    private final PrincipalId self;
    private final ProtocolServer server;
    private final Replicas replicas;
    private final RandomGenerator random;
    private final ExtentTiming timing;
    private final long renewMillis;
    private final boolean liesOfEpochs;
    private final Consumer<Fact> told;
    private final NodeCompletion completion;
    private final Map<Long, Consumer<Object>> running = new HashMap<>();
    private final Map<Long, Long> finding = new HashMap<>();
    private final OwnRequests checking = new OwnRequests();
    /** Commands about epochs that the node has still to submit. */
    private final Deque<Command> owed = new ArrayDeque<>();

    private @Nullable SessionCommands session;
    private boolean calling;
    private long renewedMillis = DistantPast.MILLIS;
    private long lastToken;

    /**
     * Creates a node that starts.
     *
     * @param server its extents, or a liar around them
     * @param liesOfEpochs whether it seals and confirms each announced or opened epoch at once, without informing its
     *     server
     * @param told receives each fact that completion passes to the server
     */
    StorageParty(
            int node,
            ProtocolServer server,
            Replicas replicas,
            RandomGenerator random,
            CompletionPace pace,
            ExtentTiming timing,
            boolean liesOfEpochs,
            Consumer<Fact> told) {
        this.node = node;
        this.self = PrincipalId.node(node);
        this.server = server;
        this.replicas = replicas;
        this.random = random;
        this.timing = timing;
        this.liesOfEpochs = liesOfEpochs;
        this.renewMillis = 300 + random.nextLong(500);
        this.told = told;
        this.completion = new NodeCompletion(
                node,
                pace,
                WorkThrottle.perSecond(SCRUBS_PER_SECOND),
                WorkThrottle.perSecond(SCRUBS_PER_SECOND),
                WorkThrottle.perSecond(DISSEMINATED_PER_SECOND),
                RebuildRate.of(REBUILT_PER_SECOND));
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        return pass(nowMillis, server.onMessage(nowMillis, from, requestId, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>(pass(nowMillis, server.onTick(nowMillis)));
        effects.addAll(perform(nowMillis, completion.onTick(nowMillis)));
        for (long token : checking.late(nowMillis)) {
            effects.addAll(perform(nowMillis, completion.onChecked(nowMillis, token, CompletionResult.UNAVAILABLE)));
        }
        if (!calling && (!owed.isEmpty() || nowMillis - renewedMillis >= renewMillis)) {
            renewedMillis = nowMillis;
            effects.add(renew());
        }
        return effects;
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        return pass(nowMillis, server.onStored(nowMillis, token, stored));
    }

    @Override
    public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
        Long find = finding.remove(token);
        if (find == null) {
            return pass(nowMillis, server.onLoaded(nowMillis, token, loaded));
        }
        Optional<BlockId> first = loaded instanceof Loaded.Metas metas
                ? metas.records().stream().findFirst().map(meta -> meta.key().block())
                : Optional.empty();
        return perform(nowMillis, completion.onFound(nowMillis, find, first));
    }

    @Override
    public List<Effect> onFact(long nowMillis, Fact fact) {
        return pass(nowMillis, server.onFact(nowMillis, fact));
    }

    @Override
    public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
        Consumer<Object> own = running.remove(token);
        if (own == null) {
            return pass(nowMillis, server.onCompleted(nowMillis, token, outcome));
        }
        answered.clear();
        answeredMillis = nowMillis;
        own.accept(outcome);
        List<Effect> effects = List.copyOf(answered);
        answered.clear();
        return effects;
    }

    /** Effects of the handler of an own operation. */
    private final List<Effect> answered = new ArrayList<>();

    private long answeredMillis;

    /** The server's effects: its questions go to the replicas, its answers to this node's own requests to completion. */
    private List<Effect> pass(long nowMillis, List<Effect> effects) {
        List<Effect> passed = new ArrayList<>();
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Ask ask -> passed.add(ask(ask.question()));
                case Effect.Send(PrincipalId to, long token, ExtentMessage.Completed completed)
                when to.equals(self) -> {
                    if (checking.answered(token)) {
                        passed.addAll(perform(nowMillis, completion.onChecked(nowMillis, token, completed.result())));
                    }
                }
                case Effect.Refuses(int volume, int group, long before) ->
                    passed.addAll(perform(nowMillis, completion.onRefuses(nowMillis, volume, group, before)));
                default -> passed.add(effect);
            }
        }
        return passed;
    }

    private Effect ask(Question question) {
        return run(
                replicas.ask(ReplicaQuestions.query(question)),
                outcome -> Replicas.reply(outcome)
                        .flatMap(reply -> ReplicaQuestions.fact(question, reply))
                        .ifPresent(fact -> answered.addAll(pass(answeredMillis, server.onFact(answeredMillis, fact)))));
    }

    private List<Effect> perform(long nowMillis, List<CompletionStep> steps) {
        List<Effect> effects = new ArrayList<>();
        for (CompletionStep step : steps) {
            switch (step) {
                case CompletionStep.Ask ask ->
                    effects.add(run(replicas.ask(ask.query()), outcome -> {
                        Optional<Reply> reply = Replicas.reply(outcome);
                        answered.addAll(perform(
                                answeredMillis,
                                reply.isPresent()
                                        ? completion.onReply(answeredMillis, ask.token(), reply.get())
                                        : completion.onSilence(answeredMillis, ask.token())));
                    }));
                case CompletionStep.Tell(Fact.OfVolume of)
                when liesOfEpochs ->
                    effects.addAll(sealWithoutAWord(nowMillis, of.known().orElseThrow()));
                case CompletionStep.Tell tell -> {
                    told.accept(tell.fact());
                    effects.addAll(pass(nowMillis, server.onFact(nowMillis, tell.fact())));
                }
                case CompletionStep.Check check -> {
                    checking.onBegun(nowMillis, check.token());
                    effects.addAll(pass(nowMillis, server.onMessage(nowMillis, self, check.token(), check.request())));
                }
                case CompletionStep.Fetch fetch ->
                    effects.add(run(
                            fetch.read(timing),
                            outcome -> answered.addAll(perform(
                                    answeredMillis,
                                    completion.onFetched(answeredMillis, fetch.token(), (ReadOutcome) outcome)))));
                case CompletionStep.Find find -> {
                    finding.put(--lastToken, find.token());
                    effects.add(new Effect.Scan(lastToken, RecordKind.EXTENT, find.from(), find.to(), 1));
                }
                case CompletionStep.Submit submit -> {
                    if (!owed.contains(submit.command())) {
                        owed.add(submit.command());
                    }
                }
                case CompletionStep.SeeTo _, CompletionStep.FindRegister _ ->
                    throw new IllegalStateException("there are no registers here: " + step);
            }
        }
        return effects;
    }

    private List<Effect> sealWithoutAWord(long nowMillis, Volume volume) {
        List<Effect> effects = new ArrayList<>();
        for (int index = 0; index < volume.groups().size(); index++) {
            long epoch = volume.groups().get(index).epoch();
            effects.addAll(perform(nowMillis, completion.onRefuses(nowMillis, volume.id(), index, epoch + 1)));
            if (volume.groups().get(index).isFresh(node)) {
                owed.add(new Command.ConfirmEpoch(volume.id(), index, epoch));
            }
        }
        return effects;
    }

    private Effect renew() {
        calling = true;
        SessionCommands open = session;
        if (open == null) {
            byte[] nonce = new byte[Submission.OpenSession.NONCE_BYTES];
            random.nextBytes(nonce);
            return run(replicas.submit(new Submission.OpenSession(Bytes.of(nonce), 0)), outcome -> {
                calling = false;
                if (Replicas.reply(outcome).orElse(null) instanceof Reply.SessionOpened opened) {
                    session = new SessionCommands(opened.session());
                }
            });
        }
        open.add(0, owed.isEmpty() ? new Command.RenewSession() : owed.removeFirst());
        Submission.InSession submission = open.next().orElseThrow().submission();
        return run(replicas.submit(submission), outcome -> {
            calling = false;
            open.done(submission.number());
            if (!(Replicas.reply(outcome).orElse(null) instanceof Reply.Done)) {
                // Refused or lost: what matters still is asked for again.
                session = null;
            }
        });
    }

    private Effect run(ClientOperation<?> operation, Consumer<Object> then) {
        running.put(--lastToken, then);
        return new Effect.Run(lastToken, operation);
    }

    /** Returns the progress of this node's completion. */
    NodeCompletion.CompletionCounts counts() {
        return completion.counts();
    }

    int node() {
        return node;
    }
}
