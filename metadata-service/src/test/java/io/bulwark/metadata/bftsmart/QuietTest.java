package io.bulwark.metadata.bftsmart;

import static org.assertj.core.api.Assertions.assertThat;

import bftsmart.tom.core.messages.TOMMessage;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class QuietTest {
    @Test
    void whatTheLibraryPrintsIsDroppedAndWhatWePrintIsNot() throws InterruptedException {
        PrintStream console = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(Quiet.withoutLibrary(new PrintStream(printed, true, StandardCharsets.UTF_8)));
        try {
            Thread thread = Quiet.thread("noisy", () -> {
                // The library complains about these bytes on the console.
                var _ = TOMMessage.bytesToMessage(new byte[0]);
                System.out.println("ours");
            });
            thread.start();
            thread.join();
        } finally {
            System.setOut(console);
        }
        assertThat(printed.toString(StandardCharsets.UTF_8)).isEqualTo("ours" + System.lineSeparator());
    }
}
