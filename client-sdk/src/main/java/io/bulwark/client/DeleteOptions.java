package io.bulwark.client;

import io.bulwark.protocol.metadata.Command.DeleteMode;

/**
 * Options of a deletion. Immutable; begin with {@link #DEFAULT}.
 *
 * @param version if not 0, removes just this version, for good; {@link Bucket#NULL_VERSION} for the null version
 * @param precondition condition on the latest version, or on the one named
 * @param mode treatment of locks and of missing objects
 */
public record DeleteOptions(long version, Precondition precondition, DeleteMode mode) {
    public static final DeleteOptions DEFAULT = new DeleteOptions(0, Precondition.NONE, DeleteMode.STRICT);

    public DeleteOptions withVersion(long number) {
        return new DeleteOptions(number, precondition, mode);
    }

    public DeleteOptions withPrecondition(Precondition condition) {
        return new DeleteOptions(version, condition, mode);
    }

    /** Passes over retention under governance; needs the right to administer the bucket. */
    public DeleteOptions bypassingGovernance() {
        return new DeleteOptions(version, precondition, DeleteMode.BYPASS_GOVERNANCE);
    }

    /** Succeeds without an object, as S3 does, and makes a delete marker where the bucket keeps versions. */
    public DeleteOptions evenIfAbsent() {
        return new DeleteOptions(version, precondition, DeleteMode.EVEN_IF_ABSENT);
    }
}
