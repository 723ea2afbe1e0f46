package io.bulwark.gateway.s3.request;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Text of headers on the wire: UTF-8, of which each byte is one character, as signatures need them. */
public final class WireText {
    private WireText() {}

    /** Returns the form on the wire. */
    public static String of(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.ISO_8859_1);
    }

    /** Reads the form on the wire; empty if it is not UTF-8. */
    public static Optional<String> read(String wire) {
        try {
            return Optional.of(StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(wire.getBytes(StandardCharsets.ISO_8859_1)))
                    .toString());
        } catch (CharacterCodingException e) {
            return Optional.empty();
        }
    }
}
