package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.bulwark.client.error.ConfigException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

@NullMarked
class ProfileTest {
    @TempDir
    Path home = Path.of("");

    @Test
    void aProfileIsInTheConfigurationDirectory() throws IOException {
        write(home.resolve(".config"), "work", "data=/srv/work\nparallel=32\nencrypt-with=~/photos.p12\n");
        write(home.resolve("xdg"), "work", "client=sub/client.properties\n");
        assertThat(profile(Map.of(), "ls", "--profile", "work").values())
                .containsEntry("data", "/srv/work")
                .containsEntry("parallel", "32")
                .containsEntry("encrypt-with", home.resolve("photos.p12").toString());
        Map<String, String> xdg = Map.of("XDG_CONFIG_HOME", home.resolve("xdg").toString());
        assertThat(profile(xdg, "ls", "--profile=work").values())
                .isEqualTo(Map.of(
                        "client",
                        home.resolve("xdg/bulwark/sub/client.properties").toString()));
    }

    @Test
    void theCommandLineCountsMoreThanTheEnvironment() throws IOException {
        write(home.resolve(".config"), "one", "data=/one\n");
        write(home.resolve(".config"), "two", "data=/two\n");
        Map<String, String> one = Map.of(Profile.VARIABLE, "one");
        assertThat(profile(one, "ls").values()).containsEntry("data", "/one");
        assertThat(profile(one, "ls", "--profile", "two").values()).containsEntry("data", "/two");
        assertThat(profile(Map.of(Profile.VARIABLE, ""), "ls").values()).isEmpty();
        assertThat(profile(Map.of(Profile.VARIABLE, "none"), "help", "ls").values())
                .isEmpty();
    }

    @Test
    void optionsOfTheCommandLineCountMoreThanThoseOfTheProfile() {
        CommandLine line =
                BulwarkCommand.line().setDefaultValueProvider(new Profile(Map.of("data", "/p", "parallel", "32")));
        assertThat(data(line, "verify", "papers")).isEqualTo("/p");
        assertThat(data(line, "verify", "papers", "--data", "/given")).isEqualTo("/given");
    }

    private static String data(CommandLine line, String... args) {
        CommandLine.ParseResult command = line.parseArgs(args).subcommand();
        return command.commandSpec().findOption("--data").getValue().toString();
    }

    @Test
    void aWrongProfileSaysWhere() throws IOException {
        assertThatThrownBy(() -> profile(Map.of(), "ls", "--profile", "none"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("there is no profile none at " + home.resolve(".config/bulwark/none.properties"));
        assertThatThrownBy(() -> profile(Map.of(), "ls", "--profile", "../etc"))
                .isInstanceOf(CommandFailure.class)
                .hasMessageContaining("character 1 is '.'");
        assertThatThrownBy(() -> profile(Map.of(), "ls", "--profile", "a/b"))
                .hasMessageContaining("character 2 is '/'");
        write(home.resolve(".config"), "bad", "dta=/srv\n");
        assertThatThrownBy(() -> profile(Map.of(), "ls", "--profile", "bad"))
                .isInstanceOf(ConfigException.class)
                .hasMessageContaining("unknown setting dta; a profile has client, data, encrypt-key");
    }

    @Test
    void aCommandWithAProfileThatThereIsNotEndsAsOtherWrongConfigurations() {
        CommandOutput run = CommandOutput.of("ls", "--profile", "no-such-profile-here", "--json");
        assertThat(run.exitCode()).isEqualTo(CommandFailure.CONFIG);
        assertThat(run.err())
                .contains("\"exception\":\"ConfigException\"", "no-such-profile-here")
                .hasLineCount(1);
    }

    private Profile profile(Map<String, String> environment, String... args) {
        return Profile.of(environment, home, args);
    }

    private static void write(Path base, String name, String text) throws IOException {
        Path directory = Files.createDirectories(base.resolve("bulwark"));
        Files.writeString(directory.resolve(name + ".properties"), text);
    }
}
