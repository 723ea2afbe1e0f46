package io.bulwark.appliance.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.bulwark.appliance.cli.CompletionCommand.Shell;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import picocli.CommandLine.Model.OptionSpec;

@NullMarked
class CompletionCommandTest {
    @TempDir
    Path directory = Path.of("");

    @Test
    void bashCompletesCommandsAndOptions() throws Exception {
        Path script = script(Shell.BASH);
        String ask = "source " + script + "; COMP_WORDS=(%s); COMP_CWORD=%d; COMP_LINE=\"${COMP_WORDS[*]}\"; "
                + "_complete_bulwark; echo \"${COMPREPLY[@]}\"";
        assertThat(run("bash", "-c", ask.formatted("bulwark no", 1))).contains("node");
        assertThat(run("bash", "-c", ask.formatted("bulwark node li", 2))).contains("list", "lie");
        assertThat(run("bash", "-c", ask.formatted("bulwark mb --vol", 2))).contains("--volume");
        assertThat(run("bash", "-c", ask.formatted("bulwark completion ''", 2))).contains("bash zsh fish");
        assertThat(run("bash", "-c", ask.formatted("bulwark node lie --how fl", 4)))
                .contains("flip");
    }

    @Test
    void theScriptRegistersTheCommandAlone() throws Exception {
        for (Shell shell : List.of(Shell.BASH, Shell.ZSH)) {
            assertThat(Files.readString(script(shell)).lines().filter(line -> line.contains("complete -F")))
                    .isNotEmpty()
                    .allMatch(line -> line.endsWith(" bulwark"));
        }
    }

    @Test
    void zshTakesTheScript() throws Exception {
        Path script = script(Shell.ZSH);
        Assumptions.assumeTrue(exists("zsh"), "no zsh is installed");
        run("zsh", "-c", "autoload -Uz compinit; compinit -D; source " + script);
    }

    @Test
    void fishCompletesCommandsAndOptions() throws Exception {
        Path script = script(Shell.FISH);
        Assumptions.assumeTrue(exists("fish"), "no fish is installed");
        run("fish", "--no-execute", script.toString());
        assertThat(run("fish", "-c", "source " + script + "; complete -C 'bulwark no'"))
                .contains("node");
        assertThat(run("fish", "-c", "source " + script + "; complete -C 'bulwark node li'"))
                .contains("list", "lie");
        assertThat(run("fish", "-c", "source " + script + "; complete -C 'bulwark mb --vol'"))
                .contains("--volume");
    }

    @Test
    void theScriptOfFishNamesEachCommandAndOption() throws IOException {
        String script = Files.readString(script(Shell.FISH));
        check(script, BulwarkCommand.line(), "");
        assertThat(script)
                .contains("complete -c bulwark -n '__bulwark_at volume create' -l blocks -r")
                .contains("-n '__bulwark_ends_at node' -a 'list'")
                .contains("-a 'bash zsh fish'");
    }

    private static void check(String script, CommandLine command, String path) {
        for (OptionSpec option : command.getCommandSpec().options()) {
            String longest = option.longestName();
            if (longest.startsWith("--") && !option.hidden()) {
                String at = "at" + path + "'";
                assertThat(script.lines().filter(line -> line.contains(at)).toList())
                        .as(path + " " + longest)
                        .anyMatch(line -> line.contains(" -l " + longest.substring(2)));
            }
        }
        command.getSubcommands().forEach((name, below) -> check(script, below, path + " " + name));
    }

    private Path script(Shell shell) throws IOException {
        CommandOutput output = CommandOutput.of("completion", EnumConverter.of(shell));
        assertThat(output.exitCode()).as(output.err()).isZero();
        return Files.writeString(directory.resolve("completion." + EnumConverter.of(shell)), output.out());
    }

    private static boolean exists(String program) {
        return List.of(System.getenv("PATH").split(":")).stream()
                .anyMatch(each -> Files.isExecutable(Path.of(each, program)));
    }

    private static String run(String... command) throws Exception {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        String out = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(out).isZero();
        return out;
    }
}
