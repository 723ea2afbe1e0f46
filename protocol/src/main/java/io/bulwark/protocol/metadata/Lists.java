package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Lists in canonical bytes: a 16-bit count and the elements. */
final class Lists {
    private Lists() {}

    static <T> void write(List<T> list, WireWriter out, BiConsumer<T, WireWriter> element) {
        out.u16(list.size());
        list.forEach(one -> element.accept(one, out));
    }

    static <T> List<T> read(WireReader in, int max, Function<WireReader, T> element) {
        int count = in.count16(max);
        List<T> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(element.apply(in));
        }
        return list;
    }
}
