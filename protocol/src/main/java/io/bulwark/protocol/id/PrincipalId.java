package io.bulwark.protocol.id;

import io.bulwark.protocol.wire.MalformedException;
import io.bulwark.protocol.wire.WireReader;
import io.bulwark.protocol.wire.WireWriter;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An authenticated party: a storage node, a metadata replica or a client. Five bytes on the wire: kind, number.
 *
 * @param number counted from 0 within the kind
 */
public record PrincipalId(PrincipalKind kind, int number) implements Comparable<PrincipalId> {
    /** Length on the wire. */
    public static final int BYTES = 5;

    public static final PrincipalId NOBODY = new PrincipalId(PrincipalKind.NONE, 0);

    private static final Pattern FORM = Pattern.compile("(node|replica|client)-(0|[1-9][0-9]{0,8})");
    private static final List<String> KINDS = List.of("node-", "replica-", "client-");

    public PrincipalId {
        if (number < 0 || (kind == PrincipalKind.NONE && number != 0)) {
            throw new IllegalArgumentException("no such principal: " + kind + " " + number);
        }
    }

    public static PrincipalId node(int number) {
        return new PrincipalId(PrincipalKind.NODE, number);
    }

    public static PrincipalId replica(int number) {
        return new PrincipalId(PrincipalKind.REPLICA, number);
    }

    public static PrincipalId client(int number) {
        return new PrincipalId(PrincipalKind.CLIENT, number);
    }

    public void write(WireWriter out) {
        out.u8(kind.ordinal()).i32(number);
    }

    public static PrincipalId read(WireReader in) {
        PrincipalKind kind = PrincipalKind.of(in.u8());
        int number = in.i32(0, Integer.MAX_VALUE);
        if (kind == PrincipalKind.NONE && number != 0) {
            throw new MalformedException("nobody has no number");
        }
        return new PrincipalId(kind, number);
    }

    /**
     * Reads a principal as people write it: {@code node-3}, {@code replica-0}, {@code client-12}.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static PrincipalId parse(String text) {
        Matcher matcher = FORM.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "\"" + text + "\" is not a principal such as node-3, replica-0 or client-1: " + problem(text));
        }
        int number = Integer.parseInt(matcher.group(2));
        return switch (matcher.group(1)) {
            case "node" -> node(number);
            case "replica" -> replica(number);
            default -> client(number);
        };
    }

    private static String problem(String text) {
        int fits = 0;
        for (String kind : KINDS) {
            int same = 0;
            while (same < Math.min(kind.length(), text.length()) && kind.charAt(same) == text.charAt(same)) {
                same++;
            }
            fits = Math.max(fits, same);
            if (same == kind.length()) {
                while (fits < text.length() && text.charAt(fits) >= '0' && text.charAt(fits) <= '9') {
                    fits++;
                }
                if (fits == text.length() && fits > same) {
                    return text.charAt(same) == '0' ? "its number begins with 0" : "its number has more than 9 digits";
                }
            }
        }
        return fits == text.length()
                ? "it ends after " + fits + " characters"
                : TextPlace.of(text, fits) + " is " + TextPlace.shown(text.codePointAt(fits));
    }

    /** By kind, then by number. */
    @Override
    public int compareTo(PrincipalId other) {
        return kind == other.kind ? Integer.compare(number, other.number) : kind.compareTo(other.kind);
    }

    // Written out, as keys of most maps: those that records are given take several times as long until they are
    // compiled.
    @Override
    public boolean equals(Object other) {
        return other instanceof PrincipalId that && number == that.number && kind == that.kind;
    }

    @Override
    public int hashCode() {
        return 31 * kind.ordinal() + number;
    }

    /** Returns text such as {@code node-3}. */
    @Override
    public String toString() {
        return switch (kind) {
            case NONE -> "nobody";
            case NODE -> "node-" + number;
            case REPLICA -> "replica-" + number;
            case CLIENT -> "client-" + number;
        };
    }
}
