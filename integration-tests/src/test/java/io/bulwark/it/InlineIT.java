package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.Bucket;
import io.bulwark.client.Bulwark;
import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectSlice;
import io.bulwark.client.PartId;
import io.bulwark.client.PutOptions;
import io.bulwark.client.Upload;
import io.bulwark.client.Uploads;
import io.bulwark.client.bulk.BucketVerifier;
import io.bulwark.client.encryption.KeyProvider;
import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Small objects in the metadata of a running cluster (docs/decisions/0036). No node runs while they are read. Starting a
 * cluster takes more than 5 s.
 */
@NullMarked
class InlineIT {
    private static final int LIMIT = 4096;

    @RegisterExtension
    static final LiveCluster CLUSTER = LiveCluster.embedded(5);

    private final Random random = new Random(LiveCluster.SEED);

    private byte[] content(int length) {
        byte[] content = new byte[length];
        random.nextBytes(content);
        return content;
    }

    @Test
    void smallObjectsNeedNoNode() throws Exception {
        byte[] small = content(LIMIT);
        byte[] large = content(LIMIT + 1);
        try (Bulwark client = CLUSTER.inlineClient(LIMIT)) {
            Bucket bucket = client.createBucket("inline");
            bucket.put("large", large, PutOptions.DEFAULT);
            bucket.compose(
                    "mixed",
                    List.of(
                            ObjectSlice.of("inline", "large").withRange(0, 10),
                            ObjectSlice.of("inline", "large").withRange(20, 5)),
                    PutOptions.DEFAULT);
            for (int node = 0; node < CLUSTER.nodes(); node++) {
                CLUSTER.member("node-" + node).stop();
            }
            bucket.put("a", small, PutOptions.DEFAULT);
            assertThat(bucket.getBytes("a")).isEqualTo(small);
            assertThat(bucket.getBytes("a", GetOptions.DEFAULT.withRange(100, 50)))
                    .isEqualTo(Arrays.copyOfRange(small, 100, 150));
            assertThat(bucket.head("a").length()).isEqualTo(LIMIT);
            assertThat(bucket.fragments("a", 0, 0, 10).extentCount()).isZero();
            bucket.copy("a", "b");
            bucket.rename("b", "c");
            bucket.compose(
                    "two",
                    List.of(
                            ObjectSlice.of("inline", "c").withRange(4_000, 96),
                            ObjectSlice.of("inline", "a").withRange(0, 4)),
                    PutOptions.DEFAULT);
            bucket.put("a", new byte[] {1}, PutOptions.DEFAULT);
            bucket.delete("c");
            assertThat(bucket.getBytes("a")).containsExactly(1);
            byte[] two = Arrays.copyOf(Arrays.copyOfRange(small, 4_000, 4_096), 100);
            System.arraycopy(small, 0, two, 96, 4);
            assertThat(bucket.getBytes("two")).isEqualTo(two);
            assertThat(bucket.list().objects())
                    .extracting(info -> info.key())
                    .containsExactly("a", "large", "mixed", "two");
            for (int node = 0; node < CLUSTER.nodes(); node++) {
                CLUSTER.member("node-" + node).start();
            }
            BucketVerifier verifier = new BucketVerifier(client, bucket, 4, GetOptions.DEFAULT);
            BucketVerifier.Report report = verifier.run(verifier.objects(""), bytes -> {});
            assertThat(report.unreadable()).isEmpty();
            assertThat(report.bytes()).isEqualTo(1L + large.length + 15 + 100);
        }
    }

    /** Keys that are kept as they are: here it matters where sealed bytes are, not who can read them. */
    private static final class OpenKeys implements KeyProvider {
        @Override
        public WrappedKey wrap(Bytes dataKey, Bytes context) {
            return new WrappedKey("open", dataKey);
        }

        @Override
        public Bytes unwrap(WrappedKey wrapped, Bytes context) {
            return wrapped.wrapped();
        }
    }

    @Test
    void sealedObjectsCountByTheirPlainText() {
        try (Bulwark client = CLUSTER.inlineClient(LIMIT)) {
            Bucket stored = client.createBucket("sealed");
            Bucket sealed = client.bucket("sealed", new OpenKeys());
            for (int length : new int[] {0, LIMIT, LIMIT + 1}) {
                byte[] content = content(length);
                sealed.put("a", content, PutOptions.DEFAULT);
                assertThat(sealed.getBytes("a")).isEqualTo(content);
                assertThat(stored.fragments("a", 0, 0, 10).extentCount()).isEqualTo(length > LIMIT ? 1 : 0);
            }
        }
    }

    @Test
    void smallPartsMakeOneObject() {
        byte[] content = content(LIMIT + 10);
        try (Bulwark client = CLUSTER.inlineClient(LIMIT)) {
            Bucket bucket = client.createBucket("parts");
            Uploads uploads = bucket.uploads();
            Upload upload = uploads.begin("a", PutOptions.DEFAULT);
            List<PartId> parts = new ArrayList<>();
            for (int from = 0; from < content.length; from += LIMIT) {
                byte[] part = Arrays.copyOfRange(content, from, Math.min(from + LIMIT, content.length));
                parts.add(uploads.put(upload, parts.size() + 1, part, PutOptions.DEFAULT)
                        .id());
            }
            uploads.complete(upload, parts, PutOptions.DEFAULT);
            assertThat(bucket.getBytes("a")).isEqualTo(content);
            assertThat(bucket.getBytes("a", GetOptions.DEFAULT.withRange(LIMIT - 5, 10)))
                    .isEqualTo(Arrays.copyOfRange(content, LIMIT - 5, LIMIT + 5));
        }
    }
}
