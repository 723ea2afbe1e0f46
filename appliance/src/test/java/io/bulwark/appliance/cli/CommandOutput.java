package io.bulwark.appliance.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.function.IntSupplier;

/** Output of a command line, and its exit code. */
record CommandOutput(int exitCode, String out, String err) {
    static CommandOutput of(String... arguments) {
        return of(() -> BulwarkCommand.run(arguments));
    }

    /** @param command returns its exit code */
    static synchronized CommandOutput of(IntSupplier command) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream outBefore = System.out;
        PrintStream errBefore = System.err;
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
        try {
            int code = command.getAsInt();
            return new CommandOutput(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        } finally {
            System.setOut(outBefore);
            System.setErr(errBefore);
        }
    }
}
