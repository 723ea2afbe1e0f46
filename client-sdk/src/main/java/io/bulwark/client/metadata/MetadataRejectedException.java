package io.bulwark.client.metadata;

/** The metadata service fails on this very request, and would fail again. */
public final class MetadataRejectedException extends MetadataException {
    private static final long serialVersionUID = 1L;

    MetadataRejectedException() {
        super("the metadata service failed on this request: see the logs of the replicas");
    }
}
