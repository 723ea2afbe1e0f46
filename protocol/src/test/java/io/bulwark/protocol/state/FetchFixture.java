package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.NullMarked;
import org.jspecify.annotations.Nullable;

/** One replica that fetches, others that serve it well or badly, and a network with delays. */
@NullMarked
final class FetchFixture {
    /** Answers of another replica, if it answers. */
    interface Server {
        Optional<List<Bytes>> answer(long nowMillis, List<Bytes> digests);
    }

    private static final long TICK_MILLIS = 20;

    private record Delivery(long atMillis, int from, long token, List<Bytes> pages) {}

    final MemoryPageStore store;
    final List<Server> servers = new ArrayList<>();
    /** Additional delay of each server. */
    final Map<Integer, Long> delays = new LinkedHashMap<>();

    final Set<Integer> accused = new HashSet<>();
    final Set<Bytes> damaged = new HashSet<>();
    final List<Bytes> unavailable = new ArrayList<>();
    final Map<Integer, Integer> asked = new LinkedHashMap<>();
    FetchEffect.@Nullable Complete complete;
    long nowMillis;

    private final Random random;
    private final PriorityQueue<Delivery> network = new PriorityQueue<>(Comparator.comparingLong(Delivery::atMillis));
    private boolean again;

    FetchFixture(MemoryPageStore store, Random random) {
        this.store = store;
        this.random = random;
    }

    static Server honest(PageStore store) {
        PageServer server = new PageServer(store, 100_000_000);
        return (now, digests) -> Optional.of(server.onFetch(now, 0, digests));
    }

    static Server silent() {
        return (_, _) -> Optional.empty();
    }

    static Server lacking() {
        return (_, digests) ->
                Optional.of(digests.stream().map(_ -> Bytes.EMPTY).toList());
    }

    /** Sends nothing, or one page of those that were asked for. */
    static Server stingy(PageStore store, Random random) {
        Server honest = honest(store);
        return (now, digests) ->
                honest.answer(now, digests).map(all -> all.subList(0, Math.min(all.size(), random.nextInt(2))));
    }

    /** Sends pages with a bit flipped, in another order, or more than were asked for. */
    static Server lying(PageStore store, Random random) {
        Server honest = honest(store);
        return (now, digests) -> honest.answer(now, digests).map(all -> {
            List<Bytes> pages = new ArrayList<>(all);
            switch (random.nextInt(3)) {
                case 0 -> pages.add(Bytes.of((byte) 1));
                case 1 -> pages.replaceAll(page -> flipped(page, random));
                default -> pages.set(0, Bytes.of((byte) 0, (byte) 9));
            }
            return pages.subList(0, Math.min(64, pages.size()));
        });
    }

    static Bytes flipped(Bytes page, Random random) {
        if (page.isEmpty()) {
            return page;
        }
        byte[] bytes = page.toByteArray();
        bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        return Bytes.of(bytes);
    }

    List<Integer> replicas() {
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < servers.size(); i++) {
            ids.add(i);
        }
        return ids;
    }

    StateFetch fetch(boolean checking) {
        return new StateFetch(store, replicas(), FetchSettings.DEFAULT, checking, random.nextLong());
    }

    /** Runs until the fetch is complete, or all other replicas lack a page, or this many answers were delivered. */
    void run(StateFetch fetch, List<FetchEffect> first, int answers) {
        apply(first);
        int delivered = 0;
        while (complete == null && unavailable.isEmpty() && delivered < answers) {
            Delivery next = network.peek();
            if (again) {
                again = false;
                apply(fetch.onTick(nowMillis));
            } else if (next == null || next.atMillis() > nowMillis + TICK_MILLIS) {
                nowMillis += TICK_MILLIS;
                apply(fetch.onTick(nowMillis));
            } else {
                network.remove();
                delivered++;
                nowMillis = Math.max(nowMillis, next.atMillis());
                apply(fetch.onPages(nowMillis, next.from(), next.token(), next.pages()));
            }
            if (nowMillis > 3_600_000) {
                throw new AssertionError("an hour has gone by: " + fetch.progress());
            }
        }
    }

    /** Runs to the end. */
    void finish(StateFetch fetch, List<FetchEffect> first) {
        run(fetch, first, Integer.MAX_VALUE);
    }

    private void apply(List<FetchEffect> effects) {
        for (FetchEffect effect : effects) {
            switch (effect) {
                case FetchEffect.Send send -> {
                    asked.merge(send.replica(), 1, Integer::sum);
                    long at = nowMillis + 1 + random.nextInt(20) + delays.getOrDefault(send.replica(), 0L);
                    servers.get(send.replica())
                            .answer(nowMillis, send.digests())
                            .ifPresent(pages -> network.add(new Delivery(at, send.replica(), send.token(), pages)));
                }
                case FetchEffect.Write write -> store.write(write.batch());
                case FetchEffect.ImmediateTick _ -> again = true;
                case FetchEffect.WrongPage wrong -> accused.add(wrong.replica());
                case FetchEffect.Damaged page -> damaged.add(page.digest());
                case FetchEffect.Unavailable page -> unavailable.add(page.digest());
                case FetchEffect.Complete end -> {
                    complete = end;
                    store.write(end.batch());
                }
            }
        }
    }
}
