package io.bulwark.appliance.cli;

import io.bulwark.client.text.Quantity;
import java.util.List;
import java.util.Locale;

/** Sizes, columns and names for people. */
final class Text {
    private Text() {}

    static String bytes(long count) {
        return Quantity.bytes(count);
    }

    static String number(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    static String count(long number, String one) {
        return Quantity.count(number, one);
    }

    /** Formats a duration to two units, or tenths of a second. */
    static String duration(long millis) {
        if (millis < 1_000) {
            return millis + " ms";
        }
        long seconds = Math.round(millis / 1000.0);
        if (millis < 60_000) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
        }
        if (seconds < 3600) {
            return seconds / 60 + " min" + (seconds % 60 == 0 ? "" : " " + seconds % 60 + " s");
        }
        long minutes = seconds / 60;
        return minutes / 60 + " h" + (minutes % 60 == 0 ? "" : " " + minutes % 60 + " min");
    }

    /**
     * While nodes catch up the truth lies between the two (ClusterStatus.VolumeStatus).
     *
     * @param unverified nodes that do not know yet what they lack
     */
    static String faults(int least, int most, int of, List<Integer> unverified) {
        int from = Math.max(0, least);
        if (from >= most) {
            return faults(most, of);
        }
        String why = switch (unverified.size()) {
            case 0 -> "nodes catch up";
            case 1 -> "node-" + unverified.getFirst() + " is unverified";
            default -> unverified.size() + " nodes are unverified";
        };
        return from + " to " + most + " of " + of + ", " + why;
    }

    /** @param left of what can be taken; below zero if more have failed than that */
    static String faults(int left, int of) {
        return Math.max(0, left) + " of " + of + (left < 0 ? ", " + -left + " over the limit" : "");
    }

    static String empty(long directories) {
        return directories == 1
                ? "1 empty directory"
                : String.format(Locale.ROOT, "%,d empty directories", directories);
    }

    /** Control characters as escapes, so that a name cannot play tricks on a terminal. */
    static String printable(String name) {
        if (name.chars().allMatch(c -> c >= ' ' && c <= '~')) {
            return name;
        }
        StringBuilder out = new StringBuilder(name.length());
        name.codePoints().forEach(c -> {
            if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT) {
                out.append(String.format(Locale.ROOT, "\\u%04x", c));
            } else {
                out.appendCodePoint(c);
            }
        });
        return out.toString();
    }

    /** Rows in columns as wide as their widest cell; the first row is the heading. */
    static String table(List<List<String>> rows) {
        int columns = rows.getFirst().size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder out = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < columns; i++) {
                line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length() + 2);
            }
            out.append(line.toString().stripTrailing()).append(System.lineSeparator());
        }
        return out.toString().stripTrailing();
    }
}
