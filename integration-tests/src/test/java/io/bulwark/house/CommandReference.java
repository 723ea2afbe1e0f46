package io.bulwark.house;

import io.bulwark.appliance.cli.BulwarkCommand;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.NullMarked;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Page of the commands, from the model that picocli parses command lines by. */
@NullMarked
final class CommandReference {
    /** Options of more commands than these are described without naming the commands. */
    private static final int NAMED_COMMANDS_MAX = 8;

    private static final int LINE_CHARACTERS_MAX = 120;

    /** Every command has them. */
    private static final Set<String> STANDARD = Set.of("--help", "--version");

    private final List<CommandSpec> commands = new ArrayList<>();

    /** The commands that have an option, by the option's text. */
    private final Map<String, List<String>> uses = new LinkedHashMap<>();

    private CommandReference() {
        collect(BulwarkCommand.line().getCommandSpec());
        for (CommandSpec command : commands) {
            for (OptionSpec option : options(command)) {
                uses.computeIfAbsent(text(option), _ -> new ArrayList<>()).add(name(command));
            }
        }
    }

    static String page() {
        return new CommandReference().text();
    }

    /** Returns the names of all commands, such as {@code node drain}. */
    static List<String> names() {
        return new CommandReference()
                .commands.stream().map(CommandReference::name).toList();
    }

    private void collect(CommandSpec command) {
        for (CommandLine line : command.subcommands().values()) {
            CommandSpec each = line.getCommandSpec();
            if (!each.usageMessage().hidden()) {
                if (!isGroup(each)) {
                    commands.add(each);
                }
                collect(each);
            }
        }
    }

    /** Returns whether the command does nothing but ask for one of its subcommands: such commands have no exit code. */
    private static boolean isGroup(CommandSpec command) {
        return !command.subcommands().isEmpty() && command.userObject() instanceof Runnable;
    }

    private String text() {
        StringBuilder page = new StringBuilder("""
            Each command has `--help`, which says more, and `--version`. Options with * are required.

            ## Options of several commands
            """);
        uses.forEach((option, users) -> {
            if (users.size() > 1) {
                item(
                        page,
                        option,
                        users.size() > NAMED_COMMANDS_MAX
                                ? ""
                                : users.stream().collect(Collectors.joining("`, `", " (`", "`)")));
            }
        });
        page.append("\n## Commands and their own options\n");
        for (CommandSpec command : commands) {
            page.append('\n');
            wrap(
                    page,
                    "**`" + synopsis(command) + "`** "
                            + firstSentence(command.usageMessage().description()),
                    "");
            for (OptionSpec option : options(command)) {
                String text = text(option);
                if (uses.getOrDefault(text, List.of()).size() == 1) {
                    item(page, text, "");
                }
            }
        }
        return page.toString();
    }

    private static String name(CommandSpec command) {
        return command.qualifiedName().substring(command.root().name().length() + 1);
    }

    private static String synopsis(CommandSpec command) {
        StringBuilder synopsis = new StringBuilder(name(command));
        for (PositionalParamSpec parameter : command.positionalParameters()) {
            if (!parameter.hidden()) {
                String label = parameter.paramLabel() + (parameter.arity().max() > 1 ? "..." : "");
                synopsis.append(' ').append(parameter.required() ? label : "[" + label + "]");
            }
        }
        return synopsis.toString();
    }

    private static List<OptionSpec> options(CommandSpec command) {
        return command.options().stream()
                .filter(option -> !option.hidden() && !STANDARD.contains(option.longestName()))
                .toList();
    }

    private static String text(OptionSpec option) {
        String parameter = option.arity().max() == 0 ? "" : " " + option.paramLabel();
        return "`" + String.join(", ", option.names()) + parameter + (option.required() ? "`\\*" : "`") + ": "
                + firstSentence(option.description())
                        .replace("${DEFAULT-VALUE}", String.valueOf(option.defaultValueString()));
    }

    /** Returns the first lines of a description, up to one that ends a sentence. */
    private static String firstSentence(String[] lines) {
        StringBuilder sentence = new StringBuilder();
        for (String line : lines) {
            sentence.append(sentence.isEmpty() ? "" : " ").append(line);
            if (line.endsWith(".")) {
                break;
            }
        }
        // Picocli formats its texts.
        return sentence.toString().replace("%n", " ").replace("%%", "%");
    }

    private static void item(StringBuilder page, String text, String addition) {
        wrap(page, "- " + text + addition, "  ");
    }

    /** Appends a paragraph in lines that begin with the indent, but for the first. */
    private static void wrap(StringBuilder page, String paragraph, String indent) {
        StringBuilder line = new StringBuilder();
        for (String word : paragraph.split(" ", -1)) {
            if (line.length() + 1 + word.length() > LINE_CHARACTERS_MAX) {
                page.append(line).append('\n');
                line.setLength(0);
                line.append(indent).append(word);
            } else {
                line.append(line.isEmpty() ? "" : " ").append(word);
            }
        }
        page.append(line).append('\n');
    }
}
