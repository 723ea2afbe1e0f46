package io.bulwark.simulation.locking;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.protocol.metadata.Condition;
import io.bulwark.protocol.metadata.Reply;
import io.bulwark.protocol.object.ObjectAttributes;
import io.bulwark.protocol.object.ObjectLock;
import io.bulwark.protocol.object.VersionState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.simulation.locking.NameHistory.Verdict;
import java.util.List;
import org.junit.jupiter.api.Test;

class NameHistoryTest {
    private final NameHistory history = new NameHistory();

    @Test
    void aCopyWithoutReplyTookWhatItsSourceWasThen() {
        put("a/1", "old", 1);
        history.invoke("client-2", new NameRequest.Copy("a/1", "a/2"));
        put("a/1", "new", 3);
        get("a/2", "old", 2);
        assertThat(history.judge()).isInstanceOf(Verdict.Linearizable.class);
    }

    @Test
    void aCopyWithoutReplyTakesNoValueThatItsSourceNeverHad() {
        put("a/1", "old", 1);
        history.invoke("client-2", new NameRequest.Copy("a/1", "a/2"));
        put("a/1", "new", 3);
        get("a/2", "other", 2);
        assertThat(history.judge()).isInstanceOf(Verdict.Violated.class);
    }

    private void put(String key, String value, long version) {
        history.invoke("client-1", new NameRequest.Put(key, value, Condition.NONE))
                .complete(new Reply.ObjectStored(version, version, 0, false, ObjectLock.NONE));
    }

    private void get(String key, String value, long version) {
        VersionState state = new VersionState(false, ObjectAttributes.ofType(value), ObjectLock.NONE);
        history.invoke("client-1", new NameRequest.ListNames(key))
                .complete(new Reply.ObjectList(
                        List.of(new Reply.ObjectEntry(key, version, version, 0, 0, state)), List.of(), Bytes.EMPTY));
    }
}
