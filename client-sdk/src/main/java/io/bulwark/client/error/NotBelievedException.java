package io.bulwark.client.error;

/**
 * Failure of trust between this client and the metadata replicas; {@link #reason()} says which. Either more than f
 * replicas, so a correct one among them, do not trust the client's key. Or the client does not trust those that answer
 * for more than 2f replicas. They may be interceptors, and no replica has accepted the client since that began. Nothing
 * is served until that changes. It is unknown whether an update in flight took effect.
 */
public final class NotBelievedException extends BulwarkException {
    private static final long serialVersionUID = 1L;

    /** Side that does not trust the other, and the cause. */
    public enum Reason {
        /** The replicas say that this principal was revoked, which is for good. */
        REVOKED,
        /** The replicas do not know this client's key: it was never added, it was exchanged, or it belongs to another cluster. */
        NOT_KNOWN,
        /** By the replicas' clocks the client's certificate is not valid. */
        EXPIRED,
        /** The servers at the replicas' addresses show other keys than the genesis file and the registry name here. */
        SERVERS_NOT_KNOWN,
        /** By the clock here the replicas' certificates are not valid. */
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
