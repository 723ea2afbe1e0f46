package io.bulwark.appliance.cli;

import io.bulwark.client.GetOptions;
import io.bulwark.client.ObjectInfo;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Option for a range of bytes. */
final class RangeOption {
    @Option(
            names = "--range",
            paramLabel = "FIRST-[LAST]",
            description = "Read only this range of bytes, both ends included.")
    private @Nullable String range;

    boolean isGiven() {
        return range != null;
    }

    GetOptions applyTo(GetOptions options) {
        if (range == null) {
            return options;
        }
        try {
            return options.withRange(GetOptions.Range.parse(range));
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, "--range: " + e.getMessage());
        }
    }

    /** Fails for a range that begins behind the object. */
    static void check(GetOptions options, ObjectInfo object) {
        if (options.offset() > 0 && options.offset() >= object.length()) {
            throw new CommandFailure(
                    CommandFailure.FAILED,
                    new ObjectPath(object.bucket(), object.key()).printable() + " has "
                            + Text.count(object.length(), "byte") + ", and --range begins at byte " + options.offset()
                            + ", counted from 0");
        }
    }
}
