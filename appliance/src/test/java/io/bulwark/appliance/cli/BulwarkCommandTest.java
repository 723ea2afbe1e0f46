package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.control.ControlReply;
import io.bulwark.appliance.control.ControlSocket;
import io.bulwark.client.config.ChannelConfig;
import io.bulwark.client.config.ClientConfig;
import io.bulwark.client.config.GenesisFile;
import io.bulwark.client.config.JoinToken;
import io.bulwark.client.error.ConfigException;
import io.bulwark.client.error.FileAccessException;
import io.bulwark.client.error.InvalidNameException;
import io.bulwark.client.error.InvalidRequestException;
import io.bulwark.client.error.Subject;
import io.bulwark.client.error.UnavailableException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.id.PrincipalKey;
import io.bulwark.transport.Destination;
import io.bulwark.transport.identity.Identity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class BulwarkCommandTest {
    @TempDir
    private Path directory = Path.of("");

    @Test
    void exitCodesTellAnUnreachedApplianceFromWrongArgumentsAndAFailedOperation() {
        assertThat(BulwarkCommand.exitCode(new UnavailableException("nobody answers", Subject.NONE)))
                .isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(BulwarkCommand.exitCode(new CommandFailure(CommandFailure.USAGE, "wrong")))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.exitCode(new InvalidNameException("bad", Subject.bucket("Bad_Name"))))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.exitCode(new InvalidRequestException("too few nodes", Subject.volume("wide"))))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.exitCode(new ConfigException("no key", Subject.NONE)))
                .isEqualTo(CommandFailure.CONFIG);
        assertThat(BulwarkCommand.exitCode(new IllegalStateException("broken"))).isEqualTo(CommandFailure.FAILED);
    }

    @Test
    void whatToDoIsSaidWhereTheFailureDoesNot() {
        assertThat(FailureReport.advice(new InvalidNameException("a name has ...", Subject.bucket("Bad_Name"))))
                .as("the failure says the rule")
                .isEmpty();
        assertThat(FailureReport.advice(new UnavailableException("too few nodes", Subject.NONE)))
                .contains("bulwark status");
    }

    @Test
    void withJsonAFailureIsAnObjectOnStandardErrorAndNothingElse() {
        for (List<String> wrong : List.of(
                List.of("mb", "--json"),
                List.of("--json", "no-such-command"),
                List.of("node", "lie", "1", "--no-such", "--json"),
                List.of("up", "--port-base", "x", "--json"),
                List.of("keygen", "somebody", "--json"),
                List.of("ls", "--json", "--data", directory.resolve("none").toString()))) {
            CommandOutput output = CommandOutput.of(wrong.toArray(String[]::new));
            assertThat(output.out()).isEmpty();
            assertThat(output.err()).as(String.join(" ", wrong)).hasLineCount(1);
            JsonNode failure = JsonMapper.builder().build().readTree(output.err());
            assertThat(failure.get("code").asInt()).isEqualTo(output.exitCode());
            assertThat(failure.get("error").asString()).isNotBlank();
        }
    }

    @Test
    void aFailureNamesWhatItIsAbout() throws IOException {
        assertThat(BulwarkCommand.exitCode(new FileAccessException("too many open files", Subject.NONE)))
                .isEqualTo(CommandFailure.FILES);
        Files.writeString(directory.resolve("client.properties"), "client = 20\n");
        CommandOutput output = CommandOutput.of("ls", "--json", "--data", directory.toString());
        assertThat(output.exitCode()).isEqualTo(CommandFailure.CONFIG);
        assertThat(output.err()).contains("\"exception\":\"ConfigException\"", "unknown settings [client]");
    }

    /** The list of commands shows the first line of each description, and nothing of the others. */
    @Test
    void eachCommandIsDescribedByAWholeSentence() {
        check(BulwarkCommand.line());
    }

    @Test
    void whatAnApplianceWasFirstStartedWithCannotBeAskedForOtherwise() {
        String data = directory.resolve("data").toString();
        assertThat(BulwarkCommand.run("init", "--data", data, "--nodes", "6", "--port-base", "9000"))
                .isZero();
        assertThat(BulwarkCommand.run("init", "--data", data)).isZero();
        assertThat(BulwarkCommand.run("init", "--data", data, "--nodes", "6")).isZero();
        assertThat(BulwarkCommand.run("init", "--data", data, "--nodes", "5")).isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("up", "--data", data, "--port-base", "9400"))
                .isEqualTo(CommandFailure.USAGE);
    }

    @Test
    void aShapeThatCannotWorkLeavesNothingBehind() {
        Path data = directory.resolve("few");
        assertThat(BulwarkCommand.run("init", "--data", data.toString(), "--nodes", "3"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("up", "--data", data.toString(), "--replicas", "5"))
                .isEqualTo(CommandFailure.USAGE);
        assertThat(Files.exists(data)).isFalse();
    }

    @Test
    void keysAreMadeOnceAndTheirPublicPartIsSaid() throws IOException {
        Path file = directory.resolve("client-7.pem");
        assertThat(BulwarkCommand.run("keygen", "client-7", "--out", file.toString()))
                .isZero();
        assertThat(Identity.load(file).principal()).isEqualTo(PrincipalId.client(7));
        assertThat(BulwarkCommand.run("keygen", "client-7", "--out", file.toString()))
                .isEqualTo(CommandFailure.FAILED);
        Path missing = directory.resolve("host").resolve("keys");
        assertThat(BulwarkCommand.run(
                        "keygen",
                        "client-7",
                        "--out",
                        missing.resolve("own.pem").toString()))
                .isZero();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(missing)))
                .isEqualTo("rwx------");
        assertThat(BulwarkCommand.run("keygen", "somebody")).isEqualTo(CommandFailure.USAGE);
        assertThat(BulwarkCommand.run("keygen", "client-8", "--days", "0")).isEqualTo(CommandFailure.USAGE);
    }

    @Test
    void keysAndGenesisThatDoNotFitEndWithTheirOwnCode() throws IOException {
        Path data = directory.resolve("unfit");
        init(data, "--port-base", "1024");
        Path other = directory.resolve("other");
        init(other, "--port-base", "1024");
        String replica = data.resolve("config/replica-0.yaml").toString();
        String node = data.resolve("config/node-0.yaml").toString();
        Path genesis = data.resolve("genesis.properties");
        String own = Files.readString(genesis);

        Files.writeString(genesis, Files.readString(other.resolve("genesis.properties")));
        assertThat(BulwarkCommand.run("replica", "--config", replica)).isEqualTo(CommandFailure.CONFIG);
        assertThat(BulwarkCommand.run("node", "--config", node)).isEqualTo(CommandFailure.CONFIG);
        assertThat(BulwarkCommand.run(
                        "console",
                        "--config",
                        data.resolve("config/console.yaml").toString()))
                .isEqualTo(CommandFailure.CONFIG);

        // All keys fit, but the data began with another cluster's id.
        Files.writeString(genesis, own);
        GenesisFile.load(genesis).claim(data.resolve("replicas/0"));
        String id = GenesisFile.load(genesis).cluster();
        Files.writeString(
                genesis,
                own.replace(
                        id,
                        GenesisFile.load(other.resolve("genesis.properties")).cluster()));
        assertThat(BulwarkCommand.run("replica", "--config", replica)).isEqualTo(CommandFailure.CONFIG);

        Files.delete(genesis);
        assertThat(BulwarkCommand.run("replica", "--config", replica)).isEqualTo(CommandFailure.CONFIG);
        Files.writeString(genesis, own);
        Files.delete(data.resolve("keys/node-0.pem"));
        assertThat(BulwarkCommand.run("node", "--config", node)).isEqualTo(CommandFailure.CONFIG);
    }

    @Test
    void aDirectoryWithTlsGetsIdentitiesAndOneWithoutTlsNone() throws IOException {
        Path plain = directory.resolve("plain");
        init(plain, "--insecure-loopback");
        assertThat(plain.resolve("genesis.properties")).doesNotExist();
        assertThat(Files.readString(plain.resolve("client.properties"))).contains("insecure-loopback=true");
        assertThat(BulwarkCommand.run("init", "--data", plain.toString())).isZero();
        assertThat(plain.resolve("genesis.properties")).doesNotExist();

        Path tls = directory.resolve("tls");
        init(tls);
        assertThat(GenesisFile.load(tls.resolve("genesis.properties")).operator())
                .isEqualTo(PrincipalId.client(0));
        assertThat(ClientConfig.load(tls.resolve("client.properties")).channels())
                .isInstanceOf(ChannelConfig.Tls.class);
        assertThat(BulwarkCommand.run("init", "--data", tls.toString(), "--insecure-loopback"))
                .isEqualTo(CommandFailure.USAGE);
    }

    private static void init(Path data, String... more) {
        List<String> arguments = new ArrayList<>(List.of("init", "--data", data.toString()));
        arguments.addAll(List.of(more));
        assertThat(BulwarkCommand.run(arguments.toArray(String[]::new))).isZero();
    }

    @Test
    void anApplianceThatIsDownIsSaidToBeDownAtOnce() {
        String data = directory.resolve("down").toString();
        assertThat(BulwarkCommand.run("init", "--data", data, "--port-base", "1024"))
                .isZero();
        assertThat(BulwarkCommand.run("ls", "--data", data)).isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(BulwarkCommand.run("status", "--data", data)).isEqualTo(CommandFailure.UNAVAILABLE);
        CommandOutput down = CommandOutput.of("down", "--data", data);
        assertThat(down.exitCode()).isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(down.err()).contains("started one by one where they run");
        CommandOutput nothing =
                CommandOutput.of("status", "--data", directory.resolve("empty").toString());
        assertThat(nothing.exitCode()).isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(nothing.err())
                .contains("there is no appliance in " + directory.resolve("empty"), "or create one there with `")
                .doesNotContain("one by one where they run");
        CommandOutput stop = CommandOutput.of("node", "stop", "1", "--data", data);
        assertThat(stop.exitCode()).isEqualTo(CommandFailure.UNAVAILABLE);
        assertThat(stop.err()).contains("no appliance of this machine runs on " + data, "` starts it");
    }

    /** The directory is as `join` leaves it: `up` there would not start the appliance to which the client belongs. */
    @Test
    void aClientsOwnDirectoryHasNoApplianceToStart() throws IOException {
        Files.writeString(directory.resolve("client.properties"), "client = 20\n");
        for (String command : List.of("stop", "start")) {
            CommandOutput output = CommandOutput.of("node", command, "1", "--data", directory.toString());
            assertThat(output.exitCode()).isEqualTo(CommandFailure.UNAVAILABLE);
            assertThat(output.err())
                    .contains("there is no appliance in " + directory + ", which holds the files of a client only")
                    .contains("where the appliance runs")
                    .doesNotContain("bulwark up");
        }
    }

    @Test
    void whatIsMisusedSaysSoInALineAndWhereItsHelpIs() {
        misused("Missing required parameter: 'BUCKET'; see `bulwark mb --help`", "mb");
        misused("Unknown option: '--no-such'; see `bulwark node lie --help`", "node", "lie", "1", "--no-such");
        misused("\"stats\" is not understood; did you mean stat or status", "stats");
        misused("\"more\" is not understood; see `bulwark mb --help`", "mb", "photos", "more");
        misused("give a command, for example `bulwark up`; see `bulwark --help`");
        misused("see `bulwark volume --help`", "volume");
        misused("see `bulwark replica --help`", "replica");
        misused("is not an int; see `bulwark up --help`", "up", "--port-base", "x");
    }

    @Test
    void helpOfFiltersSaysThatTheyExcludeEachOther() {
        assertThat(CommandOutput.of("help", "sync").out()).contains("Without --exclude: ", "Without --include: ");
        assertThat(CommandOutput.of("sync", "--include", "a", "--exclude", "b", "x", "y")
                        .exitCode())
                .isEqualTo(CommandFailure.USAGE);
    }

    @Test
    void aPatternInThePlaceOfOneObjectSaysSo() {
        assertThat(ObjectCommands.ToTarget.noPattern("papers/d0/*"))
                .isEqualTo("there is no object papers/d0/*; cp and mv take one object, and no patterns");
    }

    @Test
    void grantNeedsAClientAndActForAllOfItsArguments() {
        for (List<String> wrong : List.of(
                List.of("grant"),
                List.of("grant", "act-for", "client-7"),
                List.of("grant", "act-for", "client-7", "client-8"),
                List.of("grant", "act-for", "client-7", "client-8", "--rights", "read", "--none"),
                List.of("grant", "act-for", "client-7", "client-8", "--rights", "own"))) {
            assertThat(BulwarkCommand.run(wrong.toArray(String[]::new)))
                    .as(String.join(" ", wrong))
                    .isEqualTo(CommandFailure.USAGE);
        }
    }

    @Test
    void choicesAreSaidAsTheyAreTyped() {
        misused("\"sideways\" is none of swap, stale, flip, drop, garble", "node", "lie", "1", "--how", "sideways");
        misused("\"SWAP\" is none of swap, stale", "node", "lie", "1", "--how", "SWAP");
        misused("\"maybe\" is none of on, off", "up", "--recovery", "maybe");
        misused("\"copy\" is none of put, get, s3, read", "bench", "copy");
    }

    @Test
    void aNodeThatThereIsNotIsAWrongArgument() throws IOException {
        String data = directory.toString();
        try (ControlSocket _ = ControlSocket.serve(
                directory,
                request -> Objects.equals(request.node(), 9)
                        ? ControlReply.usageError("there is no node 9; nodes are 0 to 4")
                        : ControlReply.failed("it does not stop"))) {
            CommandOutput none = CommandOutput.of("node", "lie", "9", "--data", data);
            assertThat(none.exitCode()).isEqualTo(CommandFailure.USAGE);
            assertThat(none.err()).contains("there is no node 9");
            assertThat(BulwarkCommand.run("node", "stop", "1", "--data", data)).isEqualTo(CommandFailure.FAILED);
        }
    }

    @Test
    void helpOfACommandIsThatOfItsHelpOption() {
        List<List<String>> commands = List.of(
                List.of(),
                List.of("node"),
                List.of("node", "add"),
                List.of("replica", "replace"),
                List.of("volume", "create"),
                List.of("help"));
        for (List<String> command : commands) {
            List<String> help = new ArrayList<>(command);
            help.addFirst("help");
            List<String> option = new ArrayList<>(command);
            option.add("--help");
            CommandOutput output = CommandOutput.of(help.toArray(String[]::new));
            assertThat(output).isEqualTo(CommandOutput.of(option.toArray(String[]::new)));
            assertThat(output.exitCode()).isZero();
            assertThat(output.out()).contains("Usage: " + String.join(" ", help).replaceFirst("help", "bulwark"));
        }
        misused("there is no command \"ad\" of bulwark node; see `bulwark node --help`", "help", "node", "ad");
        misused("there is no command \"nodes\" of bulwark; see `bulwark --help`", "help", "nodes");
        misused("there is no command \"photos\" of bulwark mb; see `bulwark mb --help`", "help", "mb", "photos");
    }

    private static void misused(String saying, String... arguments) {
        CommandOutput output = CommandOutput.of(arguments);
        assertThat(output.exitCode()).isEqualTo(CommandFailure.USAGE);
        assertThat(output.out()).isEmpty();
        assertThat(output.err()).startsWith("bulwark: ").contains(saying).hasLineCount(1);
    }

    @Test
    void aNodeThatJoinsListensWhereItsReplicasPortsHaveIt() {
        assertThat(JoinCommand.portBase(replicasAt(7600, 7601, 7602, 7603))).isEqualTo(7400);
        assertThat(JoinCommand.portBase(replicasAt(27600, 27601, 27602, 27603))).isEqualTo(27400);
        assertThat(JoinCommand.portBase(replicasAt(27600, 27601, 27605, 27603))).isEqualTo(7400);
        assertThat(JoinCommand.portBase(replicasAt(443, 444, 445, 446))).isEqualTo(7400);
        assertThat(JoinCommand.portBase(replicasAt(7600, 7600, 7600, 7600))).isEqualTo(7400);
    }

    private static List<JoinToken.Replica> replicasAt(int... ports) {
        PrincipalKey key =
                Identity.generate(PrincipalId.replica(0), new SecureRandom()).publicKey();
        return Arrays.stream(ports)
                .mapToObj(port -> new JoinToken.Replica(new ClientConfig.Endpoint("host", port), key))
                .toList();
    }

    @Test
    void whoHasJoinedIsToldWhatComesNext() {
        assertThat(JoinCommand.next(PrincipalId.client(20), Path.of("/etc/b"), Optional.empty()))
                .contains("bulwark grant client-20 read write", "bulwark ls --client /etc/b/client.properties");
        assertThat(JoinCommand.next(
                        PrincipalId.node(5), Path.of("/etc/b"), Optional.of(Destination.of("0.0.0.0", 7415))))
                .contains("bulwark node --config /etc/b/role.yaml", "bulwark node add node-5 --address HOST:7415");
    }

    private static void check(CommandLine command) {
        command.getSubcommands().forEach((name, each) -> {
            String[] description = each.getCommandSpec().usageMessage().description();
            assertThat(description).as(name).isNotEmpty();
            assertThat(description[0]).as(name).endsWith(".");
            assertThat(description[0].length()).as(name).isLessThanOrEqualTo(100);
            check(each);
        });
    }
}
