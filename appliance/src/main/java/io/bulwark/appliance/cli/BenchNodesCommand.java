package io.bulwark.appliance.cli;

import io.bulwark.appliance.protocols.ComparisonNodes;
import java.io.IOException;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code bulwark bench-nodes}: the process of the nodes that {@code bulwark bench protocols} starts. */
@Command(name = "bench-nodes", hidden = true, description = "Run the nodes of `bulwark bench protocols`.")
final class BenchNodesCommand implements Callable<Integer> {
    @Option(names = "--host", paramLabel = "ADDRESS", required = true, description = "Address to listen on.")
    private String host = "";

    @Option(names = "--count", paramLabel = "N", required = true, description = "Number of nodes.")
    private int count;

    @Override
    public Integer call() throws IOException {
        ComparisonNodes.serve(host, count);
        return 0;
    }
}
