package io.bulwark.appliance.cli;

import io.bulwark.client.Bulwark;
import io.bulwark.client.Volume;
import io.bulwark.client.VolumeInfo;
import io.bulwark.client.VolumeSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code volume create|ls|rm|read|write}. */
@Command(name = "volume", description = "Make, list and remove volumes; read and write blocks of register volumes.")
final class VolumeCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "volume needs one of create, ls, rm, read, write");
    }

    @Command(name = "create", description = "Make a volume over all nodes.")
    int create(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "VOLUME") String name,
            @Option(names = "--blocks", description = "Makes a register volume of so many blocks.") @Nullable
                    Long blocks,
            @ArgGroup(exclusive = false) PolicyOptions given) {
        if (blocks != null && blocks < 1) {
            throw new CommandFailure(CommandFailure.USAGE, "--blocks is at least 1");
        }
        PolicyOptions policy = given == null ? new PolicyOptions() : given;
        VolumeSpec wanted =
                blocks == null ? policy.objectVolume(name) : VolumeSpec.registers(name, policy.policy(), blocks);
        try (Bulwark client = access.connect()) {
            VolumeInfo made = client.createVolume(wanted);
            access.global().print(json(made), "Made volume " + text(made) + ".");
        }
        return 0;
    }

    @Command(name = "ls", description = "List the volumes.")
    int list(@Mixin ClusterAccess access) {
        try (Bulwark client = access.connect()) {
            List<VolumeInfo> volumes = client.volumes();
            if (access.global().json()) {
                GlobalOptions.printJson(
                        volumes.stream().map(VolumeCommand::json).toList());
            } else {
                volumes.forEach(volume -> System.out.println(text(volume)));
            }
        }
        return 0;
    }

    @Command(name = "rm", description = "Remove a volume that has no buckets and no objects.")
    int remove(@Mixin ClusterAccess access, @Parameters(paramLabel = "VOLUME") String name) {
        try (Bulwark client = access.connect()) {
            client.deleteVolume(name);
        }
        access.global().print(Map.of("removed", name), "Removed volume " + name + ".");
        return 0;
    }

    @Command(name = "read", description = "Write a block of a register volume to standard output.")
    int read(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "VOLUME") String name,
            @Parameters(paramLabel = "BLOCK") long block)
            throws IOException {
        try (Bulwark client = access.connect()) {
            System.out.write(client.volume(name).readBlock(block));
            System.out.flush();
        }
        return 0;
    }

    @Command(
            name = "write",
            description = "Fill a block of a register volume from standard input, the rest with zeros.")
    int write(
            @Mixin ClusterAccess access,
            @Parameters(paramLabel = "VOLUME") String name,
            @Parameters(paramLabel = "BLOCK") long block)
            throws IOException {
        try (Bulwark client = access.connect()) {
            Volume volume = client.volume(name);
            int size = volume.info().policy().blockBytes();
            byte[] content = System.in.readNBytes(size + 1);
            if (content.length > size) {
                throw new CommandFailure(CommandFailure.USAGE, "a block of " + name + " has only " + size + " bytes");
            }
            volume.writeBlock(block, Arrays.copyOf(content, size));
        }
        access.global().print(Map.of("volume", name, "block", block), "Wrote block " + block + " of " + name + ".");
        return 0;
    }

    private static Map<String, Object> json(VolumeInfo volume) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("name", volume.name());
        json.put("kind", volume.kind().name().toLowerCase(Locale.ROOT));
        json.put("faults", volume.policy().f());
        json.put("dataFragments", volume.policy().m());
        json.put("fragments", volume.policy().n());
        json.put("blockBytes", volume.policy().blockBytes());
        json.put("blocks", volume.blocks());
        json.put("groups", volume.groups());
        return json;
    }

    private static String text(VolumeInfo volume) {
        List<String> parts = new ArrayList<>();
        parts.add(volume.name());
        parts.add(volume.blocks() > 0 ? volume.blocks() + " register blocks" : "objects");
        parts.add("fp, f = " + volume.policy().f() + ", any " + volume.policy().m() + " of "
                + volume.policy().n());
        parts.add("blocks of " + Text.bytes(volume.policy().blockBytes()));
        return String.join(", ", parts);
    }
}
