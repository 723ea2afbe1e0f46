package io.bulwark.appliance.support;

import io.bulwark.appliance.boot.ProcessLimits;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;

/** Describes the machine and the environment of this process in text. */
public final class Surroundings {
    /** Variables whose values say nothing secret. Of others that Bulwark reads, an archive has the names. */
    private static final Set<String> SHOWN = Set.of(
            "BULWARK_DATA",
            "BULWARK_JAVA_HOME",
            "BULWARK_JAVA_OPTIONS",
            "BULWARK_MEMBER_JAVA_OPTIONS",
            "BULWARK_NO_BUILD",
            "BULWARK_PROFILE",
            "JAVA_HOME",
            "LANG",
            "LC_ALL",
            "LC_CTYPE",
            "TZ",
            "XDG_CONFIG_HOME");

    private static final List<Path> LIMITS = List.of(
            Path.of("/proc/self/limits"),
            Path.of("/proc/self/cgroup"),
            Path.of("/sys/fs/cgroup/memory.max"),
            Path.of("/sys/fs/cgroup/cpu.max"),
            Path.of("/sys/fs/cgroup/memory/memory.limit_in_bytes"),
            Path.of("/proc/meminfo"),
            Path.of("/proc/loadavg"));

    private Surroundings() {}

    /** Returns the versions of Java and the system, and the flags of this JVM. */
    public static String versions(List<String> bulwark) {
        Runtime runtime = Runtime.getRuntime();
        return String.join("\n", bulwark)
                + "\nprocessors: " + runtime.availableProcessors()
                + "\nmaximum heap: " + runtime.maxMemory()
                + "\nsystem: " + System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                + System.getProperty("os.arch")
                + "\nencoding of file names: " + System.getProperty("sun.jnu.encoding")
                + "\nflags: "
                + String.join(" ", ManagementFactory.getRuntimeMXBean().getInputArguments()) + "\n";
    }

    /** Returns what the environment says of Bulwark. */
    public static String environment(Map<String, String> environment) {
        StringBuilder text = new StringBuilder();
        new TreeMap<>(environment).forEach((name, value) -> {
            if (SHOWN.contains(name)) {
                text.append(name).append('=').append(value).append('\n');
            } else if (name.startsWith("BULWARK_")) {
                text.append(name).append(" is set\n");
            }
        });
        return text.toString();
    }

    /** Returns the limits of this process and of the machine, and the space of the directory's file system. */
    public static String limits(Path data) throws IOException {
        StringBuilder text = new StringBuilder();
        text.append("open files allowed: ")
                .append(told(ProcessLimits.filesMax()))
                .append('\n');
        for (Path file : LIMITS) {
            if (Files.isReadable(file)) {
                text.append("\n== ").append(file).append('\n').append(Files.readString(file));
            }
        }
        if (Files.exists(data)) {
            FileStore store = Files.getFileStore(data);
            text.append("\n== ").append(data).append('\n');
            text.append(store.name()).append(", ").append(store.type()).append(", ");
            text.append(store.getUsableSpace())
                    .append(" of ")
                    .append(store.getTotalSpace())
                    .append(" bytes free\n");
        }
        return text.toString();
    }

    private static String told(OptionalLong value) {
        return value.isPresent() ? Long.toString(value.getAsLong()) : "unlimited or unknown";
    }
}
