package io.bulwark.client.text;

import java.util.Locale;

/** Sizes and counts for people. */
public final class Quantity {
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private Quantity() {}

    /** Formats a size, such as {@code 1.5 GiB}. */
    public static String bytes(long count) {
        double value = count;
        int unit = 0;
        while (value >= 1024 && unit < UNITS.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? count + " B" : String.format(Locale.ROOT, "%.1f %s", value, UNITS[unit]);
    }

    /** Formats a count of things, such as {@code 1,000 objects}. */
    public static String count(long number, String one) {
        return String.format(Locale.ROOT, "%,d %s%s", number, one, number == 1 ? "" : "s");
    }
}
