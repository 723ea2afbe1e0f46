package io.bulwark.appliance.cli;

import io.bulwark.appliance.cluster.DataDirectory;
import io.bulwark.appliance.control.ControlReply;
import io.bulwark.appliance.control.ControlRequest;
import io.bulwark.appliance.control.ControlSocket;
import java.io.IOException;
import java.nio.file.Files;
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
                    unservedMessage(global, request.action().equals(DOWN)));
        }
        if (!reply.error().isEmpty()) {
            throw new CommandFailure(reply.misused() ? CommandFailure.USAGE : CommandFailure.FAILED, reply.error());
        }
        return reply.body();
    }

    /** Returns the reason why no appliance answers there. */
    private static String unservedMessage(GlobalOptions global, boolean down) {
        Path data = global.data();
        String oneByOne = down ? " Stop members that were started one by one where they run." : "";
        if (DataDirectory.at(data).wasStarted()) {
            return "no appliance of this machine runs on " + data + "; `" + global.upCommand() + "` starts it."
                    + oneByOne;
        }
        return Files.exists(DataDirectory.clientProperties(data))
                ? "there is no appliance in " + data + ", which holds the files of a client only: run this command "
                        + "where the appliance runs, with its --data directory." + oneByOne
                : "there is no appliance in " + data + ": name its directory with --data, or create one there with `"
                        + global.upCommand() + "`." + oneByOne;
    }
}
