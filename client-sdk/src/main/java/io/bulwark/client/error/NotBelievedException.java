package io.bulwark.client.error;

/**
 * This client and the metadata replicas do not trust each other; {@link #reason()} says which side, and why. Either more
 * than f replicas, so a correct one among them, do not trust the client's key. Or the client does not trust those that
 * answer for more than 2f replicas. They may be interceptors, and no replica has accepted the client since that began.
 *
 * <p>Retry: after the cause is removed, unless it is {@code REVOKED}; an update may have happened.
 */
public final class NotBelievedException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    /** Side that does not trust the other, and the cause. */
    public enum Reason {
        /** The replicas say that this principal was revoked for good. Ask an operator for another one. */
        REVOKED,
        /**
         * The replicas do not know this client's key: it was never added, was exchanged, or belongs to another cluster.
         * An operator sees it in {@code bulwark principal list}, and adds it.
         */
        NOT_KNOWN,
        /**
         * By the replicas' clocks the client's certificate is not valid. Compare the clocks; make a new identity, and
         * rotate to its key.
         */
        EXPIRED,
        /**
         * The servers at the replicas' addresses have other keys than the genesis file and the registry name. Use the
         * right genesis and addresses.
         */
        SERVERS_NOT_KNOWN,
        /** By this client's clock the replicas' certificates are not valid. Compare the clocks. */
        SERVERS_EXPIRED
    }

    private final Reason reason;

    public NotBelievedException(Reason reason, String problem, Subject subject) {
        super(problem, subject, null);
        this.reason = reason;
    }

    public Reason reason() {
        return reason;
    }
}
