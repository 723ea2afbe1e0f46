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
            "Request a recovery of replica N from its supervisor on this machine.",
            "--data is the directory of `up` or of `supervise` (the replica's own, unless its file names another).",
            "The request is refused while another replica is down or recovers, and within half of T_w after the "
                    + "last recovery."
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
