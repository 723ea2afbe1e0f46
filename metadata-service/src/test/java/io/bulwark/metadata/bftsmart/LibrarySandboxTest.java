package io.bulwark.metadata.bftsmart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import bftsmart.communication.SystemMessage;
import bftsmart.consensus.messages.ConsensusMessage;
import bftsmart.tom.core.messages.TOMMessage;
import bftsmart.tom.leaderchange.LCMessage;
import io.bulwark.protocol.wire.Bytes;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InvalidClassException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.PrintStream;
import java.io.Serializable;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

@NullMarked
@Isolated("it takes the console")
class LibrarySandboxTest {
    private static final int SENDER = 2;

    /** Class that a peer tries to have deserialized and run. */
    private static final class Foreign implements Serializable {
        private static final long serialVersionUID = 1L;
        private static final AtomicInteger READ = new AtomicInteger();

        private void readObject(ObjectInputStream in) throws IOException, ClassNotFoundException {
            in.defaultReadObject();
            READ.incrementAndGet();
        }
    }

    /** A process that deserialized before the engine is asked for, if it has an argument. */
    static final class Starting {
        private Starting() {}

        public static void main(String[] arguments) throws Exception {
            if (arguments.length > 0) {
                var _ = read(bytes(arguments[0]));
            }
            var _ = BftSmartEngines.standard();
        }
    }

    /** Before anything is deserialized here. */
    @BeforeAll
    static void restrict() {
        var _ = BftSmartEngines.standard();
    }

    @Test
    void whatTheLibraryPrintsIsDroppedAndWhatWePrintIsNot() throws InterruptedException {
        PrintStream console = System.out;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setOut(LibrarySandbox.filterLibrary(new PrintStream(printed, true, StandardCharsets.UTF_8)));
        try {
            Thread thread = LibrarySandbox.thread("noisy", () -> {
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

    @Test
    void messagesAreTakenAndWhatIsForeignIsNot() throws Exception {
        int before = Foreign.READ.get();
        assertThat(taken(new LCMessage(SENDER, 1, 7, new byte[] {1, 2, 3}))).isInstanceOf(LCMessage.class);
        SystemMessage accept = taken(consensus(new HashMap<>(Map.of(0, new byte[] {4, 5}))));
        assertThat(((ConsensusMessage) accept).getProof()).isInstanceOf(HashMap.class);

        Bytes foreign = Bytes.of(bytes(new Foreign()));
        assertThatThrownBy(() -> BftSmartEngine.deserialize(foreign))
                .isInstanceOf(InvalidClassException.class)
                .hasMessageContaining("REJECTED");
        for (Object nested : List.of(new Foreign(), new HashMap<>(Map.of(0, new Foreign())), new Foreign[1])) {
            assertThatThrownBy(() -> taken(consensus(nested)))
                    .as("%s", nested)
                    .isInstanceOf(InvalidClassException.class)
                    .hasMessageContaining("REJECTED");
        }
        assertThat(Foreign.READ).hasValue(before);
    }

    /** The library reads what is in a message of a leader change with a stream that it opens itself. */
    @Test
    void streamsThatTheLibraryOpensAreRestrictedToo() throws Exception {
        byte[] foreign = bytes(new Foreign());
        int before = Foreign.READ.get();
        assertThatThrownBy(() -> readByLibrary(foreign).join())
                .isInstanceOf(CompletionException.class)
                .hasCauseInstanceOf(InvalidClassException.class);
        assertThat(Foreign.READ).hasValue(before);
        assertThat(readByLibrary(bytes(new HashMap<>(Map.of(1, 2)))).join()).isEqualTo(Map.of(1, 2));
        assertThat(read(foreign)).as("others read what they like").isInstanceOf(Foreign.class);
        assertThat(Foreign.READ).hasValue(before + 1);
    }

    @Test
    void whereNothingCanBeRestrictedNothingStarts() throws Exception {
        assertThat(started()).isEmpty();
        assertThat(started("deserialized before")).contains("bft-smart does not start");
    }

    /** Returns the process's standard error output before it failed; empty if it did not fail. */
    private static String started(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xshare:auto",
                "-cp",
                System.getProperty("java.class.path"),
                Starting.class.getName()));
        command.addAll(List.of(arguments));
        Process process = new ProcessBuilder(command)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        String said = new String(process.getErrorStream().readAllBytes(), StandardCharsets.UTF_8);
        return process.waitFor() == 0 ? "" : said;
    }

    private static ConsensusMessage consensus(Object proof) {
        ConsensusMessage message = new ConsensusMessage(1, 1, 0, SENDER, new byte[] {1});
        message.setProof(proof);
        return message;
    }

    private static SystemMessage taken(SystemMessage message) throws IOException, ClassNotFoundException {
        SystemMessage taken = BftSmartEngine.deserialize(LibraryPorts.serialize(message));
        assertThat(taken.getSender()).isEqualTo(SENDER);
        return taken;
    }

    private static CompletableFuture<Object> readByLibrary(byte[] bytes) {
        CompletableFuture<Object> read = new CompletableFuture<>();
        LibrarySandbox.thread("reader", () -> {
                    try {
                        read.complete(read(bytes));
                    } catch (IOException | ClassNotFoundException e) {
                        read.completeExceptionally(e);
                    }
                })
                .start();
        return read;
    }

    private static byte[] bytes(Object object) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(object);
        }
        return bytes.toByteArray();
    }

    private static Object read(byte[] bytes) throws IOException, ClassNotFoundException {
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes))) {
            return in.readObject();
        }
    }
}
