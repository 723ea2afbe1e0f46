package io.bulwark.protocol.ordering.view;

import io.bulwark.protocol.ordering.message.ReplicaMessage.Numbered;
import io.bulwark.protocol.ordering.message.ReplicaMessage.ViewChange;
import io.bulwark.protocol.wire.Bytes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;

/** A correct replica in the model of the decision procedure: its memory, executed batches and checkpoints. */
final class ModelReplica {
    final ViewHistory history;
    final TreeSet<Long> held = new TreeSet<>(List.of(0L));
    final Map<Long, Bytes> committed = new TreeMap<>();
    final Map<Long, Bytes> prePreparedInView = new HashMap<>();
    final Map<Long, Bytes> preparedInView = new HashMap<>();
    long executed;

    ModelReplica(ViewGroup group) {
        history = new ViewHistory(group, 0);
    }

    void executeWhatItCan() {
        while (committed.containsKey(executed + 1)) {
            executed++;
            if (executed % ViewChangeBuilder.INTERVAL == 0) {
                held.add(executed);
            }
        }
    }

    /** Begins a view with this checkpoint, whose state it fetches if need be. */
    void enter(long checkpoint) {
        prePreparedInView.clear();
        preparedInView.clear();
        if (executed < checkpoint) {
            executed = checkpoint;
            held.add(checkpoint);
            executeWhatItCan();
        }
    }

    void stable(long checkpoint) {
        history.trim(checkpoint);
        held.headSet(checkpoint).clear();
    }

    ViewChange tell(long view) {
        List<Numbered> checkpoints =
                held.stream().map(ViewChangeBuilder::checkpoint).toList();
        return history.tell(view, checkpoints);
    }
}
