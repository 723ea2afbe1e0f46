package io.bulwark.simulation.engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The requests of a node to its own server that are under way: none is waited for for ever. */
public final class OwnRequests {
    private static final long WAIT_MILLIS = 30_000;

    private final Map<Long, Long> sinceMillis = new HashMap<>();

    /** One was made. */
    public void onBegun(long nowMillis, long id) {
        sinceMillis.put(id, nowMillis);
    }

    /** It was answered: whether it was still waited for. */
    public boolean answered(long id) {
        return sinceMillis.remove(id) != null;
    }

    /** Removes the requests that have timed out, and returns their ids in order. */
    public List<Long> late(long nowMillis) {
        List<Long> late = sinceMillis.entrySet().stream()
                .filter(each -> nowMillis - each.getValue() >= WAIT_MILLIS)
                .map(Map.Entry::getKey)
                .sorted()
                .toList();
        late.forEach(sinceMillis::remove);
        return late;
    }
}
