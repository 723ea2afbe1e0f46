package io.bulwark.simulation.ordering;

import io.bulwark.protocol.ordering.message.ReplicaMessage;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Fetch;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Pages;
import io.bulwark.protocol.ordering.message.ReplicaMessage.Transfer;
import io.bulwark.protocol.state.FetchEffect;
import io.bulwark.protocol.state.FetchSettings;
import io.bulwark.protocol.state.PageServer;
import io.bulwark.protocol.state.PageStore;
import io.bulwark.protocol.state.StateFetch;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Both sides of the transfer of state of one simulated replica: the production classes, over messages of the simulation. */
final class StatePages {
    private static final long SERVED_BYTES_PER_SECOND = 4 << 20;
    private static final FetchSettings SETTINGS = new FetchSettings(300, 1_000, 2, 4);

    /** Services that the replica provides. */
    interface Host {
        void send(int to, ReplicaMessage message);

        /** The fetched state is complete once this batch is on disk. */
        void complete(FetchEffect.Complete complete);

        void checked(StateFetch.Progress progress);

        /** Reports that the others have discarded the state that is being fetched, or checked in place. */
        void gone(boolean checking);

        void onAccused(int replica);
    }

    private final Host host;
    private final PageStore store;
    private final List<Integer> others;
    private final RandomGenerator random;
    private final PageServer server;
    private @Nullable StateFetch fetch;
    private boolean inPlace;

    StatePages(Host host, PageStore store, int self, int replicas, RandomGenerator random) {
        this.host = host;
        this.store = store;
        this.random = random;
        others = IntStream.range(0, replicas)
                .filter(each -> each != self)
                .boxed()
                .toList();
        server = new PageServer(store, SERVED_BYTES_PER_SECOND);
    }

    void fetch(long nowMillis, Numbered checkpoint, boolean checking) {
        StateFetch running = inPlace ? null : fetch;
        begin(nowMillis, checkpoint, running == null ? fresh(checking) : running, false);
    }

    void check(long nowMillis, Numbered checkpoint) {
        begin(nowMillis, checkpoint, fresh(true), true);
    }

    private StateFetch fresh(boolean checking) {
        return new StateFetch(store, others, SETTINGS, checking, random.nextLong());
    }

    private void begin(long nowMillis, Numbered checkpoint, StateFetch begun, boolean nowInPlace) {
        fetch = begun;
        inPlace = nowInPlace;
        carryOut(nowMillis, begun, begun.target(nowMillis, checkpoint.sequence(), checkpoint.digest()));
    }

    void onMessage(long nowMillis, int from, Transfer message) {
        switch (message) {
            case Fetch asked ->
                host.send(from, new Pages(asked.token(), server.onFetch(nowMillis, from, asked.digests())));
            case Pages pages -> {
                StateFetch running = fetch;
                if (running != null) {
                    carryOut(nowMillis, running, running.onPages(nowMillis, from, pages.token(), pages.pages()));
                }
            }
        }
    }

    void onTick(long nowMillis) {
        StateFetch running = fetch;
        if (running != null) {
            carryOut(nowMillis, running, running.onTick(nowMillis));
        }
    }

    private void gone() {
        if (inPlace) {
            fetch = null;
        }
        host.gone(inPlace);
    }

    private void carryOut(long nowMillis, StateFetch running, List<FetchEffect> first) {
        Deque<FetchEffect> effects = new ArrayDeque<>(first);
        while (!effects.isEmpty()) {
            switch (effects.remove()) {
                case FetchEffect.Send send -> host.send(send.replica(), new Fetch(send.token(), send.digests()));
                case FetchEffect.Write write -> store.write(write.batch());
                case FetchEffect.ImmediateTick _ -> effects.addAll(running.onTick(nowMillis));
                case FetchEffect.WrongPage wrong -> host.onAccused(wrong.replica());
                case FetchEffect.Unavailable _ -> gone();
                case FetchEffect.Damaged _ -> {}
                case FetchEffect.Complete complete -> {
                    fetch = null;
                    if (inPlace) {
                        host.checked(running.progress());
                    } else {
                        host.complete(complete);
                    }
                }
            }
        }
    }
}
