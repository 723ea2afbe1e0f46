package io.bulwark.appliance.cli;

import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bulwark completion bash|zsh|fish}. */
@Command(
        name = "completion",
        description = {
            "Print a script that completes commands and options in a shell.",
            "bash: source <(bulwark completion bash), in ~/.bashrc.",
            "zsh: source <(bulwark completion zsh), in ~/.zshrc behind compinit.",
            "fish: bulwark completion fish > ~/.config/fish/completions/bulwark.fish."
        })
final class CompletionCommand implements Callable<Integer> {
    private static final String NAME = "bulwark";

    /** The values of an option or parameter in a script for bash. */
    private static final Pattern VALUES =
            Pattern.compile("(?<=_args=)\\(\"[^)\n]*\\)(?= # .* values$)", Pattern.MULTILINE);

    /** Names that picocli registers beside the command's: scripts of people, which are other programs. */
    private static final Pattern OTHER_NAMES =
            Pattern.compile("(?<= " + NAME + ")( " + NAME + "\\.(sh|bash))+$", Pattern.MULTILINE);

    enum Shell {
        BASH,
        ZSH,
        FISH
    }

    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(paramLabel = "bash|zsh|fish", description = "The shell.")
    private Shell shell = Shell.BASH;

    @Override
    public Integer call() {
        System.out.print(script(spec.root().commandLine(), shell));
        return 0;
    }

    static String script(CommandLine commands, Shell shell) {
        return switch (shell) {
            // The script of picocli turns on zsh's emulation of bash's completion itself.
            case BASH, ZSH ->
                OTHER_NAMES
                        .matcher(withTypedValues(AutoComplete.bash(NAME, commands)))
                        .replaceAll("");
            case FISH -> new FishCompletion(NAME).script(commands);
        };
    }

    /** Picocli writes the names of constants, which are typed in lower case. */
    private static String withTypedValues(String script) {
        return VALUES.matcher(script).replaceAll(values -> values.group().toLowerCase(Locale.ROOT));
    }
}
