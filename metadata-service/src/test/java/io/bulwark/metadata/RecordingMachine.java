package io.bulwark.metadata;

import io.bulwark.metadata.ordering.StateMachine;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.state.KeyValueState;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.NullMarked;

/**
 * The state machine of {@link RecordingApplication}, over keys and values. Key 1 and a number hold its place, key 2 and
 * a place hold agreed time and text.
 */
@NullMarked
final class RecordingMachine implements StateMachine {
    private static final int TEXT_BYTES_MAX = 1 << 16;
    private static final int PLACES = 1;
    private static final int TEXTS = 2;

    /** Makes machines, and keeps the content of the last one visible to any thread. */
    static final class Factory implements StateMachine.Factory {
        private final List<String> texts = new ArrayList<>();

        @Override
        public StateMachine over(KeyValueState state) {
            RecordingMachine machine = new RecordingMachine(state, this);
            show(machine.read());
            return machine;
        }

        synchronized List<String> texts() {
            return List.copyOf(texts);
        }

        private synchronized void show(List<String> now) {
            texts.clear();
            texts.addAll(now);
        }

        private synchronized int add(String text) {
            texts.add(text);
            return texts.size() - 1;
        }
    }

    private final KeyValueState state;
    private final Factory shown;

    private RecordingMachine(KeyValueState state, Factory shown) {
        this.state = state;
        this.shown = shown;
    }

    @Override
    public Bytes execute(PrincipalId client, Bytes command, long agreedMillis) {
        WireReader in = new WireReader(command);
        Bytes number = new WireWriter().u8(PLACES).i64(in.i64()).toBytes();
        String text = in.string(TEXT_BYTES_MAX);
        Optional<Bytes> before = state.get(number);
        if (before.isPresent()) {
            return before.get();
        }
        long next = shown.add(text);
        Bytes place = new WireWriter().i64(next).toBytes();
        state.put(number, place);
        state.put(
                new WireWriter().u8(TEXTS).i64(next).toBytes(),
                new WireWriter().i64(agreedMillis).string(text).toBytes());
        return place;
    }

    @Override
    public Bytes query(PrincipalId client, Bytes query) {
        WireWriter out = new WireWriter();
        read().forEach(out::string);
        return out.toBytes();
    }

    private List<String> read() {
        List<String> texts = new ArrayList<>();
        Bytes from = new WireWriter().u8(TEXTS).toBytes();
        Bytes to = new WireWriter().u8(TEXTS + 1).toBytes();
        state.scan(from, to, (_, value) -> {
            WireReader in = new WireReader(value);
            in.i64();
            texts.add(in.string(TEXT_BYTES_MAX));
            return true;
        });
        return texts;
    }
}
