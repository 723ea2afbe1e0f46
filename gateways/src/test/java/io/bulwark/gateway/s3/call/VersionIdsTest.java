package io.bulwark.gateway.s3.call;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.client.Bucket;
import io.bulwark.client.VersionInfo;
import io.bulwark.gateway.s3.ScriptedAnswers;
import io.bulwark.protocol.metadata.Versioning;
import io.bulwark.protocol.object.VersionState;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class VersionIdsTest {
    private final List<VersionInfo> versions =
            List.of(version("a", 1, false), version("k", 9, false), version("k", 5, true), version("k", 2, false));
    private int read;
    private final Bucket bucket = ScriptedAnswers.of(
            Bucket.class,
            Map.of(
                    "versions/1",
                    arguments -> listed((String) arguments[0], Long.MAX_VALUE),
                    "versions/3",
                    arguments -> listed((String) arguments[0], (Long) arguments[2])));

    private static VersionInfo version(String key, long number, boolean isNull) {
        return new VersionInfo("b", key, number, number == 9, false, 1, Instant.EPOCH, VersionState.ofMarker(isNull));
    }

    private Stream<VersionInfo> listed(String key, long before) {
        return versions.stream()
                .filter(one -> one.key().equals(key) && one.version() < before)
                .peek(_ -> read++);
    }

    private long find(long version) {
        return VersionIds.find(bucket, "k", version).map(VersionInfo::version).orElse(0L);
    }

    @Test
    void versionsAreFoundByNumberAndAsTheLatestOrTheNullVersion() {
        assertThat(find(0)).isEqualTo(9);
        assertThat(find(5)).isEqualTo(5);
        assertThat(find(2)).isEqualTo(2);
        assertThat(find(Versioning.NULL_VERSION)).isEqualTo(5);
        assertThat(VersionIds.find(bucket, "none", 2)).isEmpty();
    }

    @Test
    void aNumberThatIsNotThereCostsOneLook() {
        assertThat(find(8)).isZero();
        assertThat(read).isEqualTo(1);
    }
}
