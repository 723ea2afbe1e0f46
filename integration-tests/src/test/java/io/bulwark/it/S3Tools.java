package io.bulwark.it;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.NullMarked;

/**
 * Programs of others that speak S3, with the access key that a command has printed. They have a home of their own, and see no settings
 * of the person who runs the tests.
 */
@NullMarked
final class S3Tools {
    /** Where {@code .ci/run} puts what is a package of Python; all else is on the path. */
    private static final Path INSTALLED =
            Path.of("../target/s3-tools/bin").toAbsolutePath().normalize();

    private static final List<String> FOREIGN = List.of("AWS_", "RESTIC_", "RCLONE_", "S3CMD_", "BOTO_", "XDG_");
    private static final String CONFIG_MARK = "# ~/.aws/config";
    private static final long MINUTES_MAX = 5;

    private final Path home;
    private final String id;
    private final String secret;
    private final String endpoint;

    private S3Tools(Path home, String profile) {
        this.home = home;
        this.id = setting(profile, "aws_access_key_id");
        this.secret = setting(profile, "aws_secret_access_key");
        this.endpoint = setting(profile, "endpoint_url");
    }

    /**
     * Stores the printed profile where aws and boto3 look for it.
     *
     * @param printed what {@code bulwark access-key create} prints for people
     */
    static S3Tools of(Path home, String printed) throws IOException {
        int config = printed.indexOf(CONFIG_MARK);
        assertThat(config).as(printed).isPositive();
        Path aws = Files.createDirectories(home.resolve(".aws"));
        String credentials = printed.substring(printed.indexOf('#'), config);
        Files.writeString(aws.resolve("credentials"), credentials);
        Files.writeString(aws.resolve("config"), printed.substring(config));
        return new S3Tools(home, printed);
    }

    private static String setting(String profile, String name) {
        Matcher matcher = Pattern.compile("(?m)^" + name + " = (\\S+)$").matcher(profile);
        assertThat(matcher.find()).as("%s in %s", name, profile).isTrue();
        return Objects.requireNonNull(matcher.group(1));
    }

    String id() {
        return id;
    }

    String secret() {
        return secret;
    }

    String endpoint() {
        return endpoint;
    }

    /** Returns the address without its scheme. */
    String address() {
        return endpoint.substring(endpoint.indexOf("//") + 2);
    }

    Path home() {
        return home;
    }

    /** Leaves the test out where the machine lacks the program. */
    static void assume(String program) {
        assumeOrSay(Files.isExecutable(INSTALLED.resolve(program)) || isOnPath(program), program);
    }

    /** Leaves the test out where there is no Python with boto3. */
    static void assumeBoto3() {
        assumeOrSay(Files.isExecutable(INSTALLED.resolve("python3")), "boto3");
    }

    /** Leaves the test out where the Java of the path is newer than 23, which lacks what Hadoop uses. */
    static void assumeJavaForHadoop() throws IOException {
        Process process =
                new ProcessBuilder("java", "-version").redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        Matcher version = Pattern.compile("version \"([0-9]+)").matcher(output);
        assumeOrSay(version.find() && Integer.parseInt(version.group(1)) < 24, "Hadoop, on a Java before 24");
    }

    private static void assumeOrSay(boolean possible, String program) {
        if (!possible) {
            System.out.println("LEFT OUT: a real job for " + program + ", which this machine does not have");
        }
        assumeTrue(possible, program);
    }

    private static boolean isOnPath(String program) {
        for (String directory :
                Objects.requireNonNullElse(System.getenv("PATH"), "").split(":", -1)) {
            if (!directory.isEmpty() && Files.isExecutable(Path.of(directory, program))) {
                return true;
            }
        }
        return false;
    }

    /** Runs a program, which must succeed, and returns its output. */
    String run(String... command) throws Exception {
        return start(Map.of(), command).await();
    }

    /** Runs a program with the access key in its environment, as restic wants it. */
    Running startWithKey(Map<String, String> environment, String... command) throws IOException {
        Map<String, String> all = new HashMap<>(environment);
        all.put("AWS_ACCESS_KEY_ID", id);
        all.put("AWS_SECRET_ACCESS_KEY", secret);
        return start(all, command);
    }

    private Running start(Map<String, String> environment, String... command) throws IOException {
        List<String> words = new ArrayList<>(List.of(command));
        Path installed = INSTALLED.resolve(words.getFirst());
        if (Files.isExecutable(installed)) {
            words.set(0, installed.toString());
        }
        ProcessBuilder builder =
                new ProcessBuilder(words).directory(home.toFile()).redirectErrorStream(true);
        Map<String, String> variables = builder.environment();
        variables.keySet().removeIf(name -> FOREIGN.stream().anyMatch(name::startsWith));
        variables.put("HOME", home.toString());
        variables.put("LC_ALL", "C.UTF-8");
        variables.put("AWS_EC2_METADATA_DISABLED", "true");
        variables.putAll(environment);
        Path log = Files.createTempFile(home, "output", ".log");
        return new Running(
                String.join(" ", command), builder.redirectOutput(log.toFile()).start(), log);
    }

    /** A program that runs. */
    record Running(String command, Process process, Path log) {
        /** Waits until it has succeeded, and returns its output. */
        String await() throws Exception {
            boolean ended = process.waitFor(MINUTES_MAX, TimeUnit.MINUTES);
            process.destroyForcibly();
            String output = Files.readString(log, StandardCharsets.UTF_8);
            assertThat(ended).as("%s ends:\n%s", command, output).isTrue();
            assertThat(process.exitValue()).as("%s:\n%s", command, output).isZero();
            return output;
        }
    }
}
