package io.bulwark.transport.identity;

import java.security.cert.CertificateException;

/** A peer's certificate is not believed. Without a stack trace, as the peer decides how often it is thrown. */
public final class RefusedCertificateException extends CertificateException {
    private static final long serialVersionUID = 1L;

    /** Why. */
    public enum Reason {
        /** It is not one self-signed certificate of a P-256 key that names a principal. */
        FORM,
        /** It is not valid yet, or not any more. */
        EXPIRED,
        /** Its key is not among those that are known. */
        UNKNOWN_KEY,
        /** Its key belongs to another principal than it names. */
        WRONG_NAME
    }

    private final Reason reason;

    RefusedCertificateException(Reason reason, String detail) {
        super(detail);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
