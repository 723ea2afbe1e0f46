package io.bulwark.protocol.metadata;

import io.bulwark.protocol.wire.MalformedException;

/**
 * Reason why a command or a query was refused; the reply adds a sentence with the particulars. The order is on the
 * wire.
 */
public enum MetadataError {
    MALFORMED("the request is not a canonical encoding"),
    NOT_AUTHORISED("the principal has no grant for this request"),
    SESSION_UNKNOWN("no such session of this principal"),
    SESSION_CLOSED("the session is closed or has expired; results of its earlier commands are no longer known"),
    TOO_MANY_SESSIONS("too many open sessions of this principal"),
    NUMBER_TOO_OLD("the result of this command was acknowledged and is no longer kept"),
    NUMBER_REUSED("this number was used for another command"),
    WINDOW_EXCEEDED("too many commands outstanding in this session"),
    BAD_NAME("not a valid name of a bucket or volume"),
    BAD_KEY("not a valid object key"),
    BAD_ARGUMENT("an argument is out of its bounds"),
    NO_SUCH_VOLUME("no such volume"),
    VOLUME_EXISTS("a volume of this name exists"),
    VOLUME_IN_USE("the volume still has buckets or objects"),
    TOO_FEW_NODES("the cluster has fewer nodes than the policy has slots"),
    NO_SUCH_BUCKET("no such bucket"),
    BUCKET_EXISTS("a bucket of this name exists"),
    BUCKET_NOT_EMPTY("the bucket still has objects or versions"),
    NO_SUCH_OBJECT("no such object"),
    NO_SUCH_VERSION("no such version of this object"),
    CONDITION_FAILED("the object is not in the required state"),
    OTHER_VOLUME("both names must lie in one volume; copy the bytes instead"),
    WRONG_SESSION("the session is not for the volume of this object, or the ranges are of another session"),
    WRONG_LAYOUT("the layout does not fit the volume"),
    STALE_EPOCH("a placement group is in another epoch now; retry with its current holders"),
    RANGE_USED("a range was used or abandoned before"),
    TOO_MANY_RANGES("the session has too many intervals of used ranges"),
    QUOTA_EXCEEDED("the quota is used up"),
    NO_SUCH_PENDING("no such pending upload in this session"),
    LIMIT_REACHED("a limit of the cluster is reached"),
    NO_SUCH_PRINCIPAL("no such principal"),
    PRINCIPAL_EXISTS("this principal exists or existed before"),
    KEY_USED("this key belongs to another principal"),
    BAD_SIGNATURE("an administrative command or a node's report must be signed by its issuer"),
    SUSPENDED("this client is suspended until an operator lifts it: nodes found poisonous versions of it"),
    CHANGE_PENDING("the holders of this placement group are being changed already"),
    TOO_MANY_UNCONFIRMED("too many slots of the placement group would lack data"),
    NODE_IN_USE("the node holds slots of placement groups; move them first"),
    REPLICAS_CHANGING("the replicas are being changed already"),
    OTHER_REPLICAS("the replicas have changed; read their configuration again"),
    NO_SUCH_UPLOAD("no such upload; it may have been completed or aborted"),
    NO_SUCH_PART("the upload does not have this part, or it was replaced"),
    OBJECT_LOCKED("the version is locked"),
    BAD_BUCKET_STATE("the settings of the bucket do not allow this"),
    IS_DELETE_MARKER("this version is a delete marker"),
    NOT_INLINE("the bytes cannot stand in the metadata; store extents instead"),
    LOCKED("a client holds the lock on this subtree, or it was contended just now; ask again"),
    NOT_LOCKABLE("this cannot be locked, or a log cannot hold this request"),
    LOG_EXHAUSTED("the log has used up what it may draw; close it and go on"),
    HOLDER_SESSION("the session has a log, which takes its commands"),
    NO_SUCH_LOG("the results of this log are not kept, or it is not closed yet");

    private static final MetadataError[] ERRORS = values();
    private final String message;

    MetadataError(String message) {
        this.message = message;
    }

    /** One sentence for people, without particulars. */
    public String message() {
        return message;
    }

    static MetadataError of(int code) {
        if (code >= ERRORS.length) {
            throw new MalformedException("unknown error " + code);
        }
        return ERRORS[code];
    }
}
