package io.bulwark.appliance.cli;

import io.bulwark.appliance.control.ControlRequest;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code bulwark replica recover}: asks whoever watches over a replica. */
@Command(
        name = "recover",
        description = {
            "Restart replica N now so that it recovers; its supervisor on this machine does it.",
            "--data names the directory of `up`, or of `supervise` (the replica's own, if its file names no other).",
            "Refused while another replica does not serve or recovers, and within half of T_w of the last time."
        })
final class ReplicaRecoverCommand implements Callable<Integer> {
    @Mixin
    private final GlobalOptions global = new GlobalOptions();

    @Parameters(paramLabel = "N", description = "Number of the replica.")
    private int number;

    @Override
    public Integer call() {
        Map<String, Object> body = ApplianceControl.ask(global, new ControlRequest("replica-recover", number, null));
        global.print(body, String.valueOf(body.get("message")));
        return 0;
    }
}
