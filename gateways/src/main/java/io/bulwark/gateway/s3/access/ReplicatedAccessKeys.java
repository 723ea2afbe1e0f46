package io.bulwark.gateway.s3.access;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Gateways;
import java.time.InstantSource;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.regex.Pattern;

/**
 * The access keys in the replicated metadata that are sealed for this gateway. Answers are remembered for five seconds,
 * so that a revocation takes effect after that time at most, and an id that is unknown is not asked for at each request.
 * Safe for use by many threads.
 */
public final class ReplicatedAccessKeys implements AccessKeys {
    /** Time from which on a revoked key is refused. */
    public static final long AGE_MILLIS_MAX = 5_000;

    private static final int KEPT_MAX = 10_000;
    private static final int ASKING_MAX = 16;
    private static final long WAIT_MILLIS_MAX = 2_000;
    private static final long NANOS_PER_MILLI = 1_000_000;
    private static final RecentAnswers.Bounds BOUNDS =
            new RecentAnswers.Bounds(AGE_MILLIS_MAX * NANOS_PER_MILLI, KEPT_MAX, ASKING_MAX, WAIT_MILLIS_MAX);

    /** Form of the ids that the SDK makes; nothing else is asked for. */
    private static final Pattern ID = Pattern.compile("[A-Za-z0-9]{16,128}");

    private final InstantSource clock;
    private final RecentAnswers<String, Optional<io.bulwark.client.AccessKeys.Issued>> keys;
    private final RecentAnswers<Boolean, Gateways> gateways;

    /** @param door access keys as the gateway's own client asks for them, on behalf of nobody */
    public ReplicatedAccessKeys(io.bulwark.client.AccessKeys door) {
        this(door, System::nanoTime, InstantSource.system());
    }

    ReplicatedAccessKeys(io.bulwark.client.AccessKeys door, LongSupplier nanoClock, InstantSource clock) {
        this.clock = clock;
        keys = new RecentAnswers<>(door::open, Optional::isPresent, BOUNDS, nanoClock);
        gateways = new RecentAnswers<>(ignored -> door.gateways(), BOUNDS, nanoClock);
    }

    /**
     * Finds a key.
     *
     * @throws io.bulwark.client.error.BulwarkException if the replicas do not answer, or too many requests ask at once
     */
    @Override
    public Optional<AccessKey> find(String id) {
        return ID.matcher(id).matches()
                ? keys.get(id).filter(this::isInTime).map(ReplicatedAccessKeys::shown)
                : Optional.empty();
    }

    /** The answer was right when it was given; this gateway's clock ends the key in between. */
    private boolean isInTime(io.bulwark.client.AccessKeys.Issued issued) {
        long end = issued.key().expiresMillis();
        return end == 0 || clock.millis() < end;
    }

    private static AccessKey shown(io.bulwark.client.AccessKeys.Issued issued) {
        return new AccessKey(
                issued.key().id(),
                issued.secret(),
                issued.key().person(),
                issued.key().limits().stream()
                        .map(limit -> new AccessKey.Limit(limit.bucket(), limit.prefix()))
                        .toList());
    }

    @Override
    public Optional<PrincipalId> anonymous() {
        PrincipalId anonymous = gateways.get(true).anonymous();
        return anonymous.equals(PrincipalId.NOBODY) ? Optional.empty() : Optional.of(anonymous);
    }
}
