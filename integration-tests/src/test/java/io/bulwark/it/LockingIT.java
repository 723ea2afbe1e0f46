package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.bulwark.client.Bucket;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.LockInfo;
import io.bulwark.client.LockUse;
import io.bulwark.client.ObjectInfo;
import io.bulwark.client.PutOptions;
import io.bulwark.client.bulk.ParallelWork;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.error.NoSuchKeyException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Locks of clients on a running cluster: the fast way, and others who come. */
class LockingIT {
    private static final int OBJECTS = 60;

    /** Puts that fill several logs. */
    private static final int LARGE_PUTS = 600;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.shared();

    static Bulwark holder(LiveCluster cluster) {
        return Bulwark.connect(cluster.clientConfig(0).withLocking(ClientConfig.Locking.AUTO));
    }

    private static byte[] content(int number) {
        return HolderProcess.content(number);
    }

    static boolean isLocked(Bulwark client, Bucket bucket) {
        return client.locks().list().stream().anyMatch(lock -> lock.bucket().equals(bucket.name()));
    }

    static Bucket bucket(Bulwark client, TestInfo test) {
        String name = "locks-" + test.getTestMethod().orElseThrow().getName().toLowerCase(Locale.ROOT);
        return client.createBucket(BucketSpec.of(name.substring(0, Math.min(60, name.length()))));
    }

    static void awaitLock(Bulwark client, Bucket bucket) {
        await().atMost(Duration.ofSeconds(30)).until(() -> {
            bucket.put("dir/first", content(0));
            return isLocked(client, bucket);
        });
    }

    @Test
    void operationsOfAClientAloneGoToItsLog(TestInfo test) {
        try (Bulwark client = holder(CLUSTER)) {
            Bucket bucket = bucket(client, test);
            bucket.lock("dir/");
            awaitLock(client, bucket);
            long before = client.locks().use().logged();
            for (int i = 0; i < OBJECTS; i++) {
                bucket.put("dir/" + i, content(i));
                assertThat(bucket.getBytes("dir/" + i)).isEqualTo(content(i));
            }
            bucket.copy("dir/1", "dir/copy");
            bucket.rename("dir/copy", "dir/moved");
            bucket.delete("dir/0");
            assertThatThrownBy(() -> bucket.getBytes("dir/0")).isInstanceOf(NoSuchKeyException.class);
            assertThat(bucket.stream("dir/").map(ObjectInfo::key))
                    .contains("dir/moved")
                    .hasSize(OBJECTS + 1);
            assertThat(client.locks().use().logged() - before).isGreaterThan(OBJECTS);
            assertThat(client.locks().list()).extracting(LockInfo::prefix).contains("dir/");
        }
    }

    @Test
    void logsThatFillUpFollowEachOther(TestInfo test) throws Exception {
        try (Bulwark client = holder(CLUSTER)) {
            Bucket bucket = bucket(client, test);
            PutOptions large = PutOptions.DEFAULT.withProperties(new TreeMap<>(Map.of("filler", "x".repeat(4_000))));
            List<Runnable> puts = new ArrayList<>();
            for (int i = 0; i < LARGE_PUTS; i++) {
                int number = i;
                puts.add(() -> bucket.put("dir/" + number, content(number), large));
            }
            bucket.lock("dir/");
            awaitLock(client, bucket);
            LockUse before = client.locks().use();
            ParallelWork.run(puts, 8);
            LockUse after = client.locks().use();
            assertThat(after).isEqualTo(new LockUse(before.logged() + LARGE_PUTS, before.ordered()));
            assertThat(bucket.stream("dir/")).hasSize(LARGE_PUTS + 1);
        }
    }

    /** A log may draw a small part of what is free: here it is full after a few puts. */
    @Test
    void bucketThatIsNearlyFullIsNotWorthALock(TestInfo test) {
        try (Bulwark client = holder(CLUSTER)) {
            Bucket bucket = client.createBucket(
                    BucketSpec.of(bucket(client, test).name() + "-small").withQuota(1 << 20));
            bucket.lock("dir/");
            for (int i = 0; i < 4 * OBJECTS; i++) {
                bucket.put("dir/" + i, new byte[2_000]);
            }
            assertThat(client.locks().use().ordered())
                    .isGreaterThan(client.locks().use().logged());
        }
    }

    @Test
    void othersSeeAllAndTakeTheLockAway(TestInfo test) throws Exception {
        try (Bulwark client = holder(CLUSTER);
                Bulwark other = CLUSTER.freshClient()) {
            Bucket bucket = bucket(client, test);
            bucket.lock("dir/");
            awaitLock(client, bucket);
            for (int i = 0; i < OBJECTS; i++) {
                bucket.put("dir/" + i, content(i));
            }
            Bucket same = other.bucket(bucket.name());
            for (int i = 0; i < OBJECTS; i++) {
                assertThat(same.getBytes("dir/" + i)).as("dir/" + i).isEqualTo(content(i));
            }
            same.put("dir/1", content(1001));
            assertThat(bucket.getBytes("dir/1")).isEqualTo(content(1001));
            bucket.put("dir/2", content(1002));
            assertThat(same.getBytes("dir/2")).isEqualTo(content(1002));
        }
    }

    /** Rounds end logs with entries under way. */
    @Test
    void twoClientsInOneSubtreeLoseNothing(TestInfo test) throws Exception {
        try (Bulwark one = holder(CLUSTER);
                Bulwark two = holder(CLUSTER)) {
            Bucket bucket = bucket(one, test);
            List<Runnable> puts = new ArrayList<>();
            for (int i = 0; i < 4 * OBJECTS; i++) {
                int number = i;
                Bucket own = i % 2 == 0 ? bucket : two.bucket(bucket.name());
                own.lock("dir/");
                puts.add(() -> own.put("dir/" + number, content(number)));
            }
            ParallelWork.run(puts, 12);
            for (int i = 0; i < 4 * OBJECTS; i++) {
                assertThat(bucket.getBytes("dir/" + i)).isEqualTo(content(i));
            }
        }
    }
}
