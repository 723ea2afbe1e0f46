package io.bulwark.appliance.cli;

import io.bulwark.appliance.boot.NodeRole;
import io.bulwark.appliance.boot.ParentWatch;
import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.appliance.drill.Lie;
import java.nio.file.Path;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code bulwark node --config FILE} runs one storage node; its subcommands act on the appliance of this machine. */
@Command(
        name = "node",
        description = {
            "Run a storage node, or manage nodes: list them, move their slots, inject faults.",
            "`node --config FILE` runs a node. list, add, replace, drain, remove and abort are for operators of the "
                    + "cluster;",
            "stop, start, save and lie act on the appliance that `bulwark up` runs on this machine."
        },
        subcommands = {
            NodeListCommand.class,
            NodeMoveCommands.Add.class,
            NodeMoveCommands.Replace.class,
            NodeMoveCommands.Drain.class,
            NodeMoveCommands.Remove.class,
            NodeMoveCommands.Abort.class
        })
final class NodeCommand implements Callable<Integer> {
    static final String END_WITH_INPUT = "--end-with-input";
    static final String HEALTH = "--health";
    static final String HEALTH_DESCRIPTION = "write its health to this file every second.";

    @Spec
    private @Nullable CommandSpec spec;

    @Option(names = "--config", paramLabel = "FILE", description = "The node's configuration (YAML).")
    private @Nullable Path config;

    @Option(names = END_WITH_INPUT, description = "With --config: stop at the end of standard input.")
    private boolean endWithInput;

    @Option(names = HEALTH, paramLabel = "FILE", description = "With --config: " + HEALTH_DESCRIPTION)
    private @Nullable Path health;

    @Override
    public Integer call() throws Exception {
        if (config == null) {
            CommandSpec own = Objects.requireNonNull(spec);
            throw new ParameterException(
                    own.commandLine(),
                    "node needs --config FILE, or one of list, add, replace, drain, remove, abort, stop, start, save,"
                            + " lie");
        }
        if (endWithInput) {
            ParentWatch.begin();
        }
        return NodeRole.run(config, health);
    }

    @Command(name = "stop", description = "Stop storage node N.")
    int stop(@Mixin GlobalOptions global, @Parameters(paramLabel = "N", description = "Number of the node.") int node) {
        return act(global, new ControlRequest("node-stop", node, null));
    }

    @Command(name = "start", description = "Start storage node N.")
    int start(
            @Mixin GlobalOptions global, @Parameters(paramLabel = "N", description = "Number of the node.") int node) {
        return act(global, new ControlRequest("node-start", node, null));
    }

    @Command(name = "save", description = "Save a copy of storage node N's data, for `lie --how stale`.")
    int save(@Mixin GlobalOptions global, @Parameters(paramLabel = "N", description = "Number of the node.") int node) {
        return act(global, new ControlRequest("node-save", node, null));
    }

    @Command(
            name = "lie",
            description = {
                "Stop storage node N, corrupt its stored data, and start it again.",
                "swap: valid fragments of other blocks; stale: the saved data; flip: single bits; drop: removed "
                        + "records; garble: random bytes."
            })
    int lie(
            @Mixin GlobalOptions global,
            @Parameters(paramLabel = "N", description = "Number of the node.") int node,
            @Option(
                            names = "--how",
                            paramLabel = "HOW",
                            defaultValue = "swap",
                            description = "Kind of corruption: swap, stale, flip, drop or garble (default: "
                                    + "${DEFAULT-VALUE}).")
                    Lie how) {
        Map<String, Object> body =
                ApplianceControl.ask(global, new ControlRequest("node-lie", node, EnumConverter.of(how)));
        if (body.get("edited") instanceof Number edited && edited.longValue() == 0) {
            throw new CommandFailure(CommandFailure.FAILED, String.valueOf(body.get("message")));
        }
        global.print(body, String.valueOf(body.get("message")));
        return 0;
    }

    private static int act(GlobalOptions global, ControlRequest request) {
        Map<String, Object> body = ApplianceControl.ask(global, request);
        global.print(body, String.valueOf(body.get("message")));
        return 0;
    }
}
