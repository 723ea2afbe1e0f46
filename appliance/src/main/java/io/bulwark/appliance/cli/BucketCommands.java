package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.DefaultVolume;
import io.bulwark.client.BucketSpec;
import io.bulwark.client.Bulwark;
import io.bulwark.client.VolumeInfo;
import io.bulwark.client.error.AlreadyExistsException;
import io.bulwark.client.error.BulwarkException;
import io.bulwark.client.error.NoSuchVolumeException;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
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
                description = "Object volume that stores its data (default: " + BucketSpec.DEFAULT_VOLUME
                        + "; with a protection policy, a new volume named after the bucket).")
        private @Nullable String volume;

        @Option(names = "--versions", description = "Keep older versions of objects.")
        private boolean versions;

        @Option(names = "--object-lock", description = "Let versions be locked, permanently; keeps versions.")
        private boolean objectLock;

        @Option(
                names = "--quota",
                paramLabel = "BYTES",
                description = "Quota for the bytes of all versions (default: none).")
        private long quota;

        @ArgGroup(exclusive = false, heading = "Protection policy of a new volume for it:%n")
        private final PolicyOptions policy = new PolicyOptions();

        @Override
        public Integer call() {
            if (quota < 0) {
                throw new CommandFailure(CommandFailure.USAGE, "--quota is at least 0");
            }
            String target = volume != null ? volume : policy.given() ? bucket : BucketSpec.DEFAULT_VOLUME;
            BucketSpec plain = BucketSpec.of(bucket).inVolume(target).withQuota(quota);
            BucketSpec kept = versions ? plain.keepingVersions() : plain;
            BucketSpec spec = objectLock ? kept.withObjectLock() : kept;
            String where = " in volume " + target + ".";
            try (Bulwark client = access.connect()) {
                if (policy.given()) {
                    VolumeInfo made = makeWithVolume(client, spec);
                    where = " in the new volume " + VolumeText.of(made) + "." + policy.chosenText(made.policy());
                } else {
                    make(client, spec);
                }
            }
            access.global()
                    .print(new MadeView(bucket, target, spec.keepVersions()), "Created bucket " + bucket + where);
            return 0;
        }

        /** Makes the volume first; without its bucket it is not kept. */
        private VolumeInfo makeWithVolume(Bulwark client, BucketSpec spec) {
            VolumeInfo made;
            try {
                made = client.createVolume(policy.objectVolume(spec.volume(), client));
            } catch (AlreadyExistsException e) {
                throw new CommandFailure(
                        CommandFailure.FAILED,
                        "a volume " + spec.volume() + " exists, and its policy does not change; omit the options of the"
                                + " policy and use it with --volume " + spec.volume()
                                + ", or name a new one with --volume");
            }
            try {
                client.createBucket(spec);
                return made;
            } catch (BulwarkException e) {
                try {
                    client.deleteVolume(spec.volume());
                } catch (BulwarkException again) {
                    e.addSuppressed(again);
                }
                throw e;
            }
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
            access.global().print(new RemovedView(bucket), "Removed bucket " + bucket + ".");
            return 0;
        }
    }

    private record MadeView(String bucket, String volume, boolean versions) {}

    private record RemovedView(String removed) {}
}
