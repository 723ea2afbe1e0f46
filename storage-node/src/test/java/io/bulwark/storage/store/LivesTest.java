package io.bulwark.storage.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.control.NodeControlMessage.Life;
import java.nio.file.Path;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@NullMarked
class LivesTest {
    @TempDir
    private Path directory = Path.of("");

    private Life start(boolean confirmed) throws Exception {
        try (RecordIndex index = RecordIndex.open(directory.resolve("index"))) {
            Lives lives = new Lives(index);
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

    /** A store that was wiped would pass for a current one after a second start. */
    @Test
    void aLifeThatWasNotConfirmedGoesOn() throws Exception {
        Life remembered = new Life(1, 4711);
        Life wiped = start(false);
        assertThat(wiped.isBehind(remembered)).isTrue();
        assertThat(start(false)).isEqualTo(wiped);
        assertThat(start(false).isBehind(remembered)).isTrue();
    }
}
