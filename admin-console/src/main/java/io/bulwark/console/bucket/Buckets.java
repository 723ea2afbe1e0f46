package io.bulwark.console.bucket;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.bulk.BucketVerifier;
import io.bulwark.client.error.CancelledException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.client.text.Quantity;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.EntityTag;
import io.bulwark.console.job.Job;
import io.bulwark.console.job.Jobs;
import io.bulwark.protocol.metadata.BucketChange;
import io.bulwark.protocol.metadata.DefaultRetention;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Work on buckets that the API and the pages share. */
@Component
public class Buckets {
    private static final int VERIFIED_AT_ONCE = 4;
    private static final int LINES_MAX = 20;

    private final SignedIn signedIn;
    private final Jobs jobs;

    Buckets(SignedIn signedIn, Jobs jobs) {
        this.signedIn = signedIn;
        this.jobs = jobs;
    }

    /**
     * Request for a new bucket.
     *
     * @param volume object volume for its data; {@code default} if left out
     * @param keepVersions false if left out
     * @param quotaBytes quota for the bytes of all versions; none if left out
     * @param objectLock whether versions may be locked, which keeps versions; false if left out
     * @param retention default of new versions; needs object lock; none if left out
     */
    record Creation(
            @Nullable String name,
            @Nullable String volume,
            @Nullable Boolean keepVersions,
            @Nullable Long quotaBytes,
            @Nullable Boolean objectLock,
            @Nullable RetentionView retention) {}

    /**
     * Request for a verification: one object, or all whose key begins so.
     *
     * @param key an object; null for several
     * @param prefix null for all objects
     * @param salvage whether objects count as readable that too few nodes hold
     */
    public record Verification(
            @Nullable String key,
            @Nullable String prefix,
            @Nullable Boolean salvage) {}

    List<BucketView> list() {
        return signedIn.client().buckets().stream().map(BucketView::of).toList();
    }

    /** Returns a bucket's settings and usage. */
    public BucketView find(String name) {
        return BucketView.of(signedIn.client().bucket(name).info());
    }

    BucketView create(Creation wanted) {
        if (wanted.name == null) {
            throw ApiException.badField("name", "a bucket has a name");
        }
        long quota = wanted.quotaBytes == null ? 0 : wanted.quotaBytes;
        if (quota < 0) {
            throw ApiException.badField("quotaBytes", "a quota is not negative");
        }
        boolean lock = Boolean.TRUE.equals(wanted.objectLock);
        if (lock && Boolean.FALSE.equals(wanted.keepVersions)) {
            throw ApiException.badField("keepVersions", "object lock keeps versions");
        }
        DefaultRetention retention = wanted.retention == null ? DefaultRetention.NONE : wanted.retention.wanted();
        if (!lock && !retention.equals(DefaultRetention.NONE)) {
            throw ApiException.badField("retention", "a default retention needs object lock");
        }
        BucketSpec spec = BucketSpec.of(wanted.name)
                .inVolume(wanted.volume == null ? BucketSpec.DEFAULT_VOLUME : wanted.volume)
                .withQuota(quota);
        spec = Boolean.TRUE.equals(wanted.keepVersions) ? spec.keepingVersions() : spec;
        Bucket made = signedIn.client().createBucket(lock ? spec.withObjectLock() : spec);
        if (!retention.equals(DefaultRetention.NONE)) {
            made.update(BucketChange.NONE.withRetention(retention));
        }
        return BucketView.of(made.info());
    }

    /** Returns the settings of a bucket. */
    BucketSettingsView settings(String name) {
        return BucketSettingsView.of(signedIn.client().bucket(name));
    }

    /**
     * Changes settings of a bucket.
     *
     * @param ifMatch tag of the settings that the client read; null for any
     */
    BucketSettingsView change(String name, BucketSettingsChange wanted, @Nullable String ifMatch) {
        BucketChange change = wanted.wanted();
        Bucket bucket = signedIn.client().bucket(name);
        EntityTag.of(BucketSettingsView.of(bucket)).require(ifMatch, "bucket " + name);
        bucket.update(change);
        return BucketSettingsView.of(bucket);
    }

    /** @param ifMatch tag of the bucket that the client read; null for any */
    void delete(String name, @Nullable String ifMatch) {
        if (ifMatch != null) {
            EntityTag.of(find(name)).require(ifMatch, "bucket " + name);
        }
        signedIn.client().deleteBucket(name);
    }

    /** Returns the names of the volumes that buckets can be made in. */
    List<String> volumes() {
        return signedIn.client().volumes().stream()
                .filter(volume -> volume.blocks() == 0)
                .map(volume -> volume.name())
                .toList();
    }

    /** Starts the work of {@code bulwark verify}. */
    public Job verify(String name, Verification wanted) {
        if (wanted.key != null && wanted.prefix != null) {
            throw ApiException.badField("prefix", "give a key or a prefix, not both");
        }
        Bulwark client = signedIn.client();
        Bucket bucket = client.bucket(name);
        String key = wanted.key;
        if (key != null) {
            var _ = bucket.head(key);
        }
        GetOptions options = GetOptions.DEFAULT.withSalvage(Boolean.TRUE.equals(wanted.salvage));
        BucketVerifier verifier = new BucketVerifier(client, bucket, VERIFIED_AT_ONCE, options);
        String what = name + "/" + (key == null ? wanted.prefix == null ? "" : wanted.prefix + "*" : key);
        return jobs.start("verify", "Verify " + what, signedIn.name(), job -> {
            // A node that has just started is waited for. Of one that stays silent nothing can be verified.
            client.status().nodes().stream()
                    .filter(node -> !node.reachable())
                    .forEach(node ->
                            job.report("node-" + node.node() + " does not answer: its fragments are not verified."));
            List<ObjectInfo> objects = key == null
                    ? verifier.objects(wanted.prefix == null ? "" : wanted.prefix)
                    : List.of(bucket.head(key));
            return verify(job, verifier, objects, name);
        });
    }

    private static String verify(Job job, BucketVerifier verifier, List<ObjectInfo> objects, String bucket)
            throws InterruptedException {
        long total = objects.stream().mapToLong(ObjectInfo::length).sum();
        AtomicLong done = new AtomicLong();
        job.progress(0, total, Job.Unit.BYTES);
        BucketVerifier.Report report = verifier.run(
                objects, bytes -> job.progress(done.addAndGet(bytes), total, Job.Unit.BYTES), job::isCancelled);
        report.unreadable().stream().limit(LINES_MAX).forEach(line -> job.report("unreadable: " + line));
        report.seen()
                .forEach((server, verdicts) -> job.report(server + ": "
                        + verdicts.entrySet().stream()
                                .map(each -> each.getKey().text() + " " + each.getValue() + " times")
                                .collect(Collectors.joining(", "))));
        report.examples().stream().limit(LINES_MAX).forEach(job::report);
        String read = String.format(
                Locale.ROOT,
                "Read %,d of %,d objects (%s)",
                report.objects(),
                objects.size(),
                Quantity.bytes(report.bytes()));
        if (job.isCancelled()) {
            throw new CancelledException(read + " before it was cancelled", Subject.bucket(bucket));
        }
        if (!report.unreadable().isEmpty()) {
            throw new UnavailableException(
                    read + "; " + report.unreadable().size() + " could not be read", Subject.bucket(bucket));
        }
        return read + ": all are intact.";
    }
}
