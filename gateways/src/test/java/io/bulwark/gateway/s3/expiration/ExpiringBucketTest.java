package io.bulwark.gateway.s3.expiration;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.Bucket;
import io.bulwark.client.DeleteOptions;
import io.bulwark.client.DeletedObject;
import io.bulwark.client.VersionInfo;
import io.bulwark.client.error.ObjectLockedException;
import io.bulwark.client.error.Subject;
import io.bulwark.gateway.s3.ScriptedAnswers;
import io.bulwark.gateway.s3.lifecycle.LifecycleRules;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.VersionState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ExpiringBucketTest {
    private static final Instant MADE = Instant.parse("2026-01-01T12:00:00Z");
    private static final LifecycleRules RULES = LifecycleRules.read(("<LifecycleConfiguration><Rule><Filter/>"
                    + "<Status>Enabled</Status><Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker>"
                    + "</Expiration><NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays>"
                    + "</NoncurrentVersionExpiration></Rule></LifecycleConfiguration>")
            .getBytes(StandardCharsets.UTF_8));

    private final List<Long> removed = new ArrayList<>();

    private static VersionInfo version(long number, boolean marker) {
        return new VersionInfo(
                "b",
                "k",
                number,
                marker,
                marker,
                1,
                MADE,
                marker
                        ? VersionState.ofMarker(false)
                        : new VersionState(false, ObjectAttributes.NONE, ObjectLock.NONE));
    }

    private void expire(long locked, VersionInfo... versions) {
        expire(RULES, locked, versions);
    }

    private void expire(LifecycleRules rules, long locked, VersionInfo... versions) {
        Bucket bucket = ScriptedAnswers.of(
                Bucket.class, Map.of("versions/1", _ -> Stream.of(versions), "delete/2", arguments -> {
                    long number = ((DeleteOptions) arguments[1]).version();
                    if (number == locked) {
                        throw new ObjectLockedException("locked", Subject.NONE);
                    }
                    removed.add(number);
                    return new DeletedObject(number, false, false);
                }));
        new ExpiringBucket(bucket, rules, MADE.plus(Duration.ofDays(9)), Duration.ofDays(1))
                .expire(Versioning.KEEP_ALL);
    }

    @Test
    void aMarkerGoesAfterTheVersionsThatItHides() {
        expire(0, version(3, true), version(2, false), version(1, false));
        assertThat(removed).containsExactly(2L, 1L, 3L);
    }

    @Test
    void aMarkerAboveALockedVersionStays() {
        expire(1, version(3, true), version(2, false), version(1, false));
        assertThat(removed)
                .as("without the marker a deleted object would return")
                .containsExactly(2L);
    }

    @Test
    void aRuleForTagsKeepsLoneMarkers() {
        String rule = "<LifecycleConfiguration><Rule><Filter>TAG</Filter><Status>Enabled</Status><Expiration><Days>1"
                + "</Days></Expiration></Rule></LifecycleConfiguration>";
        String tag = "<Tag><Key>a</Key><Value>b</Value></Tag>";
        expire(LifecycleRules.read(rule.replace("TAG", tag).getBytes(StandardCharsets.UTF_8)), 0, version(3, true));
        assertThat(removed).isEmpty();
        expire(LifecycleRules.read(rule.replace("TAG", "").getBytes(StandardCharsets.UTF_8)), 0, version(3, true));
        assertThat(removed).containsExactly(3L);
    }
}
