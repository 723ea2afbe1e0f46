package io.bulwark.gateway.s3.expiration;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketDocument;
import io.bulwark.client.BucketInfo;
import io.bulwark.client.Bulwark;
import io.bulwark.client.DeletedObject;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.ObjectPage;
import io.bulwark.client.Principals;
import io.bulwark.gateway.s3.ScriptedAnswers;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.BucketSettings;
import io.bulwark.protocol.metadata.DefaultRetention;
import io.bulwark.protocol.metadata.Rights;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.VersionState;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A bucket with an object of yesterday noon, which expires after a day. */
class LifecycleWorkerTest {
    private static final PrincipalId SELF = PrincipalId.client(15);
    private static final PrincipalId PERSON = PrincipalId.client(7);
    private static final Instant MADE = Instant.parse("2026-01-01T12:00:00Z");
    private static final Duration DAY = Duration.ofDays(1);
    private static final byte[] RULES = ("<LifecycleConfiguration><Rule><Filter/><Status>Enabled</Status>"
                    + "<Expiration><Days>1</Days></Expiration></Rule></LifecycleConfiguration>")
            .getBytes(StandardCharsets.UTF_8);

    private final List<Object> deleted = new ArrayList<>();

    private void run(Instant local, Instant agreed) {
        BucketInfo info = new BucketInfo(
                "films",
                "default",
                PERSON,
                new BucketSettings(Versioning.LATEST_ONLY, 0, false, DefaultRetention.NONE),
                1,
                1,
                MADE);
        ObjectInfo object = new ObjectInfo(
                "films",
                "a",
                3,
                1,
                MADE,
                new VersionState(true, ObjectAttributes.NONE, ObjectLock.NONE),
                List.of());
        Bucket bucket = ScriptedAnswers.of(
                Bucket.class,
                Map.of(
                        "setting/1",
                        arguments -> arguments[0].equals("s3-lifecycle")
                                ? Optional.of(new BucketDocument("s3-lifecycle", 1, RULES))
                                : Optional.empty(),
                        "putSetting/3",
                        _ -> 2L,
                        "list/1",
                        _ -> new ObjectPage(List.of(object), List.of(), ""),
                        "delete/2",
                        arguments -> {
                            deleted.add(arguments[0]);
                            return new DeletedObject(3, false, true);
                        }));
        Principals principals = ScriptedAnswers.of(
                Principals.class,
                Map.of("actFor/1", _ -> List.of(new Principals.ActFor(PERSON, new Rights(true, true, false)))));
        Bulwark view = ScriptedAnswers.of(
                Bulwark.class, Map.of("buckets/0", _ -> List.of(info), "bucket/1", _ -> bucket));
        Bulwark door = ScriptedAnswers.of(
                Bulwark.class,
                Map.of("principals/0", _ -> principals, "onBehalfOf/1", _ -> view, "agreedTime/0", _ -> agreed));
        try (LifecycleWorker worker =
                new LifecycleWorker(door, SELF, InstantSource.fixed(local), DAY, Duration.ofHours(1))) {
            worker.run();
        }
    }

    @Test
    void objectExpiresWhenItsTimeHasCome() {
        run(MADE.plus(DAY.multipliedBy(3)), MADE.plus(DAY.multipliedBy(3)));
        assertThat(deleted).containsExactly("a");
    }

    @Test
    void fastClockDeletesNothing() {
        run(MADE.plus(DAY.multipliedBy(900)), MADE.plus(Duration.ofHours(1)));
        assertThat(deleted).isEmpty();
    }
}
