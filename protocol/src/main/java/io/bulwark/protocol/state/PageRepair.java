package io.bulwark.protocol.state;

import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Fetch of single pages by digest that an operation, or the serving of another replica, found to be damaged. They
 * belong to checkpoints of this replica, and others have them as long as they are live there. A page that f + 1 others
 * have discarded is no longer wanted: if it is still needed here it will be found damaged again. Driven as {@link
 * StateFetch}.
 */
public final class PageRepair {
    private final PageRequests requests;

    /**
     * Nothing is wanted at first.
     *
     * @param replicas the others
     * @param tokensFrom a number that differs from start to start
     */
    public PageRepair(List<Integer> replicas, FetchSettings settings, long tokensFrom) {
        requests = new PageRequests(replicas, settings, tokensFrom);
    }

    /** Wants one more page. */
    public List<FetchEffect> want(long nowMillis, Bytes digest) {
        requests.want(digest);
        return onTick(nowMillis);
    }

    /** The number of pages that are still missing. */
    public int open() {
        return requests.open();
    }

    public List<FetchEffect> onPages(long nowMillis, int from, long token, List<Bytes> pages) {
        List<FetchEffect> out = new ArrayList<>();
        Map<Bytes, Bytes> repaired = new HashMap<>();
        requests.onPages(nowMillis, from, token, pages, out)
                .forEach(arrived -> repaired.put(arrived.digest(), arrived.page()));
        for (FetchEffect effect : out) {
            if (effect instanceof FetchEffect.Unavailable gone) {
                requests.forget(gone.digest());
            }
        }
        if (!repaired.isEmpty()) {
            out.add(new FetchEffect.Write(PageBatch.repaired(repaired)));
        }
        requests.send(nowMillis, out);
        return out;
    }

    public List<FetchEffect> onTick(long nowMillis) {
        List<FetchEffect> out = new ArrayList<>();
        requests.onTick(nowMillis, out);
        return out;
    }
}
