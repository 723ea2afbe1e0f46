package io.bulwark.simulation.register;

import io.bulwark.protocol.cluster.Fact;
import io.bulwark.protocol.cluster.Volume;
import io.bulwark.protocol.completion.CompletionPace;
import io.bulwark.protocol.completion.CompletionStep;
import io.bulwark.protocol.completion.NodeCompletion;
import io.bulwark.protocol.completion.RebuildRate;
import io.bulwark.protocol.completion.WorkThrottle;
import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.effect.Loaded;
import io.bulwark.protocol.effect.ProtocolServer;
import io.bulwark.protocol.effect.Stored;
import io.bulwark.protocol.epoch.SettleAnswer;
import io.bulwark.protocol.id.BlockId;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Query;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.wire.Message;
import io.bulwark.simulation.engine.OwnRequests;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;

/**
 * A node whose placement groups change holders: its server, and its duties to the metadata. Its own tokens are large
 * numbers.
 */
public final class RegisterParty implements ProtocolServer {
    private static final int REBUILT_PER_SECOND = 1 << 20;
    private static final CompletionPace PACE = new CompletionPace(1_000, 4, 100, 700);
    private static final long OWN = 1L << 40;

    private final PrincipalId self;
    private final ProtocolServer server;
    private final PlacedVolume volume;
    private final boolean liesOfEpochs;
    private final NodeCompletion completion;
    private final Map<Long, BiFunction<Long, Object, List<Effect>>> running = new HashMap<>();
    private final OwnRequests settling = new OwnRequests();
    private final Map<Long, CompletionStep.FindRegister> finding = new HashMap<>();
    private long lastToken = OWN;

    /**
     * @param liesOfEpochs whether it seals and confirms each announced or opened epoch at once, without informing its
     *     server
     */
    public RegisterParty(PrincipalId self, ProtocolServer server, PlacedVolume volume, boolean liesOfEpochs) {
        this.self = self;
        this.server = server;
        this.volume = volume;
        this.liesOfEpochs = liesOfEpochs;
        this.completion = new NodeCompletion(
                self.number(),
                PACE,
                WorkThrottle.NEVER,
                WorkThrottle.NEVER,
                WorkThrottle.NEVER,
                RebuildRate.of(REBUILT_PER_SECOND));
    }

    /** Request that the replicas fulfil after a while. */
    private static final class ReplicaRequest implements ClientOperation<Object> {
        private final Supplier<Object> does;
        private Optional<Object> outcome = Optional.empty();

        ReplicaRequest(Supplier<Object> does) {
            this.does = does;
        }

        @Override
        public List<Effect> start(long nowMillis) {
            return List.of();
        }

        @Override
        public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
            return List.of();
        }

        @Override
        public List<Effect> onTick(long nowMillis) {
            if (outcome.isEmpty()) {
                outcome = Optional.of(does.get());
            }
            return List.of();
        }

