package io.bulwark.gateway.s3.expiration;

import io.bulwark.client.Bucket;
import io.bulwark.client.DeleteOptions;
import io.bulwark.client.ListOptions;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ObjectPage;
import io.bulwark.client.Precondition;
import io.bulwark.client.Upload;
import io.bulwark.client.UploadPage;
import io.bulwark.client.VersionInfo;
import io.bulwark.client.error.NoSuchKeyException;
import io.bulwark.client.error.NoSuchUploadException;
import io.bulwark.client.error.ObjectLockedException;
import io.bulwark.client.error.PreconditionFailedException;
import io.bulwark.gateway.s3.lifecycle.LifecycleRule;
import io.bulwark.gateway.s3.lifecycle.LifecycleRules;
import io.bulwark.protocol.metadata.Versioning;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** One turn of a bucket. Each deletion names the version that was judged, so that a newer one stays. */
final class ExpiringBucket {
    private static final int PAGE = 1000;

    private final Bucket bucket;
    private final List<LifecycleRule> rules;
    private final Instant now;
    private final Duration day;

    /** Versions of the key that is looked at. */
    private String key = "";

    private Optional<VersionInfo> newer = Optional.empty();
    private int noncurrent;

    ExpiringBucket(Bucket bucket, LifecycleRules rules, Instant now, Duration day) {
        this.bucket = bucket;
        this.rules = rules.rules().stream().filter(LifecycleRule::enabled).toList();
        this.now = now;
        this.day = day;
    }

    void expire(Versioning versioning) {
        if (versioning == Versioning.LATEST_ONLY) {
            expireObjects();
        } else {
            try (Stream<VersionInfo> versions = bucket.versions("")) {
                versions.forEach(this::judge);
            }
            forgetMarker();
        }
        if (rules.stream().anyMatch(rule -> rule.actions().uploadDays().isPresent())) {
            abortUploads();
        }
    }

    private void expireObjects() {
        String continuation = "";
        do {
            ObjectPage page = bucket.list(ListOptions.DEFAULT.withContinuation(continuation));
            for (ObjectInfo object : page.objects()) {
                if (isExpired(object.key(), object.tags(), object.length(), object.modified())) {
                    hide(object.key(), object.version());
                }
            }
            continuation = page.continuation();
        } while (!continuation.isEmpty());
    }

    /** Judges a version, of which the newer ones of the same key came before. */
    private void judge(VersionInfo version) {
        if (!version.key().equals(key)) {
            forgetMarker();
            key = version.key();
            newer = Optional.empty();
            noncurrent = 0;
        }
        if (version.latest()) {
            if (!version.deleteMarker()
                    && isExpired(version.key(), version.tags(), version.length(), version.modified())) {
                hide(version.key(), version.version());
            }
        } else if (newer.filter(next -> isReplacedLong(version, next)).isPresent() && remove(version)) {
            return;
        }
        noncurrent += version.latest() ? 0 : 1;
        newer = Optional.of(version);
    }

    /** Removes a delete marker that turned out to be the only version of its key. */
    private void forgetMarker() {
        newer.filter(last -> last.latest() && last.deleteMarker())
                .filter(last -> rules.stream()
                        .anyMatch(rule -> last.key().startsWith(rule.filter().prefix())
                                && (rule.actions().loneMarkers()
                                        || (!rule.filter().isOfVersions()
                                                && rule.expiry(last.modified(), day)
                                                        .filter(end -> !end.isAfter(now))
                                                        .isPresent()))))
                .ifPresent(this::remove);
    }

    private boolean isExpired(String name, Map<String, String> tags, long length, Instant made) {
        return rules.stream()
                .filter(rule -> rule.fits(name, tags, length))
                .flatMap(rule -> rule.expiry(made, day).stream())
                .anyMatch(end -> !end.isAfter(now));
    }

    private boolean isReplacedLong(VersionInfo version, VersionInfo next) {
        return rules.stream()
                .filter(rule -> rule.fits(version.key(), version.tags(), version.length()))
                .filter(rule -> noncurrent >= rule.actions().noncurrentKept())
                .flatMap(rule -> rule.actions().noncurrentDays().stream())
                .anyMatch(
                        days -> !LifecycleRule.after(next.modified(), days, day).isAfter(now));
    }

    private void abortUploads() {
        String afterKey = "";
        long afterUpload = 0;
        UploadPage page;
        do {
            page = bucket.uploads().list("", afterKey, afterUpload, PAGE);
            for (Upload upload : page.uploads()) {
                afterKey = upload.key();
                afterUpload = upload.id();
                boolean old = rules.stream()
                        .filter(rule -> upload.key().startsWith(rule.filter().prefix()))
                        .flatMap(rule -> rule.actions().uploadDays().stream())
                        .anyMatch(days ->
                                !LifecycleRule.after(upload.begun(), days, day).isAfter(now));
                if (old) {
                    abort(upload);
                }
            }
        } while (page.more() && !page.uploads().isEmpty());
    }

    private void abort(Upload upload) {
        try {
            bucket.uploads().abort(upload);
        } catch (NoSuchUploadException _) {
            // It was completed or aborted in between.
        }
    }

    private void hide(String name, long version) {
        try {
            var _ = bucket.delete(name, DeleteOptions.DEFAULT.withPrecondition(Precondition.ifVersion(version)));
        } catch (NoSuchKeyException | PreconditionFailedException _) {
            // Somebody else was faster, or has put another version.
        }
    }

    /** Removes a version. Returns false if it stays, since it is locked: the marker above it must hide it further. */
    private boolean remove(VersionInfo version) {
        try {
            var _ = bucket.delete(version.key(), DeleteOptions.DEFAULT.withVersion(version.version()));
            return true;
        } catch (NoSuchKeyException _) {
            return true;
        } catch (ObjectLockedException _) {
            return false;
        }
    }
}
