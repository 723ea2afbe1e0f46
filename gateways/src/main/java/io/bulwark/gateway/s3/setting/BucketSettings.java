package io.bulwark.gateway.s3.setting;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketDocument;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.Precondition;
import io.bulwark.client.error.NoSuchBucketException;
import io.bulwark.client.error.NotPermittedException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.gateway.s3.cors.CorsRules;
import io.bulwark.gateway.s3.lifecycle.LifecycleRules;
import io.bulwark.gateway.s3.policy.BucketPolicy;
import io.bulwark.gateway.s3.policy.PolicyReader;
import io.bulwark.gateway.s3.request.S3Exception;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings of buckets, which the replicas keep. Those that every request needs are remembered for a short time, so that
 * a change made with another gateway counts here after {@link #VALIDITY}.
 *
 * <p>The document is fetched with the rights of whoever asks. The remembered rules are shared among all, since they only
 * decide here: what they allow the replicas judge once more.
 */
public final class BucketSettings {
    private static final Logger LOG = LoggerFactory.getLogger(BucketSettings.class);

    static final Duration VALIDITY = Duration.ofSeconds(2);

    private static final Duration OWNED_VALIDITY = Duration.ofMinutes(1);

    private static final int REMEMBERED_MAX = 10_000;

    /** Rules may have 84 KiB of documents per bucket, and are remembered shortly. */
    private static final int RULES_MAX = 512;

    private static final int ATTEMPTS_MAX = 10;
    private static final int TURNS = 64;

    private final Set<String> actions;
    private final List<ReentrantLock> turns =
            Stream.generate(ReentrantLock::new).limit(TURNS).toList();
    private final Map<String, Remembered> rules = new ConcurrentHashMap<>();

    /** Rules for other origins, which requests ask for that nobody has signed. */
    private final Map<String, RememberedCors> cors = new ConcurrentHashMap<>();

    /** Buckets that were made with S3, until a time of {@link System#nanoTime}. */
    private final Map<String, Long> madeWithS3 = new ConcurrentHashMap<>();

    /** @param actions names of all actions that policies may name */
    public BucketSettings(Set<String> actions) {
        this.actions = Set.copyOf(actions);
    }

    private record Remembered(Bucket bucket, BucketRules rules, long untilNanos) {}

    private record RememberedCors(Optional<CorsRules> rules, long untilNanos) {}

    /** Returns a bucket, which is asked for unless its rules are remembered. */
    public Bucket known(Bulwark view, String bucket) {
        Remembered known = rules.get(bucket);
        return known != null && known.untilNanos() - System.nanoTime() > 0
                ? view.bucket(known.bucket())
                : view.bucket(bucket);
    }

    /** Returns the rules of a bucket. */
    public BucketRules rules(Bucket bucket) {
        Remembered known = rules.get(bucket.name());
        if (known != null && known.untilNanos() - System.nanoTime() > 0) {
            return known.rules();
        }
        BucketRules read = read(bucket);
        if (rules.size() >= RULES_MAX) {
            rules.clear();
        }
        rules.put(bucket.name(), new Remembered(bucket, read, System.nanoTime() + VALIDITY.toNanos()));
        return read;
    }

    /**
     * Returns the rules of a bucket for other origins, whoever asks.
     *
     * @param door the gateway's own client
     */
    public Optional<CorsRules> cors(Bulwark door, String bucket) {
        RememberedCors known = cors.get(bucket);
        if (known != null && known.untilNanos() - System.nanoTime() > 0) {
            return known.rules();
        }
        Optional<CorsRules> read = door.setting(bucket, SettingName.CORS.text())
                .flatMap(document ->
                        read(bucket, SettingName.CORS, document.content(), CorsRules::read, Optional.empty()));
        if (cors.size() >= RULES_MAX) {
            cors.clear();
        }
        cors.put(bucket, new RememberedCors(read, System.nanoTime() + VALIDITY.toNanos()));
        return read;
    }

    /**
     * Returns whether a bucket was not made with S3, and a person may read it. Only that it was made with S3 is
     * remembered, as the other answer depends on the person's rights.
     */
    public boolean isShared(Bulwark view, String bucket) {
        Long known = madeWithS3.get(bucket);
        if (known != null && known - System.nanoTime() > 0) {
            return false;
        }
        try {
            if (!isMadeWithS3(view.bucket(bucket))) {
                return true;
            }
            if (madeWithS3.size() >= REMEMBERED_MAX) {
                madeWithS3.clear();
            }
            madeWithS3.put(bucket, System.nanoTime() + OWNED_VALIDITY.toNanos());
            return false;
        } catch (NotPermittedException | NoSuchBucketException _) {
            return false;
        }
    }

    /** Forgets a bucket that was made or deleted. */
    public void forget(String bucket) {
        rules.remove(bucket);
        cors.remove(bucket);
        madeWithS3.remove(bucket);
    }

    /** Returns a document; empty if it was not set. */
    public Optional<byte[]> document(Bucket bucket, SettingName name) {
        return bucket.setting(name.text()).map(BucketDocument::content);
    }

    /** Sets a document. */
    public void put(Bucket bucket, SettingName name, byte[] document) {
        bucket.putSetting(name.text(), document, Precondition.NONE);
        forget(bucket.name());
    }

    /** Removes a document, if there is one. */
    public void remove(Bucket bucket, SettingName name) {
        bucket.removeSetting(name.text(), Precondition.NONE);
        forget(bucket.name());
    }

    /** Changes the rules about access, on top of what others change at the same time. */
    public void changeAccess(Bucket bucket, UnaryOperator<AccessRules> change) {
        // Changes through this gateway wait for each other; those through others are repeated.
        ReentrantLock turn = turns.get(Math.floorMod(bucket.name().hashCode(), TURNS));
        turn.lock();
        try {
            changeInTurn(bucket, change);
        } finally {
            turn.unlock();
        }
    }

    private void changeInTurn(Bucket bucket, UnaryOperator<AccessRules> change) {
        for (int attempt = 1; ; attempt++) {
            BucketDocument current = bucket.setting(SettingName.ACCESS.text())
                    .orElseThrow(() -> new IllegalStateException("not made with S3: " + bucket.name()));
            byte[] changed =
                    change.apply(AccessRules.ofBytes(current.content())).toBytes();
            try {
                bucket.putSetting(SettingName.ACCESS.text(), changed, Precondition.ifVersion(current.number()));
                forget(bucket.name());
                return;
            } catch (PreconditionFailedException e) {
                if (attempt == ATTEMPTS_MAX) {
                    throw e;
                }
            }
        }
    }

    /** Returns a bucket to be that has its rules about access from the start: without rules every reader of it may in. */
    public static BucketSpec withAccess(BucketSpec spec, AccessRules access) {
        return spec.withSetting(SettingName.ACCESS.text(), access.toBytes());
    }

    /** Returns whether a bucket was made with S3. */
    public boolean isMadeWithS3(Bucket bucket) {
        return document(bucket, SettingName.ACCESS).isPresent();
    }

    private BucketRules read(Bucket bucket) {
        Optional<AccessRules> access = document(bucket, SettingName.ACCESS).map(AccessRules::ofBytes);
        return new BucketRules(
                access,
                read(
                        bucket,
                        SettingName.POLICY,
                        json -> PolicyReader.read(json, bucket.name(), actions),
                        Optional.of(BucketPolicy.DENIAL)),
                read(bucket, SettingName.CORS, CorsRules::read, Optional.empty()),
                read(bucket, SettingName.LIFECYCLE, LifecycleRules::read, Optional.empty()));
    }

    private <T> Optional<T> read(Bucket bucket, SettingName name, Function<byte[], T> reader, Optional<T> otherwise) {
        return document(bucket, name).flatMap(content -> read(bucket.name(), name, content, reader, otherwise));
    }

    /**
     * Reads a document that somebody may have written without a gateway. One that cannot be read must not hinder its
     * removal.
     *
     * @param otherwise what counts instead of a document that cannot be read
     */
    private static <T> Optional<T> read(
            String bucket, SettingName name, byte[] content, Function<byte[], T> reader, Optional<T> otherwise) {
        try {
            return Optional.of(reader.apply(content));
        } catch (S3Exception e) {
            LOG.warn(
                    "the document {} of bucket {} cannot be used, put or delete it: {}",
                    name.text(),
                    bucket,
                    e.getMessage());
            return otherwise;
        }
    }
}
