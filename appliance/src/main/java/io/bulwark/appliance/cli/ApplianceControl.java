package io.bulwark.appliance.cli;

import io.bulwark.appliance.control.ControlReply;
import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.appliance.control.ControlSocket;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

/** Asks the running appliance of a data directory, or fails with what to do. */
final class ApplianceControl {
    static final String DOWN = "down";

    private ApplianceControl() {}

    static Map<String, Object> ask(GlobalOptions global, ControlRequest request) {
        Path data = global.data();
        ControlReply reply;
        try {
            reply = ControlSocket.ask(data, request);
        } catch (IOException e) {
            throw new CommandFailure(
                    CommandFailure.UNAVAILABLE,
                    "no appliance of this machine runs on " + data + "; `" + global.upCommand()
                            + "` starts it."
                            + (request.action().equals(DOWN)
                                    ? " Members that were started one by one are stopped where they run."
                                    : ""));
        }
        if (!reply.error().isEmpty()) {
            throw new CommandFailure(reply.misused() ? CommandFailure.USAGE : CommandFailure.FAILED, reply.error());
        }
        return reply.body();
    }
}
