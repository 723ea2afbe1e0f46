package io.bulwark.it;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Assumptions;

/**
 * A build of Bulwark of which processes can be started: the one under test, or an older one. The older one is that of {@code -Dbulwark.older.jar},
 * an executable jar, or is compiled from this repository's history, {@code -Dbulwark.older.commit}, against the libraries of today. Each can run
 * classes of these tests that keep to what both builds offer.
 */
@NullMarked
record Build(String name, String classPath) {
    /** The last one before replicas changed: version 3 of what travels, and one life of a replica with one log. */
    static final String OLDER_COMMIT =
            System.getProperty("bulwark.older.commit", "8d86f0fd61d6a334eae21f4518c67e5435e8bf82");

    private static final String OLDER_JAR = System.getProperty("bulwark.older.jar", "");
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Path OLDER = Path.of("target", "older").toAbsolutePath();
    private static final List<String> MODULES = List.of(
            "protocol",
            "transport",
            "client-sdk",
            "simulation",
            "storage-node",
            "metadata-service",
            "admin-console",
            "appliance");

    static Build current() {
        return new Build("this build", System.getProperty("java.class.path"));
    }

    /** Leaves the test out where there is neither a jar nor the history that the older build could be made from. */
    static Build older() throws IOException, InterruptedException {
        if (!OLDER_JAR.isEmpty()) {
            return ofJar(Path.of(OLDER_JAR).toAbsolutePath());
        }
        if (run(List.of("git", "-C", ROOT.toString(), "cat-file", "-e", OLDER_COMMIT + "^{commit}")) != 0) {
            String missing = "there is no commit " + OLDER_COMMIT
                    + " here to make the older build from; give its jar with" + " -Dbulwark.older.jar=FILE";
            System.out.println("LEFT OUT: a cluster of two builds, since " + missing);
            Assumptions.abort(missing);
        }
        return new Build("commit " + OLDER_COMMIT, joined(compiled(), libraries(), tests()));
    }

    /** Its Java, as far as the name of a class to start. */
    List<String> java(int heapMebibytes) throws IOException {
        return Orphans.marked(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx" + heapMebibytes + "m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-XX:+ExitOnOutOfMemoryError",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                classPath));
    }

    /** The same, as far as the arguments of the command line. */
    List<String> bulwark(int heapMebibytes) throws IOException {
        return Stream.concat(java(heapMebibytes).stream(), Stream.of("io.bulwark.appliance.Main"))
                .toList();
    }

    private static Build ofJar(Path jar) throws IOException, InterruptedException {
        Path unpacked = OLDER.resolve("jar");
        if (Files.exists(unpacked)) {
            LiveCluster.deleteTree(unpacked);
        }
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        must(List.of(java, "-Djarmode=tools", "-jar", jar.toString(), "extract", "--destination", unpacked.toString()));
        return new Build(
                jar.toString(),
                joined(unpacked.resolve(jar.getFileName()).toString(), unpacked.resolve("lib") + "/*", tests()));
    }

    /** The classes and resources of the older build, made if they are not there yet. */
    private static String compiled() throws IOException, InterruptedException {
        Path directory = OLDER.resolve(OLDER_COMMIT);
        Path classes = directory.resolve("classes");
        Path done = directory.resolve("complete");
        if (!Files.exists(done)) {
            if (Files.exists(directory)) {
                LiveCluster.deleteTree(directory);
            }
            Files.createDirectories(classes);
            Path archive = directory.resolve("sources.zip");
            List<String> archiving = new ArrayList<>(
                    List.of("git", "-C", ROOT.toString(), "archive", "--format=zip", "-o", archive.toString()));
            archiving.add(OLDER_COMMIT);
            archiving.addAll(MODULES);
            must(archiving);
            List<String> sources = new ArrayList<>(List.of("-nowarn", "-proc:none", "-g", "-encoding", "UTF-8"));
            sources.addAll(List.of("--add-modules", "jdk.incubator.vector"));
            sources.addAll(List.of("-cp", libraries(), "-d", classes.toString()));
            sources.addAll(extract(archive, directory.resolve("sources"), classes));
            Path arguments = directory.resolve("arguments");
            Files.write(arguments, sources);
            must(List.of(
                    Path.of(System.getProperty("java.home"), "bin", "javac").toString(),
                    "-J-XX:+UseSerialGC",
                    "-J-XX:TieredStopAtLevel=1",
                    "@" + arguments));
            Files.createFile(done);
        }
        return classes.toString();
    }

    /** Unpacks the sources, which are returned, and puts the resources beside the classes. */
    private static List<String> extract(Path archive, Path sources, Path classes) throws IOException {
        List<String> found = new ArrayList<>();
        try (ZipFile zip = new ZipFile(archive.toFile())) {
            for (Enumeration<? extends ZipEntry> all = zip.entries(); all.hasMoreElements(); ) {
                ZipEntry entry = all.nextElement();
                String[] parts = entry.getName().split("/src/main/(java|resources)/", 2);
                if (entry.isDirectory() || parts.length < 2) {
                    continue;
                }
                boolean isSource = parts[1].endsWith(".java");
                Path target = (isSource ? sources : classes).resolve(parts[1]);
                Files.createDirectories(target.getParent());
                try (InputStream in = zip.getInputStream(entry)) {
                    Files.copy(in, target);
                }
                if (isSource) {
                    found.add(target.toString());
                }
            }
        }
        return found;
    }

    /** What is on the class path of these tests and is no part of Bulwark. */
    private static String libraries() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !isBulwark(Path.of(entry).toAbsolutePath()))
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Built here, or found among the libraries. */
    private static boolean isBulwark(Path entry) {
        boolean isBuilt = entry.startsWith(ROOT)
                && entry.getNameCount() > ROOT.getNameCount() + 1
                && entry.getName(ROOT.getNameCount() + 1).toString().equals("target");
        return isBuilt || entry.toString().contains("/io/bulwark/");
    }

    private static String tests() {
        try {
            return Path.of(Build.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String joined(String... parts) {
        return String.join(File.pathSeparator, parts);
    }

    private static void must(List<String> command) throws IOException, InterruptedException {
        int code = run(command);
        if (code != 0) {
            throw new IOException(command + " ended with " + code + "; the older build cannot be made");
        }
    }

    private static int run(List<String> command) throws IOException, InterruptedException {
        try {
            return new ProcessBuilder(command).inheritIO().start().waitFor();
        } catch (IOException e) {
            if (command.getFirst().equals("git")) {
                return -1; // There is none here.
            }
            throw e;
        }
    }
}
