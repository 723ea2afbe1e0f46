package io.bulwark.appliance.cli;

import io.bulwark.appliance.control.ControlReply;
import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.appliance.control.ControlSocket;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** Asks the running appliance of a data directory, or fails with what to do. */
final class ApplianceControl {
    private ApplianceControl() {}

    static Map<String, Object> ask(Path data, ControlRequest request) {
        ControlReply reply;
        try {
            reply = ControlSocket.ask(data, request);
        } catch (IOException e) {
            throw new CommandFailure(
                    CommandFailure.UNAVAILABLE, "no appliance runs on " + data + "; start one with `bulwark up`");
        }
        if (!reply.error().isEmpty()) {
            throw new CommandFailure(CommandFailure.FAILED, reply.error());
        }
        return reply.body();
    }
}
