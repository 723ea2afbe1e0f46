package io.bulwark.protocol.bucket;

import io.bulwark.protocol.metadata.Reply;

/** Reason why a read of an object cannot continue. A read never returns wrong bytes. */
public sealed interface GetFailure {
    /** An extent could not be fetched. */
    record Extent(ExtentFailure failure) implements GetFailure {}

    /** An extent that must be a pin list is none: the object's writer lied. */
    record NoPinList(String message) implements GetFailure {}

    /** This version was deleted meanwhile, and its extents are freed. */
    record Changed(ExtentFailure failure) implements GetFailure {}

    /** This version was deleted meanwhile, before all of its slices were known. */
    record Gone() implements GetFailure {}

    /** Nodes say that an extent was freed which the metadata still names. */
    record NotFreed(ExtentFailure failure) implements GetFailure {}

    /** The metadata does not answer the question that this took. */
    record Refused(Reply reply) implements GetFailure {}
}
