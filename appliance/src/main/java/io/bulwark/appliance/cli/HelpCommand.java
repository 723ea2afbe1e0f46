package io.bulwark.appliance.cli;

import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bulwark help node add}: the help of a command however deep it is, which picocli's own does not know. */
@Command(name = "help", description = "Show the help of a command, as its --help does.", helpCommand = true)
final class HelpCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Parameters(arity = "0..*", paramLabel = "COMMAND", description = "Such as put, or node add.")
    private List<String> words = List.of();

    @Override
    public Integer call() {
        CommandLine command = spec.root().commandLine();
        for (String word : words) {
            CommandLine next = command.getSubcommands().get(word);
            if (next == null) {
                throw new ParameterException(
                        command,
                        "there is no command \"" + word + "\" of "
                                + command.getCommandSpec().qualifiedName());
            }
            command = next;
        }
        command.usage(System.out);
        return 0;
    }
}
