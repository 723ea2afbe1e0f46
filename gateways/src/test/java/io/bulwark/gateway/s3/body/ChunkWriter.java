package io.bulwark.gateway.s3.body;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Writes bodies with the encoding {@code aws-chunked}, with signatures of its own making. */
final class ChunkWriter {
    static final String SEED = "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9";
    static final String TIME = "20130524T000000Z";
    static final String SCOPE = "20130524/us-east-1/s3/aws4_request";
    static final byte[] KEY = "any thirty-two bytes for testing".getBytes(StandardCharsets.US_ASCII);

    private final ByteArrayOutputStream wire = new ByteArrayOutputStream();
    private final boolean signed;
    private String previous = SEED;

    ChunkWriter(boolean signed) {
        this.signed = signed;
    }

    /** Returns the whole body. */
    byte[] write(List<byte[]> chunks, String trailer) {
        chunks.forEach(this::chunk);
        chunk(new byte[0]);
        if (!trailer.isEmpty()) {
            text(trailer + "\r\n");
            if (signed) {
                String toSign = "AWS4-HMAC-SHA256-TRAILER\n" + TIME + "\n" + SCOPE + "\n" + previous + "\n"
                        + sha256((trailer + "\n").getBytes(StandardCharsets.US_ASCII));
                text("x-amz-trailer-signature:" + hmac(toSign) + "\r\n");
            }
        }
        text("\r\n");
        return wire.toByteArray();
    }

    private void chunk(byte[] content) {
        text(Integer.toHexString(content.length));
        if (signed) {
            previous = hmac("AWS4-HMAC-SHA256-PAYLOAD\n" + TIME + "\n" + SCOPE + "\n" + previous + "\n"
                    + sha256(new byte[0]) + "\n" + sha256(content));
            text(";chunk-signature=" + previous);
        }
        text("\r\n");
        if (content.length > 0) {
            wire.writeBytes(content);
            text("\r\n");
        }
    }

    private void text(String text) {
        wire.writeBytes(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String hmac(String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(KEY, "HmacSHA256"));
            return HexFormat.of().formatHex(mac.doFinal(text.getBytes(StandardCharsets.US_ASCII)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
