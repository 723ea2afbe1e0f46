package io.bulwark.metadata.pages;

import io.bulwark.protocol.state.FetchEffect;
import io.bulwark.protocol.state.FetchSettings;
import io.bulwark.protocol.state.PageServer;
import io.bulwark.protocol.state.PageStore;
import io.bulwark.protocol.state.StateFetch;
import io.bulwark.protocol.state.StateTree;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;

/** Recovery of a replica that already has pages. */
final class PageRecovery {
    private PageRecovery() {}

    /** Checks every page against one other replica; gives how many had to be fetched. */
    static long run(PageStore store, PageStore other, StateTree.Checkpoint checkpoint) {
        PageServer server = new PageServer(other, 1 << 30);
        StateFetch fetch = new StateFetch(store, List.of(1), FetchSettings.DEFAULT, true, 1);
        Deque<FetchEffect> effects = new ArrayDeque<>(fetch.target(0, checkpoint.number(), checkpoint.digest()));
        while (true) {
            switch (effects.remove()) {
                case FetchEffect.Send send ->
                    effects.addAll(fetch.onPages(0, 1, send.token(), server.onFetch(0, 2, send.digests())));
                case FetchEffect.Write write -> store.write(write.batch());
                case FetchEffect.ImmediateTick _ -> effects.addAll(fetch.onTick(0));
                case FetchEffect.Complete complete -> {
                    store.write(complete.batch());
                    return fetch.progress().fetched();
                }
                case FetchEffect.Damaged _ -> {}
                case FetchEffect.WrongPage wrong -> throw new AssertionError(wrong);
                case FetchEffect.Unavailable lacking -> throw new AssertionError(lacking);
            }
        }
    }
}
