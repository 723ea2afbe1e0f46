package io.bulwark.appliance.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BucketCopyTest {
    private static final TransferSettings SETTINGS = TransferSettings.ofParallel(4);

    private final MemoryBucket from = new MemoryBucket("from");
    private final MemoryBucket to = new MemoryBucket("to");

    private BucketCopy copy(TransferSettings settings) {
        return new BucketCopy(from.bucket(), "a", to.bucket(), "b", settings);
    }

    @Test
    void changedObjectsAreCopiedAndGoneOnesDeleted() throws InterruptedException {
        from.put("a/one", "1");
        from.put("a/sub/two", "22");
        from.put("ab", "no part of it");
        to.put("b/gone", "gone");
        to.put("b/left.tmp", "left out");
        to.put("bc", "no part of it");
        TransferSettings settings = SETTINGS.withFilter(TreeFilter.excluding(List.of("*.tmp")));
        Transfer.Result result = copy(settings).run(copy(settings).plan(), true, TransferListener.NONE);
        assertThat(result).isEqualTo(new Transfer.Result(2, 3, 1, List.of(), List.of()));
        assertThat(to.keys()).containsExactly("b/left.tmp", "b/one", "b/sub/two", "bc");
        assertThat(from.bytesRead()).isZero();

        from.put("a/one", "2");
        TransferPlan plan = copy(settings).plan();
        assertThat(plan.changed()).extracting(TransferPlan.Change::path).containsExactly("one");
        assertThat(plan.unchanged()).isEqualTo(1);
        assertThat(copy(settings).run(plan, false, TransferListener.NONE).failures())
                .isEmpty();
        assertThat(to.text("b/one")).isEqualTo("2");
    }

    @Test
    void nothingIsDeletedAfterAFailureOrIfTheSourceIsBack() throws InterruptedException {
        from.put("a/one", "1");
        to.put("b/gone", "gone");
        TransferPlan plan = copy(SETTINGS).plan();
        from.remove("a/one");
        Transfer.Result failed = copy(SETTINGS).run(plan, true, TransferListener.NONE);
        assertThat(failed.failures()).hasSize(1);
        assertThat(failed.deleted()).isZero();

        from.put("a/one", "1");
        from.put("a/gone", "back again");
        assertThat(copy(SETTINGS).run(plan, true, TransferListener.NONE).deleted())
                .isZero();
        assertThat(to.keys()).contains("b/gone");
    }

    @Test
    void checksumFindsOtherBytesUnderTheSameAttributes() throws InterruptedException {
        from.put("a/one", "right".getBytes(StandardCharsets.UTF_8), Map.of(FileFacts.MODIFIED, "1"));
        to.put("b/one", "wrong".getBytes(StandardCharsets.UTF_8), Map.of(FileFacts.MODIFIED, "1"));
        assertThat(copy(SETTINGS).plan().changed()).isEmpty();
        assertThat(copy(SETTINGS.withChecksum(true)).plan().changed()).hasSize(1);
    }

    @Test
    void aPrefixIsNotCopiedIntoItself() {
        for (String[] pair : new String[][] {{"", "copy"}, {"a", "a/copy"}, {"a/copy", "a"}, {"a", "a"}}) {
            assertThatThrownBy(() -> new BucketCopy(from.bucket(), pair[0], from.bucket(), pair[1], SETTINGS))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("overlap");
        }
        assertThat(new BucketCopy(from.bucket(), "a", from.bucket(), "ab", SETTINGS))
                .isNotNull();
    }
}
