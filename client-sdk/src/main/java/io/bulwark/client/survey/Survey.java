package io.bulwark.client.survey;

import io.bulwark.protocol.effect.ClientOperation;
import io.bulwark.protocol.effect.Effect;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Predicate;

/** The same question to many, and the first acceptable answer of each that answers in time. */
public final class Survey implements ClientOperation<SortedMap<PrincipalId, Message>> {
    private static final long RETRY_MILLIS = 500;

    private final Set<PrincipalId> asked;
    private final Message question;
    private final Predicate<Message> acceptable;
    private final long timeoutMillis;
    private final SortedMap<PrincipalId, Message> answers = new TreeMap<>();
    private long startedMillis;
    private long sentMillis;
    private boolean over;

    public Survey(Set<PrincipalId> asked, Message question, Predicate<Message> acceptable, long timeoutMillis) {
        this.asked = Set.copyOf(asked);
        this.question = question;
        this.acceptable = acceptable;
        this.timeoutMillis = timeoutMillis;
    }

    @Override
    public List<Effect> start(long nowMillis) {
        startedMillis = nowMillis;
        over = asked.isEmpty();
        return ask(nowMillis);
    }

    @Override
    public List<Effect> onMessage(long nowMillis, PrincipalId from, Message message) {
        if (!over && asked.contains(from) && acceptable.test(message)) {
            answers.putIfAbsent(from, message);
            over = answers.size() == asked.size();
        }
        return List.of();
    }

    @Override
    public List<Effect> onTick(long nowMillis) {
        over |= nowMillis - startedMillis >= timeoutMillis;
        return over || nowMillis - sentMillis < RETRY_MILLIS ? List.of() : ask(nowMillis);
    }

    @Override
    public Optional<SortedMap<PrincipalId, Message>> outcome() {
        return over ? Optional.of(new TreeMap<>(Map.copyOf(answers))) : Optional.empty();
    }

    @Override
    public boolean isFinished() {
        return over;
    }

    private List<Effect> ask(long nowMillis) {
        sentMillis = nowMillis;
        List<Effect> effects = new ArrayList<>();
        for (PrincipalId each : asked) {
            if (!answers.containsKey(each)) {
                effects.add(new Effect.Send(each, 0, question));
            }
        }
        return effects;
    }
}
