package io.bulwark.appliance.cli;

import io.bulwark.appliance.transfer.TreeFilter;
import io.bulwark.transport.file.FileFailure;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Option;

/** Options that choose files of a tree, spelled as rclone has them. */
final class FilterOptions {
    @Option(
            names = "--include",
            paramLabel = "PATTERN",
            description = {
                "Without --exclude: take only paths that match, such as '*.jpg', '/top/**'; may be repeated.",
                "* and ? do not match '/', ** does; a pattern that begins with '/' is matched from the top.",
                "One of --include, --exclude and --filter-from is taken."
            })
    private List<String> includes = new ArrayList<>();

    @Option(
            names = "--exclude",
            paramLabel = "PATTERN",
            description = "Without --include: leave out paths that match; may be repeated.")
    private List<String> excludes = new ArrayList<>();

    @Option(
            names = "--filter-from",
            paramLabel = "FILE",
            description = "Read rules `+ PATTERN` and `- PATTERN` from a file: the first that matches decides.")
    private List<Path> filterFiles = new ArrayList<>();

    TreeFilter filter() {
        int kinds = (includes.isEmpty() ? 0 : 1) + (excludes.isEmpty() ? 0 : 1) + (filterFiles.isEmpty() ? 0 : 1);
        if (kinds > 1) {
            throw new CommandFailure(
                    CommandFailure.USAGE,
                    "--include, --exclude and --filter-from exclude each other; rules in a file have an order");
        }
        try {
            if (!includes.isEmpty()) {
                return TreeFilter.including(includes);
            }
            return excludes.isEmpty() ? TreeFilter.from(filterFiles) : TreeFilter.excluding(excludes);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        } catch (IOException e) {
            throw new CommandFailure(CommandFailure.FAILED, "cannot read the rules: " + FileFailure.text(e));
        }
    }
}
