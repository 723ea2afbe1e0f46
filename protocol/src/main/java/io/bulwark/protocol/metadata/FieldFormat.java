package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.Bytes;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.function.BiConsumer;
import java.util.function.Function;

/** Canonical encoding of a type, for writing and reading. */
record FieldFormat<T>(BiConsumer<T, WireWriter> writer, Function<WireReader, T> reader) {
    static final FieldFormat<Integer> NUMBER =
            new FieldFormat<>((number, out) -> out.i32(number), in -> in.i32(0, Integer.MAX_VALUE));
    static final FieldFormat<Long> LONG_NUMBER =
            new FieldFormat<>((number, out) -> out.i64(number), WireReader::nonNegative64);
    /** Nothing: the key says it all. */
    static final FieldFormat<Boolean> NOTHING = new FieldFormat<>((ignored1, ignored2) -> {}, ignored -> true);

    Bytes encode(int prefix, T value) {
        WireWriter out = new WireWriter(128).u8(prefix);
        writer.accept(value, out);
        return out.toBytes();
    }

    Bytes encode(T value) {
        WireWriter out = new WireWriter(128);
        writer.accept(value, out);
        return out.toBytes();
    }

    T decode(Bytes bytes) {
        WireReader in = new WireReader(bytes);
        T value = reader.apply(in);
        in.end();
        return value;
    }
}
