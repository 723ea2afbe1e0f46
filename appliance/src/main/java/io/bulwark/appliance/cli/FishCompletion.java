package io.bulwark.appliance.cli;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** Writes a script of completions for fish, which picocli does not. */
final class FishCompletion {
    private final String name;
    private final StringBuilder out = new StringBuilder();

    FishCompletion(String name) {
        this.name = name;
    }

    /** Returns the script for this command with all that are below it. */
    String script(CommandLine root) {
        out.setLength(0);
        out.append("""
            # Completions of %1$s for fish; `%1$s completion fish` prints them.
            # True where these words follow the name of the program.
            function __%1$s_at
                set -l words (commandline -opc)
                set -e words[1]
                test (count $words) -ge (count $argv); or return 1
                for i in (seq (count $argv))
                    test $words[$i] = $argv[$i]; or return 1
                end
            end
            # The same where no further command follows.
            function __%1$s_ends_at
                __%1$s_at $argv; or return 1
                set -l words (commandline -opc)
                set -e words[1]
                test (count $words) -eq (count $argv); and return 0
                string match -q -- '-*' $words[(math (count $argv) + 1)]
            end
            complete -c %1$s -f
            """.formatted(name));
        add(root, List.of());
        return out.toString();
    }

    private void add(CommandLine command, List<String> path) {
        CommandSpec spec = command.getCommandSpec();
        Map<String, CommandLine> below = command.getSubcommands();
        String at = "__" + name + (below.isEmpty() ? "_at" : "_ends_at") + words(path);
        for (Map.Entry<String, CommandLine> each : below.entrySet()) {
            if (!each.getValue().getCommandSpec().usageMessage().hidden()) {
                line(at).append(" -a ")
                        .append(quoted(each.getKey()))
                        .append(description(
                                each.getValue().getCommandSpec().usageMessage().description()))
                        .append('\n');
            }
        }
        for (OptionSpec option : spec.options()) {
            if (option.hidden()) {
                continue;
            }
            line(at);
            for (String each : option.names()) {
                out.append(each.startsWith("--") ? " -l " : " -s ").append(each.replaceFirst("^--?", ""));
            }
            if (option.arity().max() > 0) {
                out.append(values(option, " -r"));
            }
            out.append(description(option.description())).append('\n');
        }
        for (PositionalParamSpec parameter : spec.positionalParameters()) {
            String values = values(parameter, "");
            if (!values.isEmpty()) {
                line(at).append(values)
                        .append(description(parameter.description()))
                        .append('\n');
            }
        }
        below.forEach((word, each) -> {
            List<String> deeper = new ArrayList<>(path);
            deeper.add(word);
            add(each, deeper);
        });
    }

    private StringBuilder line(String condition) {
        return out.append("complete -c ").append(name).append(" -n ").append(quoted(condition));
    }

    /** Returns the flags that offer the values of an argument: files, choices, or none. */
    private static String values(ArgSpec argument, String otherwise) {
        Class<?> type = argument.isMultiValue() ? argument.auxiliaryTypes()[0] : argument.type();
        if (type == Path.class || type == File.class) {
            return argument.isOption() ? " -r -F" : " -F";
        }
        List<String> choices = new ArrayList<>();
        if (argument.completionCandidates() != null) {
            argument.completionCandidates().forEach(choices::add);
        }
        if (type.isEnum()) {
            choices.clear();
            for (Object constant : type.getEnumConstants()) {
                choices.add(EnumConverter.of((Enum<?>) constant));
            }
        }
        if (choices.isEmpty()) {
            return otherwise;
        }
        return (argument.isOption() ? " -x" : "") + " -a " + quoted(String.join(" ", choices));
    }

    private static String words(List<String> path) {
        return path.isEmpty() ? "" : " " + String.join(" ", path);
    }

    /** The first sentence of a description alone fits a line. */
    private static String description(String[] lines) {
        Iterator<String> all = List.of(lines).iterator();
        if (!all.hasNext()) {
            return "";
        }
        String text = all.next()
                .replaceAll("\\$\\{[^}]*}", "")
                .replace("%n", " ")
                .replace("%%", "%")
                .strip();
        return " -d " + quoted(text);
    }

    private static String quoted(String text) {
        return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'";
    }
}
