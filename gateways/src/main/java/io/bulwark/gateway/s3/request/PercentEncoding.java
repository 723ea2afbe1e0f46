package io.bulwark.gateway.s3.request;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;

/** Percent encoding of UTF-8 as S3 and its signatures use it: all but letters, digits and {@code -._~} is encoded. */
public final class PercentEncoding {
    private static final char[] HEX = "0123456789ABCDEF".toCharArray();
    private static final int ASCII_END = 0x7f;

    private PercentEncoding() {}

    /** Encodes a value of a query. */
    public static String encode(String text) {
        return encode(text, false);
    }

    /** Encodes a path, whose slashes stay. */
    public static String encodePath(String path) {
        return encode(path, true);
    }

    private static String encode(String text, boolean keepsSlash) {
        StringBuilder encoded = new StringBuilder(text.length() + 16);
        for (byte each : text.getBytes(StandardCharsets.UTF_8)) {
            char c = (char) (each & 0xff);
            if (isUnreserved(c) || (keepsSlash && c == '/')) {
                encoded.append(c);
            } else {
                encoded.append('%').append(HEX[c >> 4]).append(HEX[c & 0xf]);
            }
        }
        return encoded.toString();
    }

    private static boolean isUnreserved(char c) {
        return (c >= 'A' && c <= 'Z')
                || (c >= 'a' && c <= 'z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '.'
                || c == '_'
                || c == '~';
    }

    /**
     * Decodes.
     *
     * @param plusIsSpace as in a query
     * @throws S3Exception {@code InvalidURI} unless it is ASCII, each percent sign begins an encoded byte, and the bytes
     *     are UTF-8
     */
    public static String decode(String text, boolean plusIsSpace) {
        byte[] bytes = new byte[text.length()];
        int length = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c <= ' ' || c >= ASCII_END) {
                throw invalid();
            }
            if (c == '%') {
                if (i + 2 >= text.length()) {
                    throw invalid();
                }
                bytes[length++] = (byte) (digit(text.charAt(i + 1)) << 4 | digit(text.charAt(i + 2)));
                i += 2;
            } else {
                bytes[length++] = (byte) (c == '+' && plusIsSpace ? ' ' : c);
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPORT)
                    .decode(ByteBuffer.wrap(bytes, 0, length))
                    .toString();
        } catch (CharacterCodingException e) {
            throw invalid();
        }
    }

    private static int digit(char c) {
        int value = c < ASCII_END ? Character.digit(c, 16) : -1;
        if (value < 0) {
            throw invalid();
        }
        return value;
    }

    private static S3Exception invalid() {
        return new S3Exception(400, "InvalidURI", "Couldn't parse the specified URI.");
    }
}
