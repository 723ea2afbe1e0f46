package io.bulwark.client.metadata;

/** A call to the metadata service that brought no agreed reply. */
public abstract sealed class MetadataException extends RuntimeException
        permits MetadataRejectedException, MetadataUnavailableException {
    private static final long serialVersionUID = 1L;

    MetadataException(String message) {
        super(message);
    }
}
