package io.bulwark.simulation.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamFactory;
import tools.jackson.core.json.JsonFactory;

/** Reads what {@link HistoryWriter} wrote, or another tool in the same format, line by line. */
public final class HistoryReader {
    /** No line is longer; whoever reads lines from outside must not read on beyond it. */
    public static final int LINE_LENGTH_MAX = 32 * 1_024;

    public static final int OPERATIONS_MAX = 10_000_000;
    private static final long INTEGER_LIMIT = 1_000_000_000_000_000_000L;
    private static final TokenStreamFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final Set<String> NAMES = Set.of(
            "client",
            "correct",
            "operation",
            "key",
            "value",
            "ifVersion",
            "version",
            "invoked",
            "completed",
            "outcome");

    private final List<Operation> operations = new ArrayList<>();
    private long lines;

    /**
     * All lines at once.
     *
     * @throws MalformedHistoryException with the line and what is wrong there
     */
    public static History read(Iterable<String> lines) {
        HistoryReader reader = new HistoryReader();
        lines.forEach(reader::line);
        return reader.history();
    }

    /**
     * The next line; empty ones are passed over.
     *
     * @throws MalformedHistoryException if it is not a line of a history
     */
    public void line(String line) {
        lines++;
        if (line.length() > LINE_LENGTH_MAX) {
            throw new MalformedHistoryException(lines, "longer than " + LINE_LENGTH_MAX + " characters");
        }
        if (lines > 1 && line.isBlank()) {
            return;
        }
        try {
            Map<String, Optional<Object>> members = members(line);
            if (lines == 1) {
                header(members);
            } else {
                if (operations.size() == OPERATIONS_MAX) {
                    throw new IllegalArgumentException("more than " + OPERATIONS_MAX + " operations");
                }
                operations.add(operation(members));
            }
        } catch (IllegalArgumentException e) {
            throw new MalformedHistoryException(lines, String.valueOf(e.getMessage()));
        }
    }

    /**
     * All lines were read.
     *
     * @throws MalformedHistoryException if there was none, or if a key is used as a register and as an object
     */
    public History history() {
        if (lines == 0) {
            throw new MalformedHistoryException(1, "no history: the first line names the format");
        }
        try {
            return new History(operations);
        } catch (IllegalArgumentException e) {
            throw new MalformedHistoryException(lines, String.valueOf(e.getMessage()));
        }
    }

    /** Reads the members of one JSON object: strings, integers, true, false and null, which is shown as empty. */
    private static Map<String, Optional<Object>> members(String line) {
        Map<String, Optional<Object>> members = new HashMap<>();
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), line)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new IllegalArgumentException("one JSON object is expected");
            }
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                parser.nextToken();
                members.put(name, value(parser, name));
            }
            if (parser.nextToken() != null) {
                throw new IllegalArgumentException("more than one object");
            }
        } catch (JacksonException e) {
            throw new IllegalArgumentException(
                    e.getOriginalMessage() + " (column " + e.getLocation().getColumnNr() + ")", e);
        }
        return members;
    }

    private static Optional<Object> value(JsonParser parser, String name) {
        return switch (parser.currentToken()) {
            case VALUE_STRING -> Optional.of(parser.getString());
            case VALUE_NUMBER_INT -> Optional.of(integer(parser.getLongValue(), name));
            case VALUE_TRUE, VALUE_FALSE -> Optional.of(parser.getBooleanValue());
            case VALUE_NULL -> Optional.empty();
            case null, default ->
                throw new IllegalArgumentException(name + " is no string, integer, true, false or null");
        };
    }

    private static long integer(long value, String name) {
        if (value <= -INTEGER_LIMIT || value >= INTEGER_LIMIT) {
            throw new IllegalArgumentException(name + " has more than 18 digits");
        }
        return value;
    }

    private static void header(Map<String, Optional<Object>> members) {
        if (!members.equals(members(HistoryWriter.HEADER))) {
            throw new IllegalArgumentException(
                    "not a history that can be read here, whose first line is " + HistoryWriter.HEADER);
        }
    }

    private static Operation operation(Map<String, Optional<Object>> members) {
        for (String name : members.keySet()) {
            if (!NAMES.contains(name)) {
                throw new IllegalArgumentException("unknown member " + name);
            }
        }
        String action = text(members, "operation");
        String outcome = text(members, "outcome");
        Long completed = optional(members, "completed", Long.class);
        return new Operation(
                text(members, "client"),
                required(members, "correct", Boolean.class),
                Action.of(action).orElseThrow(() -> new IllegalArgumentException("no such operation: " + action)),
                text(members, "key"),
                optional(members, "value", String.class),
                numberOrNone(members, "ifVersion"),
                numberOrNone(members, "version"),
                required(members, "invoked", Long.class),
                completed == null ? Operation.NEVER : completed,
                Outcome.of(outcome).orElseThrow(() -> new IllegalArgumentException("no such outcome: " + outcome)));
    }

    private static String text(Map<String, Optional<Object>> members, String name) {
        return required(members, name, String.class);
    }

    private static long numberOrNone(Map<String, Optional<Object>> members, String name) {
        return members.containsKey(name) ? required(members, name, Long.class) : 0;
    }

    private static <T> T required(Map<String, Optional<Object>> members, String name, Class<T> type) {
        T value = optional(members, name, type);
        if (value == null) {
            throw new IllegalArgumentException(name + " is null");
        }
        return value;
    }

    private static <T> @Nullable T optional(Map<String, Optional<Object>> members, String name, Class<T> type) {
        Optional<Object> value = members.get(name);
        if (value == null) {
            throw new IllegalArgumentException(name + " is missing");
        }
        if (value.isPresent() && !type.isInstance(value.get())) {
            throw new IllegalArgumentException(name + " is " + value.get());
        }
        return value.map(type::cast).orElse(null);
    }
}
