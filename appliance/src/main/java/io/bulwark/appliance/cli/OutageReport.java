package io.bulwark.appliance.cli;

import io.bulwark.client.config.ClientConfig;
import io.bulwark.protocol.id.PrincipalId;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.function.Predicate;

/** Says why the metadata replicas do not answer, by asking who listens, and what to do about it. */
final class OutageReport {
    private static final int CONNECT_MILLIS_MAX = 1_000;

    private final ClientConfig config;
    private final Predicate<ClientConfig.Endpoint> listens;

    OutageReport(ClientConfig config) {
        this(config, OutageReport::listens);
    }

    OutageReport(ClientConfig config, Predicate<ClientConfig.Endpoint> listens) {
        this.config = config;
        this.listens = listens;
    }

    /** Returns whether no replica listens at all. */
    boolean total() {
        return config.lastKnown().values().stream().noneMatch(listens);
    }

    /**
     * Returns the explanation in one line.
     *
     * @param served whether {@code bulwark up} runs in the data directory now
     * @param up the command that starts it, readable
     * @param cause the cause that the operation itself met
     */
    String explained(boolean served, String up, String cause) {
        SortedMap<PrincipalId, ClientConfig.Endpoint> replicas = config.lastKnown();
        List<String> down = new ArrayList<>();
        replicas.forEach((replica, endpoint) -> {
            if (!listens.test(endpoint)) {
                down.add(replica + " (" + endpoint + ")");
            }
        });
        int running = replicas.size() - down.size();
        int needed = 2 * (replicas.size() / 3) + 1;
        if (running == 0 && !served) {
            return "no appliance runs there: none of its " + replicas.size()
                    + " metadata replicas listens; start it with `" + up + "`";
        }
        if (running >= needed) {
            return "the metadata replicas listen but do not agree: " + cause
                    + "; try again in a moment, and see their logs";
        }
        return "only " + running + " of " + replicas.size() + " metadata replicas run, " + needed
                + " are needed; down: "
                + String.join(", ", down) + "; "
                + (served
                        ? "`bulwark down`, then `" + up + "` restart all members; stored data is kept"
                        : "restart these where they ran: with `" + up
                                + "`, or for members with separate files with `bulwark replica --config FILE`");
    }

    /** Returns whether anything listens there, as far as this machine can see. */
    static boolean listens(ClientConfig.Endpoint replica) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(replica.host(), replica.port()), CONNECT_MILLIS_MAX);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
