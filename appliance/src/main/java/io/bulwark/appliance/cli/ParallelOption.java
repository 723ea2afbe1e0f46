package io.bulwark.appliance.cli;

import picocli.CommandLine.Option;

/** Option for the number of objects in flight. */
final class ParallelOption {
    private static final int MAX = 1024;

    @Option(
            names = "--parallel",
            paramLabel = "N",
            defaultValue = "16",
            description = "Number of objects in parallel (default: ${DEFAULT-VALUE}).")
    private int parallel;

    int value() {
        if (parallel < 1 || parallel > MAX) {
            throw new CommandFailure(CommandFailure.USAGE, "--parallel is 1 to " + MAX);
        }
        return parallel;
    }
}
