package io.bulwark.simulation.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.Random;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;

@NullMarked
class HistoryFormatTest {
    private static final String HEADER = "{\"format\":\"bulwark-history\",\"version\":1,\"times\":\"micros\"}";
    private static final String READ =
            "{\"client\":\"client-1\",\"correct\":true,\"operation\":\"read\",\"key\":\"5:3\",\"value\":null,"
                    + "\"invoked\":5,\"completed\":7,\"outcome\":\"ok\"}";

    private static void refused(String problem, String... lines) {
        assertThatThrownBy(() -> HistoryReader.read(List.of(lines)))
                .isInstanceOf(MalformedHistoryException.class)
                .hasMessageContaining(problem);
    }

    @Test
    void theLinesAreTheDocumentedOnes() {
        History history = new History(List.of(
                new Operation("client-1", true, Action.READ, "5:3", null, 0, 0, 5, 7, Outcome.OK),
                new Operation(
                        "eve \"\\\u00e9\n",
                        false,
                        Action.PUT_IF_VERSION,
                        "b/k",
                        "v1",
                        4,
                        0,
                        9,
                        Operation.NEVER,
                        Outcome.UNKNOWN),
                new Operation("client-2", true, Action.PUT, "b/k", "v2", 0, 12, 9, 10, Outcome.OK)));
        List<String> lines = HistoryWriter.lines(history).toList();
        assertThat(lines)
                .containsExactly(
                        HEADER,
                        READ,
                        "{\"client\":\"eve \\\"\\\\\\u00e9\\u000a\",\"correct\":false,\"operation\":\"put-if-version\","
                                + "\"key\":\"b/k\",\"value\":\"v1\",\"ifVersion\":4,\"invoked\":9,\"completed\":null,"
                                + "\"outcome\":\"unknown\"}",
                        "{\"client\":\"client-2\",\"correct\":true,\"operation\":\"put\",\"key\":\"b/k\",\"value\":\"v2\","
                            + "\"version\":12,\"invoked\":9,\"completed\":10,\"outcome\":\"ok\"}");
        assertThat(HistoryReader.read(lines)).isEqualTo(history);
    }

    @Test
    void otherToolsMayWriteItTheirWay() {
        String other =
                " { \"outcome\" : \"ok\", \"completed\":7,\t\"invoked\":5, \"value\":null, \"key\":\"\\u0035\\/\\t\","
                        + "\"operation\":\"read\", \"correct\":true, \"client\":\"x\" } ";
        History history = HistoryReader.read(List.of(HEADER, other, ""));
        assertThat(history.operations().getFirst().key()).isEqualTo("5/\t");
    }

    @Test
    void whatIsNotAHistoryIsRefusedWithTheLine() {
        refused("line 1: no history");
        refused("line 1: not a history that can be read here", READ);
        refused("line 1: not a history", HEADER.replace("1", "2"), READ);
        refused("(column 3)", HEADER, "{\"");
        refused("line 2: one JSON object is expected", HEADER, "[]");
        refused("line 2: more than one object", HEADER, READ + "{}");
        refused("line 3: operation is missing", HEADER, READ, READ.replace("\"operation\":\"read\",", ""));
        refused("line 2: Duplicate Object property \"key\"", HEADER, READ.replace("client\":\"client-1", "key\":\"x"));
        refused("line 2: unknown member keys", HEADER, READ.replace("\"key\"", "\"keys\""));
        refused("line 2: no such operation: ride", HEADER, READ.replace("\"read\"", "\"ride\""));
        refused("line 2: no such outcome: fine", HEADER, READ.replace("\"ok\"", "\"fine\""));
        refused("line 2: correct is 1", HEADER, READ.replace("true", "1"));
        refused("line 2: invoked is null", HEADER, READ.replace("5,", "null,"));
        refused("invoked has more than 18 digits", HEADER, READ.replace("5,", "1234567890123456789,"));
        refused("out of range", HEADER, READ.replace("5,", "12345678901234567890,"));
        refused("eading zero", HEADER, READ.replace("5,", "05,"));
        refused("-1 to 7 us", HEADER, READ.replace("5,", "-1,"));
        refused("key of 0 characters", HEADER, READ.replace("5:3", ""));
        refused("key of 1025 characters", HEADER, READ.replace("5:3", "k".repeat(1025)));
        refused("longer than", HEADER, READ + " ".repeat(HistoryReader.LINE_LENGTH_MAX));
        refused("used as a register and as an object", HEADER, READ, READ.replace("\"read\"", "\"get\""));
    }

    @Test
    void noLineBreaksTheReader() {
        long seed = Long.getLong("bulwark.seed", System.nanoTime());
        System.out.println("HistoryFormatTest bulwark.seed=" + seed);
        Random random = new Random(seed);
        for (int run = 0; run < 20_000; run++) {
            StringBuilder line = new StringBuilder(READ);
            for (int edits = 1 + random.nextInt(3); edits > 0; edits--) {
                int at = random.nextInt(line.length());
                switch (random.nextInt(3)) {
                    case 0 -> line.setCharAt(at, (char) random.nextInt(128));
                    case 1 -> line.deleteCharAt(at);
                    default -> line.insert(at, READ, 0, random.nextInt(READ.length()));
                }
            }
            try {
                History history = HistoryReader.read(List.of(HEADER, line.toString()));
                assertThat(HistoryReader.read(HistoryWriter.lines(history).toList()))
                        .isEqualTo(history);
            } catch (MalformedHistoryException e) {
                assertThat(e).hasMessageStartingWith("line 2: ");
            }
        }
    }
}
