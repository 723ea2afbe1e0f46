package io.bulwark.protocol.ordering.replica;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.wire.Bytes;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.NullMarked;

/** Safety: the journals of all replicas are prefixes of one. */
@NullMarked
final class SingleHistory {
    private final List<Bytes> canonical = new ArrayList<>();

    /**
     * Checks the new entries of a journal.
     *
     * @param checked number of entries checked before
     * @return number of entries checked now
     */
    int check(int replica, List<Bytes> journal, int checked) {
        for (int i = checked; i < journal.size(); i++) {
            if (i == canonical.size()) {
                canonical.add(journal.get(i));
            }
            // Asked first, as the assertion costs more than all else here.
            if (!journal.get(i).equals(canonical.get(i))) {
                assertThat(journal.get(i))
                        .as("entry %d at replica %d", i, replica)
                        .isEqualTo(canonical.get(i));
            }
        }
        return journal.size();
    }
}
