package io.bulwark.simulation;

import io.bulwark.protocol.wire.Bytes;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** A running hash of everything that happens in a simulation. */
final class Trace {
    private final MessageDigest digest;

    Trace() {
        try {
            digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    void add(long millis, String what, String detail) {
        add(millis, what, Bytes.of(detail.getBytes(StandardCharsets.UTF_8)));
    }

    void add(long millis, String what, Bytes detail) {
        byte[] name = what.getBytes(StandardCharsets.UTF_8);
        digest.update(ByteBuffer.allocate(16)
                .putLong(millis)
                .putInt(name.length)
                .putInt(detail.length())
                .flip());
        digest.update(name);
        digest.update(detail.array(), detail.offset(), detail.length());
    }

    /** So far; more may be added. */
    String digest() {
        try {
            return HexFormat.of().formatHex(((MessageDigest) digest.clone()).digest());
        } catch (CloneNotSupportedException e) {
            throw new IllegalStateException("SHA-256 can be cloned", e);
        }
    }
}
