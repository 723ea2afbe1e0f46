package io.bulwark.gateway.s3.listing;

import io.bulwark.gateway.s3.call.Call;
import io.bulwark.gateway.s3.request.ErrorCode;
import io.bulwark.protocol.metadata.Names;
import io.bulwark.protocol.metadata.Query;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/**
 * Parameters that all lists of a bucket have in common.
 *
 * @param encoded whether names in the answer are percent-encoded
 */
public record ListedNames(String prefix, String delimiter, int limit, boolean encoded) {
    /** Entries of a page, as S3 bounds them. */
    private static final int LIMIT_MAX = 1000;

    private static final List<String> NAMES = List.of("prefix", "marker", "start-after", "key-marker");

    /** Reads the parameters of a request. */
    public static ListedNames of(Call call, String limitName) {
        Optional<String> encoding = call.query("encoding-type");
        if (encoding.isPresent() && !encoding.get().equals("url")) {
            throw ErrorCode.INVALID_ARGUMENT.because("Invalid Encoding Method specified in Request");
        }
        String delimiter = call.query("delimiter").orElse("");
        if (!delimiter.isEmpty() && call.hasQuery("allow-unordered")) {
            throw ErrorCode.INVALID_ARGUMENT.because("A list without an order cannot have a delimiter.");
        }
        for (String name : NAMES) {
            requireShort(call, name, Names.KEY_BYTES_MAX);
        }
        requireShort(call, "delimiter", Query.DELIMITER_BYTES_MAX);
        return new ListedNames(
                call.query("prefix").orElse(""),
                delimiter,
                Math.min(call.number(limitName, LIMIT_MAX, 0, Integer.MAX_VALUE), LIMIT_MAX),
                encoding.isPresent());
    }

    private static void requireShort(Call call, String parameter, int bytesMax) {
        int bytes = call.query(parameter).orElse("").getBytes(StandardCharsets.UTF_8).length;
        if (bytes > bytesMax) {
            throw ErrorCode.INVALID_ARGUMENT.because(
                    parameter + " has at most " + bytesMax + " bytes in UTF-8, this has " + bytes + ".");
        }
    }

    /** Returns a name as the answer has it. */
    public String text(String name) {
        return encoded ? percentEncoded(name) : name;
    }

    /** Returns the common prefix into which a key is rolled up; empty if there is none. */
    public Optional<String> commonPrefix(String key) {
        if (delimiter.isEmpty() || !key.startsWith(prefix)) {
            return Optional.empty();
        }
        int at = key.indexOf(delimiter, prefix.length());
        return at < 0 ? Optional.empty() : Optional.of(key.substring(0, at + delimiter.length()));
    }

    /** Returns whether a marker is a common prefix, behind whose keys the list goes on. */
    public boolean isCommonPrefix(String marker) {
        return commonPrefix(marker).filter(marker::equals).isPresent();
    }

    private static String percentEncoded(String name) {
        StringBuilder out = new StringBuilder();
        for (byte b : name.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (b & 0xFF);
            if (c < 0x80 && (Character.isLetterOrDigit(c) || "-_.~/*".indexOf(c) >= 0)) {
                out.append(c);
            } else {
                out.append('%').append(hex(c >> 4)).append(hex(c & 0xF));
            }
        }
        return out.toString();
    }

    private static char hex(int digit) {
        return digit < 10 ? (char) ('0' + digit) : (char) ('A' - 10 + digit);
    }
}
