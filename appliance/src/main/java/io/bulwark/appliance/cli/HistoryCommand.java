package io.bulwark.appliance.cli;

import io.bulwark.simulation.history.History;
import io.bulwark.simulation.history.HistoryCheck;
import io.bulwark.simulation.history.HistoryReader;
import io.bulwark.simulation.history.MalformedHistoryException;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code history check}. */
@Command(name = "history", description = "Check recorded histories of client operations.")
final class HistoryCommand implements Runnable {
    @Spec
    private CommandSpec spec = CommandSpec.create();

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "history needs check");
    }

    @Command(
            name = "check",
            description = {
                "Check that a history is linearizable despite faulty clients.",
                "docs/simulation.md describes the format. Exit code 1 if it is not, if a key could not be decided, "
                        + "or if there is nothing to check."
            })
    int check(@Mixin GlobalOptions global, @Parameters(paramLabel = "FILE") Path file) {
        HistoryCheck check = HistoryCheck.of(read(file));
        if (check.operations() == 0) {
            throw new CommandFailure(CommandFailure.FAILED, file + " has no operation that could be checked");
        }
        CheckView json = new CheckView(
                check.operations(),
                check.keys(),
                check.violations().stream().map(Object::toString).toList(),
                check.undecided());
        StringBuilder text = new StringBuilder();
        check.violations()
                .forEach(violation -> text.append("Not linearizable: ")
                        .append(violation
                                .toString()
                                .lines()
                                .map(Text::printable)
                                .collect(Collectors.joining(System.lineSeparator())))
                        .append(System.lineSeparator()));
        check.undecided()
                .forEach(key ->
                        text.append("Undecided: ").append(Text.printable(key)).append(System.lineSeparator()));
        text.append(Text.count(check.operations(), "operation"))
                .append(" on ")
                .append(Text.count(check.keys(), "key"))
                .append(check.problem().isEmpty() ? ": linearizable." : ".");
        global.print(json, text.toString());
        return check.problem().isEmpty() ? 0 : CommandFailure.FAILED;
    }

    private static History read(Path file) {
        HistoryReader reader = new HistoryReader();
        try (BufferedReader in = Files.newBufferedReader(file)) {
            StringBuilder line = new StringBuilder();
            int next = in.read();
            while (next >= 0) {
                // The reader rejects a line as soon as it is too long, whatever remains of it.
                boolean ends = next == '\n' || line.length() > HistoryReader.LINE_LENGTH_MAX;
                if (ends) {
                    reader.line(withoutReturn(line));
                    line.setLength(0);
                } else {
                    line.append((char) next);
                }
                next = in.read();
            }
            if (!line.isEmpty()) {
                reader.line(withoutReturn(line));
            }
            return reader.history();
        } catch (MalformedHistoryException e) {
            throw new CommandFailure(CommandFailure.FAILED, file + ": " + e.getMessage());
        } catch (CharacterCodingException e) {
            throw new CommandFailure(CommandFailure.FAILED, file + " is not UTF-8");
        } catch (NoSuchFileException e) {
            throw new CommandFailure(CommandFailure.FAILED, "no such file: " + file);
        } catch (IOException e) {
            throw new CommandFailure(CommandFailure.FAILED, "cannot read " + file + ": " + e);
        }
    }

    private static String withoutReturn(StringBuilder line) {
        int length = line.length();
        return length > 0 && line.charAt(length - 1) == '\r' ? line.substring(0, length - 1) : line.toString();
    }

    private record CheckView(int operations, int keys, List<String> violations, List<String> undecided) {}
}
