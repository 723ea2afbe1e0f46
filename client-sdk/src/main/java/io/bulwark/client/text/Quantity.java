package io.bulwark.client.text;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Sizes and counts for people. */
public final class Quantity {
    private static final String[] UNITS = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};

    private static final Pattern SIZE =
            Pattern.compile("([0-9]{1,19}(?:\\.[0-9]{1,9})?) ?(?:B|([KMGTPE](?:iB)?)?)", Pattern.CASE_INSENSITIVE);

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

    /**
     * Reads a number of bytes: digits, with a unit of 1024 if one follows, such as {@code 500}, {@code 64 KiB}, {@code 1.5G} or
     * {@code 2TiB}. Letters count in either case.
     *
     * @throws IllegalArgumentException if it is none, or below 0, or above the largest long; the message shows the text
     */
    public static long parseBytes(String text) {
        Matcher parts = SIZE.matcher(text.strip());
        if (parts.matches()) {
            String unit = (parts.group(2) == null ? "" : parts.group(2)).toUpperCase(Locale.ROOT);
            int shift = unit.isEmpty() ? 0 : 10 * ("KMGTPE".indexOf(unit.charAt(0)) + 1);
            BigDecimal bytes = new BigDecimal(parts.group(1)).multiply(new BigDecimal(BigInteger.ONE.shiftLeft(shift)));
            if (bytes.compareTo(new BigDecimal(Long.MAX_VALUE)) <= 0
                    && bytes.stripTrailingZeros().scale() <= 0) {
                return bytes.longValueExact();
            }
        }
        throw new IllegalArgumentException("\"" + text + "\" is no size such as 500, 64KiB or 1.5GiB");
    }
}
