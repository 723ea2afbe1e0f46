package io.bulwark.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.metadata.log.WriteAheadLog;
import io.bulwark.protocol.ordering.driver.LogRecord;
import io.bulwark.protocol.ordering.driver.ReplicaConfig.Recoveries;
import io.bulwark.protocol.ordering.message.ReplicaMessage.NewView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Decision 22: a new view of a real group leaves unused numbers free. */
@NullMarked
class BftFreeNumbersTest {
    private static final int SNAPSHOT_BATCHES = 16;
    private static final Recoveries SELDOM = new Recoveries(600_000, 1_000, 30_000);
    private static final int LOG_SIZE = 2 * SNAPSHOT_BATCHES;

    @TempDir
    private Path directory = Path.of("");

    private static void write(ReplicaGroup group) throws Exception {
        group.client().submit(RecordingApplication.command(1, "text")).get(2, TimeUnit.MINUTES);
    }

    /**
     * Stops and restarts a replica while the others continue; returns the number of sequence numbers for which their
     * last NEW-VIEW chose.
     */
    private static int choicesAfter(ReplicaGroup group, int stopping) throws Exception {
        int reader = (stopping + 2) % (ReplicaGroup.REPLICAS - 1);
        group.stop(stopping);
        group.start(stopping);
        write(group);
        write(group);
        group.stop(reader);
        NewView last = newView(group.directoryOf(reader));
        group.start(reader);
        write(group);
        return last.chosen().size();
    }

    private static NewView newView(Path replica) throws IOException {
        try (WriteAheadLog log =
                WriteAheadLog.open(new ReplicaDirectory(replica).promises(0), true, _ -> {}, _ -> {})) {
            List<NewView> found = log.found().stream()
                    .filter(LogRecord.NewView.class::isInstance)
                    .map(record -> ((LogRecord.NewView) record).message())
                    .toList();
            return found.getLast();
        }
    }

    @Test
    void aNewViewChoosesForFewNumbers() throws Exception {
        try (ReplicaGroup group =
                ReplicaGroup.withIdentities(directory, ReplicaGroup.Starter.bft(), SNAPSHOT_BATCHES, SELDOM)) {
            group.startAll();
            write(group);
            assertThat(choicesAfter(group, 0)).isLessThan(LOG_SIZE);
        }
    }
}
