package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.TransferSettings;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/** Options of the commands that move or compare trees. */
final class TransferOptions {
    @Mixin
    private final FilterOptions filter = new FilterOptions();

    @Mixin
    private final BandwidthOption bandwidth = new BandwidthOption();

    @Mixin
    private final ParallelOption parallel = new ParallelOption();

    @Option(
            names = "--checksum",
            description = {
                "Compare contents instead of times, by the SHA-256 that `put` and `sync` keep.",
                "Objects without it are read."
            })
    private boolean checksum;

    TransferSettings settings() {
        return new TransferSettings(parallel.value(), filter.filter(), checksum, bandwidth.limits());
    }

    /** Fails if one of these options is given, which would do nothing. */
    static void refuse(CommandSpec command, String how, String... names) {
        for (String name : names) {
            if (command.commandLine().getParseResult().hasMatchedOption(name)) {
                throw new CommandFailure(CommandFailure.USAGE, name + " does not go " + how);
            }
        }
    }
}
