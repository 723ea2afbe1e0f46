package io.bulwark.appliance.cluster;

import java.io.File;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Command that starts this same executable again. */
public final class JavaCommand {
    private static final Logger LOG = LoggerFactory.getLogger(JavaCommand.class);

    /** File for a cache of classes that the process makes when it ends, as the launcher hands it on. */
    private static final String CACHE_TO_MAKE = "-Dbulwark.cache=";

    private static final String CACHE = "-XX:AOTCache=";
    private static final String CACHE_OUTPUT = "-XX:AOTCacheOutput=";

    private JavaCommand() {}

    /** Returns the command for an appliance: with the flags of this JVM, and a bound on its heap if they have none. */
    public static List<String> appliance() {
        return appliance(ManagementFactory.getRuntimeMXBean().getInputArguments());
    }

    static List<String> appliance(List<String> flags) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        flags.stream()
                .map(flag ->
                        flag.startsWith(CACHE_TO_MAKE) ? CACHE_OUTPUT + flag.substring(CACHE_TO_MAKE.length()) : flag)
                .forEach(command::add);
        if (flags.stream().noneMatch(flag -> flag.startsWith("-Xmx") || flag.startsWith("-XX:Max"))) {
            // As the launcher has it.
            command.addAll(List.of(
                    "-XX:MaxRAM=8g",
                    "-XX:MaxRAMPercentage=25",
                    "-XX:G1HeapRegionSize=4m",
                    "-XX:G1PeriodicGCInterval=120000",
                    "-XX:MinHeapFreeRatio=10",
                    "-XX:MaxHeapFreeRatio=30",
                    "-XX:+ExitOnOutOfMemoryError"));
        }
        addStart(command, System.getProperty("java.class.path"));
        return command;
    }

    /** Returns the command for a member: the Java of this process with its class path, and the flags that {@code BULWARK_MEMBER_JAVA_OPTIONS} adds. */
    public static List<String> member(int heapMebibytes) {
        List<String> command = java(heapMebibytes, System.getenv().getOrDefault("BULWARK_MEMBER_JAVA_OPTIONS", ""));
        command.addAll(1, caches(ManagementFactory.getRuntimeMXBean().getInputArguments()));
        return command;
    }

    /** Returns the flags with which another process uses the cache of classes of this one, if there is one. */
    static List<String> caches(List<String> flags) {
        return flags.stream().anyMatch(flag -> flag.startsWith(CACHE))
                ? flags.stream()
                        .filter(flag ->
                                flag.startsWith(CACHE) || flag.startsWith("-Xlog:aot") || flag.startsWith("-Xlog:cds"))
                        .toList()
                : List.of();
    }

    /**
     * Marks the cache of classes that this process makes when it ends as one to keep: the process has served, and so has
     * loaded what a server needs. The launcher takes no other cache.
     */
    public static void keepCache() {
        keepCache(ManagementFactory.getRuntimeMXBean().getInputArguments());
    }

    static void keepCache(List<String> flags) {
        flags.stream()
                .filter(flag -> flag.startsWith(CACHE_OUTPUT))
                .reduce((_, last) -> last)
                .map(flag -> Path.of(flag.substring(CACHE_OUTPUT.length()) + ".served"))
                .ifPresent(mark -> {
                    try {
                        Files.write(mark, new byte[0]);
                    } catch (IOException e) {
                        LOG.debug("the next start makes the cache of classes", e);
                    }
                });
    }

    static List<String> java(int heapMebibytes, String more) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-Xmx" + heapMebibytes + "m");
        command.add("-XX:+UseSerialGC");
        command.add("-XX:+ExitOnOutOfMemoryError");
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("--sun-misc-unsafe-memory-access=allow");
        if (ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()) {
            command.add("--add-modules");
            command.add("jdk.incubator.vector");
        }
        Stream.of(more.trim().split("\\s+")).filter(option -> !option.isEmpty()).forEach(command::add);
        addStart(command, System.getProperty("java.class.path"));
        return command;
    }

    /** Returns a command with the flags of this JVM and another class path. */
    public static List<String> javaAsThis(String classPath) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(ManagementFactory.getRuntimeMXBean().getInputArguments());
        addStart(command, classPath);
        return command;
    }

    private static void addStart(List<String> command, String classPath) {
        if (classPath.endsWith(".jar") && !classPath.contains(File.pathSeparator)) {
            command.add("-jar");
            command.add(Path.of(classPath).toAbsolutePath().toString());
        } else {
            command.add("-cp");
            command.add(classPath);
            command.add("io.bulwark.appliance.Main");
        }
    }
}
