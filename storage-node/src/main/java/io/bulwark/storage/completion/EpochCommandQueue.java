package io.bulwark.storage.completion;

import io.bulwark.protocol.metadata.Command;
import io.bulwark.protocol.metadata.Reply;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Commands about the epochs of its placement groups that the node has yet to submit. Thread-safe. */
final class EpochCommandQueue {
    private static final Logger LOG = LoggerFactory.getLogger(EpochCommandQueue.class);

    private final ControlSession session;
    private final Set<Command> owed = new LinkedHashSet<>();

    EpochCommandQueue(ControlSession session) {
        this.session = session;
    }

    synchronized void add(Command command) {
        owed.add(command);
    }

    /**
     * Submits all commands, each once. Completion asks again for a refused one if it still matters.
     *
     * @throws ExecutionException if the metadata does not answer
     */
    void submit() throws InterruptedException, ExecutionException {
        for (Command command : all()) {
            if (session.submit(command) instanceof Reply.Failed failed) {
                LOG.info("{} was refused: {}", command, failed.message());
            } else {
                LOG.info("{} was executed", command);
            }
            remove(command);
        }
    }

    private synchronized List<Command> all() {
        return List.copyOf(owed);
    }

    private synchronized void remove(Command command) {
        owed.remove(command);
    }
}
