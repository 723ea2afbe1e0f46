package io.bulwark.appliance.cli;

import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.appliance.control.ControlSocket;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code bulwark down}. */
@Command(name = "down", description = "End the appliance of this data directory; its data stays.")
final class DownCommand implements Callable<Integer> {
    private static final long WAIT_MILLIS_MAX = 60_000;

    @Mixin
    private final GlobalOptions global = new GlobalOptions();

    @Override
    public Integer call() throws InterruptedException {
        Path data = global.data();
        ApplianceControl.ask(global, ControlRequest.of(ApplianceControl.DOWN));
        for (long waited = 0; ControlSocket.isServed(data); waited += 100) {
            if (waited > WAIT_MILLIS_MAX) {
                throw new CommandFailure(CommandFailure.FAILED, "the appliance on " + data + " does not end");
            }
            Thread.sleep(100);
        }
        global.print(Map.of("down", true, "data", data.toString()), "The appliance on " + data + " is down.");
        return 0;
    }
}
