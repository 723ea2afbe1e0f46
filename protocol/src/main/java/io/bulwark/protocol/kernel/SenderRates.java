package io.bulwark.protocol.kernel;

import io.bulwark.protocol.id.PrincipalId;
import java.util.LinkedHashMap;

/** Rate limit on the work that each asker may cause here: one token bucket for each. */
public final class SenderRates {
    private static final int ASKERS_MAX = 4_096;

    private record Bucket(double tokens, long filledMillis) {}

    private final int perSecond;
    private final LinkedHashMap<PrincipalId, Bucket> buckets = new LinkedHashMap<>(16, 0.75f, true);

    public SenderRates(int perSecond) {
        this.perSecond = perSecond;
    }

    public boolean allow(long nowMillis, PrincipalId asker) {
        Bucket bucket = buckets.getOrDefault(asker, new Bucket(perSecond, nowMillis));
        long passed = Math.max(0, nowMillis - bucket.filledMillis());
        double tokens = Math.min(perSecond, bucket.tokens() + passed * (double) perSecond / 1_000);
        boolean allowed = tokens >= 1;
        buckets.put(asker, new Bucket(allowed ? tokens - 1 : tokens, nowMillis));
        if (buckets.size() > ASKERS_MAX) {
            buckets.remove(buckets.firstEntry().getKey());
        }
        return allowed;
    }
}
