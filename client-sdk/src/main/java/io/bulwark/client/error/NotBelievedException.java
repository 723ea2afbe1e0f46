package io.bulwark.client.error;

/**
 * More than f of the metadata replicas, so a correct one among them, do not believe the key of this client; or the client does
 * not believe who answers for more than 2f of them, who may stand in between, and was let in by nobody since it began: {@link #reason()} says
 * which. Nothing is served until that changes. Whether an update that was under way happened is not known.
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
