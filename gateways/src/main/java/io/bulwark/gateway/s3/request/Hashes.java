package io.bulwark.gateway.s3.request;

import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/** Hash functions of S3, which each Java has. */
public final class Hashes {
    private Hashes() {}

    public static MessageDigest md5() {
        return of("MD5");
    }

    public static MessageDigest sha1() {
        return of("SHA-1");
    }

    public static MessageDigest sha256() {
        return of("SHA-256");
    }

    private static MessageDigest of(String name) {
        try {
            return MessageDigest.getInstance(name);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this Java has no " + name, e);
        }
    }
}
