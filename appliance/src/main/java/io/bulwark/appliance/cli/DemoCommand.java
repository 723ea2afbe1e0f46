package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.ClusterShape;
import io.bulwark.appliance.cluster.Ordering;
import io.bulwark.appliance.demo.Demo;
import io.bulwark.appliance.up.Appliance;
import io.bulwark.appliance.up.EmbeddedMembers;
import io.bulwark.client.Bulwark;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code bulwark demo [DIR]}. */
@Command(
        name = "demo",
        description = {
            "Demonstrate, with a directory that you name, that a stopped node and a lying node do no harm.",
            "Run a temporary appliance, store the directory, and compare every byte with the files."
        })
final class DemoCommand implements Callable<Integer> {
    @Parameters(
            arity = "0..1",
            paramLabel = "DIR",
            description = "Directory to store (default: the documents of this Java).")
    private @Nullable Path directory;

    @Option(
            names = "--faults",
            paramLabel = "F",
            defaultValue = "1",
            description =
                    "Number of faults: 1, or 2 with 7 nodes, one stopped and one lying at the same time (default: "
                            + "${DEFAULT-VALUE}).")
    private int faults;

    @Option(
            names = "--port-base",
            paramLabel = "PORT",
            defaultValue = TemporaryAppliance.PORT_BASE,
            description = "First port of the temporary appliance (default: ${DEFAULT-VALUE}).")
    private int portBase;

    @Override
    public Integer call() throws Exception {
        if (faults != 1 && faults != 2) {
            throw new CommandFailure(CommandFailure.USAGE, "--faults is 1 or 2");
        }
        Path source = directory == null ? Path.of(System.getProperty("java.home"), "legal") : directory;
        if (!Files.isDirectory(source)) {
            throw new CommandFailure(CommandFailure.FAILED, source + " is not a directory");
        }
        ClusterShape shape = shape();
        boolean good = TemporaryAppliance.run(
                "bulwark-demo", shape, EmbeddedMembers::new, (place, clientProperties, appliance) -> {
                    System.out.println("An appliance of " + shape.nodes() + " nodes runs under " + place
                            + "; its console is "
                            + appliance.setupUrl().orElseGet(appliance::consoleUrl) + " .");
                    return story(clientProperties, appliance, source);
                });
        return good ? 0 : CommandFailure.FAILED;
    }

    private ClusterShape shape() {
        try {
            return new ClusterShape(faults == 1 ? 5 : 7, 4, portBase, Ordering.DEFAULT, "sync");
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(CommandFailure.USAGE, String.valueOf(e.getMessage()));
        }
    }

    private boolean story(Path clientProperties, Appliance appliance, Path source)
            throws IOException, InterruptedException {
        try (Bulwark client = Bulwark.connect(clientProperties)) {
            Supplier<Bulwark> readers = () -> Bulwark.connect(clientProperties);
            return new Demo(client, readers, appliance::onRequest, faults, System.out::println).run(source);
        }
    }
}