        @Override
        public Optional<Object> outcome() {
            return outcome;
        }
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, long requestId, Message message) {
        return pass(nowMillis, server.onMessage(nowMillis, from, requestId, message));
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        List<Effect> effects = new ArrayList<>(pass(nowMillis, server.onTick(nowMillis)));
        effects.addAll(perform(nowMillis, completion.onTick(nowMillis)));
        for (long token : settling.late(nowMillis)) {
            effects.addAll(perform(nowMillis, completion.onSettled(nowMillis, token, false)));
        }
        return effects;
    }

    @Override
    public List<Effect> onStored(long nowMillis, long token, Stored stored) {
        return pass(nowMillis, server.onStored(nowMillis, token, stored));
    }

    @Override
    public List<Effect> onLoaded(long nowMillis, long token, Loaded loaded) {
        CompletionStep.FindRegister find = finding.remove(token);
        if (find == null) {
            return pass(nowMillis, server.onLoaded(nowMillis, token, loaded));
        }
        Optional<BlockId> first = ((Loaded.Metas) loaded)
                .records().stream()
                        .map(meta -> meta.key().block())
                        .filter(find::wants)
                        .findFirst();
        return perform(nowMillis, completion.onFound(nowMillis, find.token(), first));
    }

    @Override
    public List<Effect> onFact(long nowMillis, Fact fact) {
        return pass(nowMillis, server.onFact(nowMillis, fact));
    }

    @Override
    public List<Effect> onCompleted(long nowMillis, long token, Object outcome) {
        BiFunction<Long, Object, List<Effect>> own = running.remove(token);
        return own == null
                ? pass(nowMillis, server.onCompleted(nowMillis, token, outcome))
                : own.apply(nowMillis, outcome);
    }

    private List<Effect> pass(long nowMillis, List<Effect> effects) {
        List<Effect> passed = new ArrayList<>();
        for (Effect effect : effects) {
            switch (effect) {
                case Effect.Send(PrincipalId to, long token, Message answer)
                when to.equals(self) -> {
                    // Else it was waited for long enough.
                    if (settling.answered(token)) {
                        boolean done = SettleAnswer.isDone(answer);
                        passed.addAll(perform(nowMillis, completion.onSettled(nowMillis, token, done)));
                    }
                }
                case Effect.Refuses(int id, int group, long before) ->
                    passed.addAll(perform(nowMillis, completion.onRefuses(nowMillis, id, group, before)));
                default -> passed.add(effect);
            }
        }
        return passed;
    }

    private List<Effect> perform(long nowMillis, List<CompletionStep> steps) {
        List<Effect> effects = new ArrayList<>();
        for (CompletionStep step : steps) {
            switch (step) {
                case CompletionStep.Ask ask ->
                    effects.add(run(
                            () -> reply(ask.query()),
                            (now, reply) -> perform(now, completion.onReply(now, ask.token(), (Reply) reply))));
                case CompletionStep.Tell(Fact.OfVolume of)
                when liesOfEpochs -> of.known().ifPresent(known -> lie(known, effects));
                case CompletionStep.Tell tell -> effects.addAll(pass(nowMillis, server.onFact(nowMillis, tell.fact())));
                case CompletionStep.SeeTo seeTo -> {
                    settling.onBegun(nowMillis, seeTo.token());
                    effects.addAll(pass(nowMillis, server.onMessage(nowMillis, self, seeTo.token(), seeTo.request())));
                }
                case CompletionStep.FindRegister find -> {
                    finding.put(++lastToken, find);
                    effects.add(new Effect.Scan(lastToken, find.kind(), find.first(), find.last(), Integer.MAX_VALUE));
                }
                case CompletionStep.Submit submit -> effects.add(submit(submit.command()));
                case CompletionStep.Check _, CompletionStep.Fetch _, CompletionStep.Find _ ->
                    throw new IllegalStateException("there are no extents here: " + step);
            }
        }
        return effects;
    }

    private Reply reply(Query query) {
        return switch (query) {
            case Query.GetMap _ -> new Reply.Map(volume.map());
            case Query.SessionChanges changes -> new Reply.SessionChanges(List.of(), changes.afterSequence(), false);
            default -> throw new IllegalStateException(query.toString());
        };
    }

    private void lie(Volume known, List<Effect> effects) {
        for (int index = 0; index < known.groups().size(); index++) {
            long epoch = known.groups().get(index).epoch();
            effects.add(submit(new Command.SealEpoch(known.id(), index, epoch)));
            effects.add(submit(new Command.ConfirmEpoch(known.id(), index, epoch)));
        }
    }

    private Effect submit(Command command) {
        return run(() -> volume.execute(self.number(), command), (_, _) -> List.of());
    }

    private Effect run(Supplier<Object> does, BiFunction<Long, Object, List<Effect>> then) {
        running.put(++lastToken, then);
        return new Effect.Run(lastToken, new ReplicaRequest(does));
    }
}
