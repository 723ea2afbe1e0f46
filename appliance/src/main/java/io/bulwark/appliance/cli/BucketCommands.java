package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.DefaultVolume;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.error.NoSuchVolumeException;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code mb} and {@code rb}. */
final class BucketCommands {
    private BucketCommands() {}

    @Command(name = "mb", description = "Create a bucket.")
    static final class Make implements Callable<Integer> {
        @Mixin
        private final ClusterAccess access = new ClusterAccess();

        @Parameters(paramLabel = "BUCKET", description = "Name: 3 to 63 characters of a-z, 0-9, '.' and '-'.")
        private String bucket = "";

        @Option(
                names = "--volume",
                paramLabel = "NAME",
                defaultValue = BucketSpec.DEFAULT_VOLUME,
                description = "Object volume that stores its data (default: ${DEFAULT-VALUE}).")
        private String volume = BucketSpec.DEFAULT_VOLUME;

        @Option(names = "--versions", description = "Keep older versions of objects.")
        private boolean versions;

        @Option(
                names = "--quota",
                paramLabel = "BYTES",
                description = "Quota for the bytes of all versions (default: none).")
        private long quota;

        @ArgGroup(exclusive = false, heading = "Protection policy, if the volume does not exist yet:%n")
        private final PolicyOptions policy = new PolicyOptions();

        @Override
        public Integer call() {
            if (quota < 0) {
                throw new CommandFailure(CommandFailure.USAGE, "--quota is at least 0");
            }
            try (Bulwark client = access.connect()) {
                if (policy.given()) {
                    client.createVolume(policy.objectVolume(volume));
                }
                BucketSpec spec = BucketSpec.of(bucket).inVolume(volume).withQuota(quota);
                make(client, versions ? spec.keepingVersions() : spec);
            }
            access.global()
                    .print(
                            Map.of("bucket", bucket, "volume", volume, "versions", versions),
                            "Created bucket " + bucket + " in volume " + volume + ".");
            return 0;
        }

        /** The first bucket of an operator finds no volume yet, unless `up` has made it. */
        private static void make(Bulwark client, BucketSpec spec) {
            try {
                client.createBucket(spec);
            } catch (NoSuchVolumeException e) {
                if (!spec.volume().equals(BucketSpec.DEFAULT_VOLUME)) {
                    throw e;
                }
                DefaultVolume.ensure(client);
                client.createBucket(spec);
            }
        }
    }

    @Command(name = "rb", description = "Remove an empty bucket.")
    static final class Remove implements Callable<Integer> {
        @Mixin
        private final ClusterAccess access = new ClusterAccess();

        @Parameters(paramLabel = "BUCKET")
        private String bucket = "";

        @Override
        public Integer call() {
            try (Bulwark client = access.connect()) {
                client.deleteBucket(bucket);
            }
            access.global().print(Map.of("removed", bucket), "Removed bucket " + bucket + ".");
            return 0;
        }
    }
}
