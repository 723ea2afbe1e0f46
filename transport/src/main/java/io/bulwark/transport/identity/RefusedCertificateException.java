package io.bulwark.transport.identity;

import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import org.jspecify.annotations.Nullable;

/** A peer's certificate is not believed. Without a stack trace, as the peer decides how often it is thrown. */
public final class RefusedCertificateException extends CertificateException {
    private static final long serialVersionUID = 1L;

    /** Reason for the refusal. */
    public enum Reason {
        /** It is not one self-signed certificate of a P-256 key that names a principal. */
        FORM,
        /** It is not valid yet, or not any more. */
        EXPIRED(BasicReason.EXPIRED),
        /** Its key is not among those that are known. */
        UNKNOWN_KEY,
        /** Its key was not known either when the replicas were asked after an earlier attempt. */
        UNKNOWN_STILL,
        /** Its key is not known, and the principal that it names was revoked. */
        REVOKED(BasicReason.REVOKED),
        /** Its key belongs to another principal than it names. */
        WRONG_NAME;

        /**
         * Reason by which engines choose the alert for the other side; without it the alert does not show the reason.
         */
        private final @Nullable BasicReason told;

        Reason() {
            told = null;
        }

        Reason(BasicReason told) {
            this.told = told;
        }
    }

    private final Reason reason;

    RefusedCertificateException(Reason reason, String detail) {
        super(detail, cause(reason.told));
        this.reason = reason;
    }

    private static @Nullable CertPathValidatorException cause(@Nullable BasicReason told) {
        return told == null ? null : new CertPathValidatorException(told.name(), null, null, -1, told);
    }

    public Reason reason() {
        return reason;
    }

    @Override
    public synchronized Throwable fillInStackTrace() {
        return this;
    }
}
