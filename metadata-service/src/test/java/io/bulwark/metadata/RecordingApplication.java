package io.bulwark.metadata;

import io.bulwark.metadata.ordering.ReplicatedApplication;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.NullMarked;

/**
 * A small state machine: commands are (number, text), executed once for each number, and appended; the reply is the
 * place where the text stands. A query returns all texts. It keeps the agreed times, so that these count as state.
 */
@NullMarked
public final class RecordingApplication implements ReplicatedApplication {
    private static final int TEXT_BYTES_MAX = 1 << 16;

    private final Map<Long, Long> places = new LinkedHashMap<>();
    private final List<String> texts = new ArrayList<>();
    private final List<Long> times = new ArrayList<>();

    public static Bytes command(long number, String text) {
        return new WireWriter().i64(number).string(text).toBytes();
    }

    public static long place(Bytes reply) {
        return new WireReader(reply).i64();
    }

    public static List<String> texts(Bytes reply) {
        WireReader in = new WireReader(reply);
        List<String> texts = new ArrayList<>();
        while (in.remaining() > 0) {
            texts.add(in.string(TEXT_BYTES_MAX));
        }
        return texts;
    }

    @Override
    public synchronized Bytes execute(PrincipalId client, Bytes command, long agreedMillis) {
        WireReader in = new WireReader(command);
        long number = in.i64();
        String text = in.string(TEXT_BYTES_MAX);
        long place = places.computeIfAbsent(number, _ -> {
            texts.add(text);
            times.add(agreedMillis);
            return texts.size() - 1L;
        });
        return new WireWriter().i64(place).toBytes();
    }

    @Override
    public synchronized Bytes query(PrincipalId client, Bytes query) {
        WireWriter out = new WireWriter();
        texts.forEach(out::string);
        return out.toBytes();
    }

    public synchronized List<String> texts() {
        return List.copyOf(texts);
    }

    @Override
    public synchronized Bytes snapshot() {
        WireWriter out = new WireWriter().i32(places.size());
        places.forEach((number, place) ->
                out.i64(number).i64(place).i64(times.get(place.intValue())).string(texts.get(place.intValue())));
        return out.toBytes();
    }

    @Override
    public synchronized void restore(Bytes snapshot) {
        places.clear();
        texts.clear();
        times.clear();
        WireReader in = new WireReader(snapshot);
        int count = in.i32();
        for (int i = 0; i < count; i++) {
            places.put(in.i64(), in.i64());
            times.add(in.i64());
            texts.add(in.string(TEXT_BYTES_MAX));
        }
    }
}
