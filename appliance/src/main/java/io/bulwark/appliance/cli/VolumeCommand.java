package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.BlockFile;
import io.bulwark.client.Bulwark;
import io.bulwark.client.ClusterStatus;
import io.bulwark.client.PolicyChange;
import io.bulwark.client.RefillResult;
import io.bulwark.client.Volume;
import io.bulwark.client.VolumeInfo;
import io.bulwark.client.VolumeSpec;
import io.bulwark.client.error.NoSuchVolumeException;
import io.bulwark.client.error.Subject;
import io.bulwark.protocol.cluster.VolumeKind;
import io.bulwark.transport.file.OutputFile;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code volume create|list|remove|set|refill|stat|read|write}. */
@Command(
        name = "volume",
        description = "Create, list, inspect, change and remove volumes; read and write blocks of register volumes.")
final class VolumeCommand implements Runnable {
    private static final long CHANGE_NANOS_MAX = 60_000_000_000L;
    private static final long CHANGE_PAUSE_MILLIS = 200;

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(), "volume needs one of create, list, remove, set, refill, stat, read, write");
    }

    @Command(name = "create", description = "Create a volume over all nodes.")
    int create(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "VOLUME") String name,
            @Option(
                            names = "--blocks",
                            paramLabel = "N",
                            description = "Create a register volume with this number " + "of blocks.")
                    @Nullable
                    Long blocks,
            @Option(
                            names = "--groups",
                            paramLabel = "N",
                            description = "Number of placement groups (default: one per node).")
                    int groups,
            @Option(
                            names = "--quota",
                            paramLabel = "BYTES",
                            description = "Quota for the bytes of all objects (default: none).")
                    long quota,
            @ArgGroup(exclusive = false) PolicyOptions given) {
        if (blocks != null && blocks < 1) {
            throw new CommandFailure(CommandFailure.USAGE, "--blocks is at least 1");
        }
        if (groups < 0 || quota < 0) {
            throw new CommandFailure(CommandFailure.USAGE, "--groups and --quota are at least 0");
        }
        PolicyOptions policy = given == null ? new PolicyOptions() : given;
        VolumeSpec registers = blocks == null ? null : VolumeSpec.registers(name, policy.policy(), blocks);
        if (registers == null) {
            policy.checkForObjects();
        }
        try (Bulwark client = access.connect()) {
            VolumeSpec wanted = registers == null ? policy.objectVolume(name, client) : registers;
            VolumeInfo made = client.createVolume(wanted.withGroups(groups).withQuota(quota));
            access.global()
                    .print(
                            VolumeText.json(made),
                            "Created volume " + VolumeText.of(made) + "." + policy.chosenText(made.policy()));
        }
        return 0;
    }

    @Command(name = "list", description = "List the volumes.")
    int list(@Mixin ClusterAccess access) {
        try (Bulwark client = access.connect()) {
            List<VolumeInfo> volumes = client.volumes();
            if (access.global().json()) {
                GlobalOptions.printJson(volumes.stream().map(VolumeText::json).toList());
            } else {
                volumes.forEach(volume -> System.out.println(VolumeText.of(volume)));
            }
        }
        return 0;
    }

    @Command(name = "remove", description = "Remove a volume that has no buckets and no objects.")
    int remove(@Mixin ClusterAccess access, @Parameters(paramLabel = "VOLUME") String name) {
        try (Bulwark client = access.connect()) {
            client.deleteVolume(name);
        }
        access.global().print(new RemovedView(name), "Removed volume " + name + ".");
        return 0;
    }

    @Command(
            name = "set",
            description = {
                "Change the protection policy of a volume, while it is in use.",
                "What is put or written from now on gets another f, m or n. Of an object volume `volume refill` moves",
                "the rest; blocks of a register volume come under the policy as they are written.",
                "Under masking quorums or pasis the faults change for all blocks where n suffices. To lower them, the",
                "holders go through all blocks. The present number gives an announced change up. With bounds, such as",
                "1..3, the number follows the threat level (`bulwark threat`)."
            })
    int set(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "VOLUME") String name,
            @Option(
                            names = "--faults",
                            paramLabel = "F",
                            description =
                                    "Byzantine nodes to tolerate in each placement group, or bounds such as" + " 1..3.")
                    @Nullable
                    String wanted,
            @Option(
                            names = "--data-fragments",
                            paramLabel = "M",
                            description = "Fragments that reconstruct a block (default: as before, or as F asks).")
                    @Nullable
                    Integer dataFragments,
            @Option(
                            names = "--fragments",
                            paramLabel = "N",
                            description = "Nodes in a placement group (default: as before, or as F asks).")
                    @Nullable
                    Integer fragments,
            @ArgGroup(exclusive = false) @Nullable TargetOptions target)
            throws InterruptedException {
        FaultRange range = wanted == null ? null : FaultRange.parse(wanted);
        if (range == null && dataFragments == null && fragments == null && target == null) {
            throw new CommandFailure(
                    CommandFailure.USAGE,
                    "give --faults, --data-fragments or --fragments, or for objects --availability");
        }
        try (Bulwark client = access.connect()) {
            VolumeInfo before = find(client, name);
            boolean moving = range != null && range.isMoving();
            PolicyChange change = new PolicyChange(
                    range == null ? null : range.least(),
                    dataFragments,
                    fragments,
                    target == null ? null : target.target());
            if (moving && (dataFragments != null || fragments != null || target != null)) {
                throw new CommandFailure(CommandFailure.USAGE, "bounds of --faults go without other options");
            }
            boolean alone = before.kind() == VolumeKind.REGISTER && change.isOfFaultsAlone(before.policy());
            if (range != null && (moving || alone)) {
                setFaults(access, client, name, range);
            } else {
                VolumeInfo made = client.changePolicy(name, change);
                String older = made.kind() == VolumeKind.OBJECT
                        ? "What was put before keeps its policy until it is rewritten: `bulwark volume refill " + name
                                + "`."
                        : "A block that was written before keeps its policy until it is written again.";
                access.global()
                        .print(VolumeText.json(made), "Volume " + VolumeText.of(made) + " from now on. " + older);
            }
        }
        return 0;
    }

    private static void setFaults(ClusterAccess access, Bulwark client, String name, FaultRange range)
            throws InterruptedException {
        int faults = range.least();
        client.changeFaults(name, range.least(), range.most());
        if (range.isMoving()) {
            access.global()
                    .print(
                            new BoundsView(name, range.least(), range.most()),
                            "Volume " + name + " tolerates " + range.least() + " to " + range.most()
                                    + " faulty nodes in each group, as the threat level asks; see `bulwark threat"
                                    + " show`.");
            return;
        }
        long startNanos = System.nanoTime();
        while (faults(client, name) != faults) {
            if (System.nanoTime() - startNanos > CHANGE_NANOS_MAX) {
                throw new CommandFailure(
                        CommandFailure.UNAVAILABLE,
                        "the change is announced and not in force yet: n - f holders of each group must seal,"
                                + " and go through all blocks where it is lowered; see `bulwark status`, or give it"
                                + " up with --faults " + faults(client, name));
            }
            Thread.sleep(CHANGE_PAUSE_MILLIS);
        }
        access.global()
                .print(
                        new FaultsView(name, faults),
                        "Volume " + name + " tolerates " + faults + " faulty nodes in each group from now on.");
    }

    @Command(
            name = "refill",
            description = {
                "Rewrite what stands under older policies of an object volume, while it is in use.",
                "Objects keep their versions, times and locks. It may be ended, and goes on when it is started again.",
                "For a minute each object takes its space twice. Exit code 1 if something could not be rewritten."
            })
    int refill(@Mixin ClusterAccess access, @Parameters(paramLabel = "VOLUME") String name) {
        RefillResult result;
        try (Bulwark client = access.connect()) {
            try (Progress progress = Progress.of("refill", -1, access.global().json())) {
                result = client.refill(name, progress::to);
            }
        }
        String left = result.extentsLeft() == 0
                ? "Nothing is left under older policies."
                : Text.count(result.extentsLeft(), "extent")
                        + " under older policies: those that were replaced are freed in a minute, uploads end with"
                        + " their session.";
        access.global()
                .print(
                        result,
                        String.join(
                                System.lineSeparator(),
                                Stream.concat(
                                                result.failures().stream().map(why -> "Not rewritten: " + why),
                                                Stream.of("Rewrote " + Text.count(result.refilled(), "object") + ". "
                                                        + left))
                                        .toList()));
        return result.failures().isEmpty() ? 0 : CommandFailure.FAILED;
    }

    @Command(
            name = "settle",
            description = {
                "Write a block of a register volume over where it stands under older policies.",
                "A revocation or a change of holders may wait there until the block is written, as `principal revoke`",
                "or a node's log says. Write the block first, then settle it."
            })
    int settle(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "VOLUME") String name,
            @Parameters(paramLabel = "BLOCK") long block) {
        try (Bulwark client = access.connect()) {
            client.volume(name).settleBlock(block);
        }
        access.global().print(new SettledView(name, block), "Settled block " + block + " of " + name + ".");
        return 0;
    }

    private record SettledView(String volume, long settled) {}

    private static VolumeInfo find(Bulwark client, String volume) {
        return client.volumes().stream()
                .filter(each -> each.name().equals(volume))
                .findFirst()
                .orElseThrow(() -> new NoSuchVolumeException("no volume has this name", Subject.volume(volume)));
    }

    private static ClusterStatus.VolumeStatus find(ClusterStatus status, String volume) {
        return status.volumes().stream()
                .filter(each -> each.volume().name().equals(volume))
                .findFirst()
                .orElseThrow(() -> new NoSuchVolumeException("no volume has this name", Subject.volume(volume)));
    }

    private static int faults(Bulwark client, String volume) {
        return find(client, volume).policy().f();
    }

    @Command(
            name = "stat",
            description = {
                "Show the policy of a volume and the faults that it can tolerate now.",
                "Under pasis also the unverified versions of each node, and its verifications since it started.",
                "Exit code 1 if it can tolerate no further fault."
            })
    int stat(@Mixin ClusterAccess access, @Parameters(paramLabel = "VOLUME") String name) {
        ClusterStatus status;
        try (Bulwark client = access.connect()) {
            status = client.status();
        }
        ClusterStatus.VolumeStatus volume = find(status, name);
        access.global().print(VolumeText.json(volume, status), VolumeText.of(volume, status));
        return volume.moreFaults() > 0 ? 0 : CommandFailure.FAILED;
    }

    @Command(
            name = "read",
            description = "Read blocks of a register volume to standard output (one block) or to a file.")
    int read(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "VOLUME") String name,
            @Parameters(paramLabel = "BLOCK") long block,
            @Parameters(paramLabel = "FILE", arity = "0..1") @Nullable Path file,
            @Option(
                            names = "--bytes",
                            paramLabel = "N",
                            description = "Number of bytes to write to FILE (default: one block).")
                    @Nullable
                    Long bytes)
            throws IOException {
        if (bytes != null && (file == null || bytes < 0)) {
            throw new CommandFailure(CommandFailure.USAGE, "--bytes is 0 or more, and goes with a file");
        }
        try (Bulwark client = access.connect()) {
            Volume volume = client.volume(name);
            if (file == null) {
                byte[] content = volume.readBlock(block);
                try (OutputStream out = OutputFile.standardOutput()) {
                    out.write(content);
                }
                return 0;
            }
            long wanted = bytes == null ? volume.info().policy().blockBytes() : bytes;
            BlockFile blocks = new BlockFile(volume);
            checkFits(volume, block, blocks.blocks(wanted));
            blocks.read(block, wanted, file);
            access.global()
                    .print(
                            new BlocksView(name, block, wanted),
                            "Read " + wanted + " bytes from block " + block + " of " + name + " on.");
        }
        return 0;
    }

    @Command(
            name = "write",
            description = {
                "Write a block of a register volume from standard input, or as many blocks as needed from a file.",
                "The last block is padded with zeros."
            })
    int write(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "VOLUME") String name,
            @Parameters(paramLabel = "BLOCK") long block,
            @Parameters(paramLabel = "FILE", arity = "0..1") @Nullable Path file)
            throws IOException {
        long bytes;
        try (Bulwark client = access.connect()) {
            Volume volume = client.volume(name);
            if (file == null) {
                int size = volume.info().policy().blockBytes();
                byte[] content = System.in.readNBytes(size + 1);
                if (content.length > size) {
                    throw new CommandFailure(
                            CommandFailure.USAGE, "a block of " + name + " has only " + size + " bytes");
                }
                volume.writeBlock(block, Arrays.copyOf(content, size));
                bytes = content.length;
            } else {
                BlockFile blocks = new BlockFile(volume);
                checkFits(volume, block, blocks.blocks(Files.size(file)));
                bytes = blocks.write(file, block);
            }
        }
        access.global()
                .print(
                        new BlocksView(name, block, bytes),
                        "Wrote " + bytes + " bytes from block " + block + " of " + name + " on.");
        return 0;
    }

    private static void checkFits(Volume volume, long first, long count) {
        long blocks = volume.info().blocks();
        if (first < 0 || first > blocks || count > blocks - first) {
            throw new CommandFailure(
                    CommandFailure.USAGE,
                    count + " blocks from " + first + " on are not in a volume of " + blocks + " blocks");
        }
    }

    private record RemovedView(String removed) {}

    private record FaultsView(String volume, int faults) {}

    private record BoundsView(String volume, int least, int most) {}

    /** Number of faults, or bounds of it. */
    private record FaultRange(int least, int most) {
        private static final Pattern FORM = Pattern.compile("([0-9]{1,4})(?:\\.\\.([0-9]{1,4}))?");

        static FaultRange parse(String text) {
            Matcher matcher = FORM.matcher(text);
            if (!matcher.matches()) {
                throw new CommandFailure(
                        CommandFailure.USAGE, "--faults is a number such as 2, or bounds such as 1..3, not " + text);
            }
            int least = Integer.parseInt(matcher.group(1));
            return new FaultRange(least, matcher.group(2) == null ? least : Integer.parseInt(matcher.group(2)));
        }

        boolean isMoving() {
            return least != most;
        }
    }

    private record BlocksView(String volume, long block, long bytes) {}
}
