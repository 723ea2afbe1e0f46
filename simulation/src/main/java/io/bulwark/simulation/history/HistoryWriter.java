package io.bulwark.simulation.history;

import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Histories as text, one JSON object per line (docs/simulation.md, Histories): the first line names the format, each further one is
 * an operation.
 */
public final class HistoryWriter {
    static final String HEADER = "{\"format\":\"bulwark-history\",\"version\":1,\"times\":\"micros\"}";

    private HistoryWriter() {}

    /** The lines, without line ends. */
    public static Stream<String> lines(History history) {
        return Stream.concat(Stream.of(HEADER), history.operations().stream().map(HistoryWriter::line));
    }

    static String line(Operation operation) {
        StringBuilder out = new StringBuilder("{");
        text(out, "client", operation.client());
        out.append(",\"correct\":").append(operation.correct());
        out.append(',');
        text(out, "operation", operation.action().text());
        out.append(',');
        text(out, "key", operation.key());
        out.append(',');
        text(out, "value", operation.value());
        if (operation.ifVersion() != 0) {
            out.append(",\"ifVersion\":").append(operation.ifVersion());
        }
        if (operation.version() != 0) {
            out.append(",\"version\":").append(operation.version());
        }
        out.append(",\"invoked\":").append(operation.invokedMicros());
        out.append(",\"completed\":");
        if (operation.completedMicros() == Operation.NEVER) {
            out.append("null");
        } else {
            out.append(operation.completedMicros());
        }
        out.append(',');
        text(out, "outcome", operation.outcome().text());
        return out.append('}').toString();
    }

    private static void text(StringBuilder out, String name, @Nullable String value) {
        out.append('"').append(name).append("\":");
        if (value == null) {
            out.append("null");
            return;
        }
        out.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c == '"' || c == '\\') {
                out.append('\\').append(c);
            } else if (c < 0x20 || c >= 0x7f) {
                out.append(String.format("\\u%04x", (int) c));
            } else {
                out.append(c);
            }
        }
        out.append('"');
    }
}
