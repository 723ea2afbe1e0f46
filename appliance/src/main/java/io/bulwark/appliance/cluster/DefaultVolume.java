package io.bulwark.appliance.cluster;

import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.error.AlreadyExistsException;
import io.bulwark.protocol.cluster.ProtectionPolicy;

/** The volume that buckets are made in unless told otherwise. */
public final class DefaultVolume {
    private DefaultVolume() {}

    /** Makes it, with the standard policy, if it is not there. */
    public static void ensure(Bulwark client) {
        boolean there =
                client.volumes().stream().anyMatch(volume -> volume.name().equals(BucketSpec.DEFAULT_VOLUME));
        if (!there) {
            try {
                client.createVolume(VolumeSpec.objects(BucketSpec.DEFAULT_VOLUME, ProtectionPolicy.standard()));
            } catch (AlreadyExistsException e) {
                // Somebody else was quicker.
            }
        }
    }
}
