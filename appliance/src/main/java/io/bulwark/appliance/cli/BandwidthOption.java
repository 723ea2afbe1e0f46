package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.RateLimit;
import picocli.CommandLine.Option;

/** Option for the bytes per second. */
final class BandwidthOption {
    @Option(
            names = "--bwlimit",
            paramLabel = "RATE",
            defaultValue = "off",
            description = {
                "Bytes per second: 10M, 1.5G, 512 for KiB, or UP:DOWN (default: ${DEFAULT-VALUE}).",
                "It bounds the content of files, of which the nodes together get more, as it is coded."
            })
    private String rate = "off";

    RateLimit.Both limits() {
        try {
            return RateLimit.parse(rate);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, "--bwlimit: " + e.getMessage());
        }
    }
}
