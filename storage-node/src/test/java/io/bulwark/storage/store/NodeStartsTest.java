package io.bulwark.storage.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.control.NodeControlMessage.StoreStart;
import io.bulwark.protocol.mutation.PlantedBug;
import java.nio.file.Path;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class NodeStartsTest {
    @TempDir
    private Path directory = Path.of("");

    private StoreStart start(boolean confirmed) throws Exception {
        try (RecordIndex index = RecordIndex.open(directory.resolve("index"))) {
            NodeStarts lives = new NodeStarts(index);
            if (confirmed) {
                lives.confirm();
            }
            return lives.own();
        }
    }

    @Test
    void eachConfirmedStartBeginsALife() throws Exception {
        assertThat(start(true).number()).isEqualTo(1);
        assertThat(start(true).number()).isEqualTo(2);
    }

    /** Each one that is remembered is synced. */
    @PlantedBug(
            in = NodeStarts.class,
            rule = "a peer causes a sync once in a while",
            replace = "nowMillis - last < WRITES_MILLIS",
            with = "false")
    @Test
    void aPeerHasItsLifeWrittenDownOnceInAWhile() throws Exception {
        try (RecordIndex index = RecordIndex.open(directory.resolve("index"))) {
            NodeStarts lives = new NodeStarts(index);
            assertThat(lives.hear(0, 3, new StoreStart(1, 11))).hasValue(0);
            long written = index.nextNumber();
            for (int life = 2; life < 100; life++) {
                assertThat(lives.hear(NodeStarts.WRITES_MILLIS - 1, 3, new StoreStart(life, 11)))
                        .isEmpty();
            }
            assertThat(index.nextNumber()).isEqualTo(written);
            assertThat(lives.hear(NodeStarts.WRITES_MILLIS - 1, 3, new StoreStart(1, 11)))
                    .hasValue(0);
            assertThat(lives.hear(1, 4, new StoreStart(8, 11)))
                    .as("others are heard meanwhile")
                    .hasValue(0);
            assertThat(lives.hear(NodeStarts.WRITES_MILLIS, 3, new StoreStart(2, 11)))
                    .hasValue(0);
            assertThat(lives.hear(NodeStarts.WRITES_MILLIS, 3, new StoreStart(1, 11)))
                    .as("what was answered is remembered")
                    .hasValue(2);
        }
    }

    /** A store that was wiped would pass for a current one after a second start. */
    @Test
    void aLifeThatWasNotConfirmedGoesOn() throws Exception {
        StoreStart remembered = new StoreStart(1, 4711);
        StoreStart wiped = start(false);
        assertThat(wiped.isBehind(remembered)).isTrue();
        assertThat(start(false)).isEqualTo(wiped);
        assertThat(start(false).isBehind(remembered)).isTrue();
    }
}
